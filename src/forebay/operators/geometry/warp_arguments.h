// Shared by `rotate` and `warp_affine`: what is sampled, how, and the loop over frames.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <vector>

#include "forebay/kernels/image/warp.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {

/// The input's spatial extents, (y, x) or (z, y, x), and its frames.
struct WarpInput {
  Layout layout;
  std::vector<int64_t> size;
  int64_t frames = 1;

  int dimensions() const { return static_cast<int>(size.size()); }
};

struct WarpArguments {
  Arg<std::vector<float>> size;
  std::optional<float> fill_value;
  InterpType interp_type = InterpType::kLinear;
  std::optional<DType> dtype;

  Status check() const;

  /// invalid_argument unless the input is HWC, DHWC or a sequence of these.
  static Result<WarpInput> input_of(const Sample& sample);

  /// `size` rounded if it is given, else nullopt.
  Result<std::optional<std::vector<int64_t>>> given_size(const Sample& sample, int dimensions) const;

  /// Makes output 0: every frame through `map`, onto a canvas of `out_size`.
  Status warp(Sample& sample, const WarpInput& in, std::span<const int64_t> out_size,
              const kernels::AffineMap& map) const;
};

template <class T>
void add_warp_arguments(Description<T>& description) {
  description.param("size", &T::size, "Extents of the output, outermost first.")
      .param("fill_value", &T::fill_value,
             "The value outside of the input; without it the border is repeated.")
      .param("interp_type", &T::interp_type, "INTERP_NN or INTERP_LINEAR.")
      .param("dtype", &T::dtype,
             "Type of the output: the input's, which is the default, or FLOAT; of FLOAT input any integer "
             "type too.")
      .old_name("output_dtype", &T::dtype);
}

}  // namespace forebay::operators
