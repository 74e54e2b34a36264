// Text for people and for the wire.
#pragma once

#include <string>
#include <string_view>

namespace bluke {

/// The text with U+FFFD in the place of every byte that is no UTF-8: protobuf carries no other strings.
std::string valid_utf8(std::string_view text);

/// At most `most` bytes of the text, cut between characters: its beginning, or its end.
std::string clip(const std::string& text, std::size_t most, bool keep_end = false);

/// The text with whatever could move the cursor or turn the direction of writing spelled out; line ends stay.
std::string visible(std::string_view text);

/// Writes a line to standard error. What others say is made visible.
void warn(std::string_view text);

}  // namespace bluke
