// Shared by `cat` and `stack`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "forebay/operators/sample.h"
#include "forebay/operators/value.h"

namespace forebay::operators {

/// invalid_argument unless all inputs have the first one's dtype and rank.
Status check_alike(const Sample& sample);

/// The layout of the first input that has one.
Layout first_layout(const Sample& sample);

std::vector<TensorView> input_views(const Sample& sample);

/// Checks that it is a single letter, and not given together with a number.
Status check_join_axis(const std::optional<std::string>& axis_name, const Arguments& arguments);

}  // namespace forebay::operators
