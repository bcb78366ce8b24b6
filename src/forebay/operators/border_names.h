// The names of what lies beyond the ends of an axis: one table for the arguments of all operators.
#pragma once

#include <optional>
#include <string_view>

#include "forebay/kernels/generic/border.h"

namespace forebay::operators {

/// nullopt for words that name none, such as "error". An operator lists those that it takes as the `choices`
/// of its argument.
std::optional<kernels::Border> border_named(std::string_view name);

/// The same where words that name none leave nothing outside: kConstant for them.
inline kernels::Border border_of(std::string_view name) {
  return border_named(name).value_or(kernels::Border::kConstant);
}

}  // namespace forebay::operators
