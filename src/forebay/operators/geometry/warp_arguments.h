// Shared by `rotate` and `warp_affine`: what is sampled, how, onto what.
#pragma once

#include <optional>
#include <vector>

#include "forebay/kernels/image/warp.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/frames.h"

namespace forebay::operators {

/// Spatial extents, (y, x) or (z, y, x).
using Extents = std::vector<int64_t>;
using MapAt = absl::FunctionRef<Result<kernels::AffineMatrix>(int64_t frame)>;

struct WarpArguments {
  Arg<std::vector<float>> size;
  std::optional<float> fill_value;
  InterpType interp_type = InterpType::kLinear;
  std::optional<DType> dtype;

  Status check() const;

  /// The layout of input 0; invalid_argument unless that is HWC, DHWC or a sequence of these.
  static Result<Layout> layout_of(const Sample& sample);

  /// The spatial extents of a frame.
  static Extents extents_of(const Frames& frames);

  /// `size` rounded if it is given, else nullopt.
  static Result<std::optional<Extents>> extents_given(const Sample& sample,
                                                      const Arg<std::vector<float>>& size, int dimensions);
  Result<std::optional<Extents>> given_size(const Sample& sample, int dimensions) const {
    return extents_given(sample, size, dimensions);
  }

  /// Makes output 0: every frame through the map that `map_at` gives, onto a canvas of `out_size`.
  Status warp(Sample& sample, const Frames& frames, std::span<const int64_t> out_size, MapAt map_at) const;
};

template <class T>
void add_warp_arguments(Description<T>& description) {
  description.param("size", &T::size, "Extents of the output, outermost first.")
      .param("fill_value", &T::fill_value,
             "The value outside of the input; without it the border is repeated.")
      .any_number()
      .param("interp_type", &T::interp_type, "INTERP_NN or INTERP_LINEAR.")
      .param("dtype", &T::dtype,
             "Type of the output: the input's, which is the default, or FLOAT; of FLOAT input any integer "
             "type too.")
      .old_name("output_dtype", &T::dtype);
}

}  // namespace forebay::operators
