// Windows that continue a tensor beyond its edges.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "forebay/base/status.h"
#include "forebay/operators/sample.h"

namespace forebay::operators {

/// What stands beyond the last element of "abcd": of a row that goes on, ...
enum class Border {
  kClamp,        // ddd
  kReflect1001,  // dcb
  kReflect101,   // cba
  kWrap,         // abc
};

/// "edge", "clamp", "reflect", "reflect_1001", "reflect_101", "wrap"; nothing for other words.
std::optional<Border> border_of(std::string_view policy);

/// The place in [0, size) that stands at `index`. size > 0.
int64_t continued_index(int64_t index, int64_t size, Border border);

/// `out` is the window of `in` that begins at `anchor` and has the shape of `out`. Same rank and dtype.
/// invalid_argument when an axis of `in` is empty but that of `out` is not.
Status slice_continued(const TensorView& in, std::span<const int64_t> anchor, Border border,
                       const MutableTensorView& out);

}  // namespace forebay::operators
