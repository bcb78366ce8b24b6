// Arguments that place a window by its edges: start, end, shape and their relative forms, or two inputs.
// Shared by slice and decoders.image_slice.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "forebay/operators/arg.h"
#include "forebay/operators/parameter.h"
#include "forebay/operators/windows/tensor_window.h"

namespace forebay::operators {

/// Edges of a window, one entry an axis; one entry is for all axes. Whole places, or relative to the extents.
struct SliceEdges {
  std::optional<std::vector<int64_t>> start;
  std::optional<std::vector<int64_t>> end;
  std::optional<std::vector<int64_t>> shape;
  std::optional<std::vector<float>> rel_start;
  std::optional<std::vector<float>> rel_end;
  std::optional<std::vector<float>> rel_shape;

  bool has_any() const { return start || end || shape || rel_start || rel_end || rel_shape; }
};

/// The axes as numbers in [0, rank), all of them if `given` is empty.
Result<std::vector<int>> checked_axes(std::span<const int64_t> given, int rank);

/// The window that has these edges on the axes `sliced`, and is whole on the others.
Result<TensorWindow> window_of(const SliceEdges& edges, std::span<const int> sliced, const Shape& data_shape);

struct SliceArguments {
  Arg<std::vector<int64_t>> axes = std::vector<int64_t>{1, 0};
  LayoutName axis_names = {"WH"};
  Arg<std::vector<int64_t>> start;
  Arg<std::vector<int64_t>> end;
  Arg<std::vector<int64_t>> shape;
  Arg<std::vector<float>> rel_start;
  Arg<std::vector<float>> rel_end;
  Arg<std::vector<float>> rel_shape;
  bool normalized_anchor = true;
  bool normalized_shape = true;

  /// invalid_argument for arguments that exclude each other; records whether axis_names was given.
  Status prepare_slice(const Arguments& arguments);

  /// The window for data of that shape and layout: from the named arguments, or from inputs 1 (anchor) and 2
  /// (shape) of `sample`. Relative coordinates are rounded half away from zero, as in DALI.
  Result<TensorWindow> window(const Sample& sample, const Shape& data_shape, const Layout& layout) const;

 private:
  Result<std::vector<int>> sliced_axes(const Sample& sample, const Shape& data_shape,
                                       const Layout& layout) const;
  Result<SliceEdges> edges(const Sample& sample) const;
  Status place_by_inputs(const Sample& sample, const std::vector<int>& sliced, TensorWindow& window) const;

  bool has_axis_names_ = false;
  bool has_inputs_ = false;
};

template <class Description>
void add_slice_inputs(Description& description) {
  description
      .optional_input("anchor",
                      "Corner of the window, one entry an axis; instead of start. Integers are absolute.")
      .optional_input("shape_input", "Size of the window, with `anchor`, of the same type.");
}

template <class Description>
void add_slice_arguments(Description& description) {
  using A = SliceArguments;
  description.param("axes", &A::axes, "The axes that the window's coordinates mean; all when empty.")
      .param("axis_names", &A::axis_names, "The same by the layout's names; goes before `axes`.")
      .param("start", &A::start, "First places of the window.")
      .param("end", &A::end, "Places behind the window.")
      .param("shape", &A::shape, "Size of the window, instead of an end.")
      .param("rel_start", &A::rel_start, "start, relative to the extents.")
      .param("rel_end", &A::rel_end, "end, relative to the extents.")
      .param("rel_shape", &A::rel_shape, "shape, relative to the extents.")
      .param("normalized_anchor", &A::normalized_anchor, "A floating-point `anchor` input is relative.")
      .param("normalized_shape", &A::normalized_shape, "A floating-point `shape_input` is relative.");
}

}  // namespace forebay::operators
