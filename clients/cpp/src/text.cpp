#include "text.hpp"

#include <cstdint>
#include <cstdio>

namespace bluke {
namespace {

struct Character {
  char32_t code;
  std::size_t bytes;
};

constexpr char32_t replacement = 0xFFFD;

/// The character at the beginning of a text that is not empty; one replaced byte if there is none.
Character first(std::string_view text) {
  const auto byte = [&](std::size_t at) { return static_cast<unsigned char>(text[at]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < bytes) return {replacement, 1};
  char32_t code = lead & (0x7F >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {replacement, 1};
    code = code << 6 | (byte(i) & 0x3F);
  }
  constexpr char32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < least[bytes] || code > 0x10FFFF || surrogate) return {replacement, 1};
  return {code, bytes};
}

bool is_hidden(char32_t code) {
  const bool control = (code < 0x20 && code != '\n') || (code >= 0x7F && code < 0xA0);
  const bool direction = code == 0x061C || code == 0x200E || code == 0x200F || (code >= 0x202A && code <= 0x202E) ||
                         (code >= 0x2066 && code <= 0x2069);
  return control || direction || code == 0x2028 || code == 0x2029;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string valid;
  while (!text.empty()) {
    const Character next = first(text);
    const bool broken = next.code == replacement && next.bytes == 1;
    valid += broken ? std::string_view("\xEF\xBF\xBD") : text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
  }
  return valid;
}

std::string clip(const std::string& text, std::size_t most, bool keep_end) {
  if (text.size() <= most) return text;
  const auto inside = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  std::size_t at = keep_end ? text.size() - most : most;
  while (at > 0 && at < text.size() && inside(at)) keep_end ? ++at : --at;
  return keep_end ? text.substr(at) : text.substr(0, at);
}

std::string visible(std::string_view text) {
  std::string shown;
  const std::string valid = valid_utf8(text);
  for (std::string_view rest = valid; !rest.empty();) {
    const Character next = first(rest);
    if (is_hidden(next.code)) {
      char spelled[16];
      std::snprintf(spelled, sizeof spelled, "<U+%04X>", static_cast<unsigned>(next.code));
      shown += spelled;
    } else {
      shown += rest.substr(0, next.bytes);
    }
    rest.remove_prefix(next.bytes);
  }
  return shown;
}

void warn(std::string_view text) {
  const std::string line = visible(text) + "\n";
  std::fwrite(line.data(), 1, line.size(), stderr);
}

}  // namespace bluke
