// A dense array seen as lines along one of its axes.
#pragma once

#include <cstdint>

namespace forebay::kernels {

/// A line runs along the axis; an array of shape (outer, length, inner) has outer * inner lines.
struct Lines {
  int64_t outer = 1;
  int64_t length = 1;
  int64_t inner = 1;

  int64_t count() const { return outer * inner; }
  /// The start of line `line`; its elements are `inner` apart.
  int64_t start(int64_t line) const { return line / inner * length * inner + line % inner; }
};

}  // namespace forebay::kernels
