// The names of types, as their authors wrote them.
#pragma once

#include <string>
#include <typeinfo>

namespace bluke {

/// The whole name of a type, such as `std::out_of_range`.
std::string type_name(const std::type_info& type);

}  // namespace bluke
