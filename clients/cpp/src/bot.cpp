#include "bluke/bot.hpp"

#include <cxxabi.h>

#include <cstdlib>

#include "names.hpp"

namespace bluke {

std::string type_name(const std::type_info& type) {
  int failure = 0;
  const std::unique_ptr<char, decltype(&std::free)> name(abi::__cxa_demangle(type.name(), nullptr, nullptr, &failure),
                                                         &std::free);
  return name ? name.get() : type.name();
}

std::string class_name(const std::type_info& type) {
  const std::string name = type_name(type);
  const auto colon = name.rfind("::");
  return colon == name.npos ? name : name.substr(colon + 2);
}

void Bot::note(std::string_view text) {
  if (note_) {
    note_->append("\n").append(text);
  } else {
    note_ = text;
  }
}

}  // namespace bluke
