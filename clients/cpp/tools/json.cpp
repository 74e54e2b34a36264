#include "json.hpp"

#include <google/protobuf/util/json_util.h>

#include <cmath>
#include <stdexcept>

namespace json {

Value parse(std::string_view text) {
  Value value;
  if (!google::protobuf::util::JsonStringToMessage({text.data(), text.size()}, &value).ok()) {
    throw std::invalid_argument("this is no JSON");
  }
  return value;
}

bool has(const Value& object, const std::string& key) { return object.struct_value().fields().contains(key); }

const Value& at(const Value& object, const std::string& key) {
  const auto& fields = object.struct_value().fields();
  const auto found = fields.find(key);
  if (found == fields.end()) throw std::invalid_argument("there is no '" + key + "'");
  return found->second;
}

const std::string& text(const Value& value) {
  if (!value.has_string_value()) throw std::invalid_argument("a text was expected");
  return value.string_value();
}

int number(const Value& value) {
  const double real = value.number_value();
  if (!value.has_number_value() || real != std::floor(real) || std::abs(real) > 1e9) {
    throw std::invalid_argument("a whole number was expected");
  }
  return static_cast<int>(real);
}

bool is_null(const Value& value) { return value.has_null_value(); }

bluke::Card card(const Value& value) { return bluke::Card::parse(text(value)); }

bluke::Suit suit(const Value& value) {
  const auto at = bluke::suit_letters.find(text(value));
  if (text(value).size() != 1 || at == bluke::suit_letters.npos) {
    throw std::invalid_argument("'" + text(value) + "' is not a suit");
  }
  return static_cast<bluke::Suit>(at);
}

}  // namespace json
