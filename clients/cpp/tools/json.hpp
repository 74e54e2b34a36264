// JSON as protobuf reads it, with errors instead of defaults.
#pragma once

#include <google/protobuf/struct.pb.h>

#include <bluke/cards.hpp>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace json {

using Value = google::protobuf::Value;

// Each throws std::invalid_argument for what is not as asked.

Value parse(std::string_view text);
const Value& at(const Value& object, const std::string& key);
bool has(const Value& object, const std::string& key);
const std::string& text(const Value& value);
int number(const Value& value);
bool is_null(const Value& value);
bluke::Card card(const Value& value);
bluke::Suit suit(const Value& value);

template <class Read>
auto list(const Value& value, Read read) {
  if (!value.has_list_value()) throw std::invalid_argument("a list was expected");
  std::vector<std::invoke_result_t<Read, const Value&>> values;
  for (const Value& one : value.list_value().values()) values.push_back(read(one));
  return values;
}

template <class Read>
std::optional<std::invoke_result_t<Read, const Value&>> unless_null(const Value& value, Read read) {
  if (is_null(value)) return std::nullopt;
  return read(value);
}

}  // namespace json
