// Windows that extend a tensor beyond its edges.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/operators/sample.h"

namespace forebay::operators {

/// What follows the last element of "abcd", with each policy:
enum class Border {
  kClamp,        // ddd
  kReflect1001,  // dcb
  kReflect101,   // cba
  kWrap,         // abc
};

/// "edge", "clamp", "reflect", "reflect_1001", "reflect_101", "wrap"; nullopt for other words.
std::optional<Border> border_of(std::string_view policy);

/// The place in [0, size) that `index` maps to. size > 0.
int64_t continued_index(int64_t index, int64_t size, Border border);

/// Copies to `out` the window of `in` that begins at `anchor` and has the shape of `out`. Same rank and
/// dtype. invalid_argument if an axis is empty in `in` but not in `out`.
Status slice_continued(const TensorView& in, std::span<const int64_t> anchor, Border border,
                       const MutableTensorView& out);

}  // namespace forebay::operators
