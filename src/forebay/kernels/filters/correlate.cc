#include "forebay/kernels/filters/correlate.h"

#include <algorithm>

#include "forebay/base/caught.h"
#include "forebay/kernels/filters/filter_lines.h"
#include "forebay/kernels/resampling/resample_passes.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using memory::ScratchArray;
using memory::ScratchVector;
using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

// An image of height H is worked on as a volume of depth H with slices of one row, so that both keep the
// slices under the filter and no more.
struct Correlation {
  std::array<int64_t, 3> in{1, 1, 1};  // depth, height, width
  std::array<int64_t, 3> out{1, 1, 1};
  std::array<int64_t, 3> filter{1, 1, 1};
  std::array<int64_t, 3> before{};  // how far the filter reaches in front of a pixel
  int64_t channels = 1;
  Border border = Border::kReflect101;
  float fill = 0;
  const float* weights = nullptr;

  int64_t padded_width() const { return (out[2] + filter[2] - 1) * channels; }
  int64_t padded_height() const { return out[1] + filter[1] - 1; }
};

/// Row `y` of slice `z`, either of which may lie outside, extended in x.
template <class In>
void pad_row(const In* in, const Correlation& c, int64_t z, int64_t y, float* to) {
  const int64_t slice = border_place(c.border, z, c.in[0]);
  const int64_t row = border_place(c.border, y, c.in[1]);
  if (slice < 0 || row < 0) {
    std::fill_n(to, c.padded_width(), c.fill);
    return;
  }
  const int64_t after = c.out[2] + c.filter[2] - 1 - c.before[2] - c.in[2];
  extend_line(in + (slice * c.in[1] + row) * c.in[2] * c.channels, c.in[2], c.channels, c.before[2], after,
              c.border, c.fill, to);
}

/// Where the taps of output row 0 of a slice begin; `slices[k]` is the padded slice under plane k of the
/// filter.
void point_to_taps(const Correlation& c, std::span<const float* const> slices, int64_t y,
                   std::span<const float*> taps) {
  size_t tap = 0;
  for (const float* slice : slices) {
    for (int64_t row = 0; row < c.filter[1]; ++row) {
      for (int64_t x = 0; x < c.filter[2]; ++x) {
        taps[tap++] = slice + (y + row) * c.padded_width() + x * c.channels;
      }
    }
  }
}

template <class In, class Out>
void correlate_as(const In* in, const Correlation& c, Out* out) {
  const int64_t slice = c.padded_height() * c.padded_width();
  const int64_t size = c.out[2] * c.channels;
  ScratchArray<float> ring(static_cast<size_t>(c.filter[0] * slice));
  ScratchArray<float> sums(static_cast<size_t>(size));
  ScratchVector<const float*> slices(static_cast<size_t>(c.filter[0]));
  ScratchVector<const float*> taps(static_cast<size_t>(c.filter[0] * c.filter[1] * c.filter[2]));
  int64_t made = 0;
  for (int64_t z = 0; z < c.out[0]; ++z) {
    for (; made < z + c.filter[0]; ++made) {
      float* to = ring.data() + made % c.filter[0] * slice;
      for (int64_t y = 0; y < c.padded_height(); ++y) {
        pad_row(in, c, made - c.before[0], y - c.before[1], to + y * c.padded_width());
      }
    }
    for (int64_t k = 0; k < c.filter[0]; ++k) {
      slices[static_cast<size_t>(k)] = ring.data() + (z + k) % c.filter[0] * slice;
    }
    for (int64_t y = 0; y < c.out[1]; ++y) {
      point_to_taps(c, slices, y, taps);
      blend_rows<float, float>(taps.data(), c.weights, static_cast<int>(taps.size()), size, sums.data());
      store_to_even(sums.data(), size, out + (z * c.out[1] + y) * size);
    }
  }
}

Result<Correlation> correlation_of(const TensorView& in, const TensorView& filter,
                                   const CorrelateOptions& options, const MutableTensorView& out) {
  const int axes = filter.shape().rank();
  if ((axes != 2 && axes != 3) || in.shape().rank() != axes + 1 || out.shape().rank() != axes + 1 ||
      filter.dtype() != DType::kFloat || filter.volume() == 0 || in.shape().back() != out.shape().back() ||
      (out.dtype() != in.dtype() && out.dtype() != DType::kFloat)) {
    return invalid_argument("a filter of {} over {}, to {}", filter.spec.to_string(), in.spec.to_string(),
                            out.spec.to_string());
  }
  Correlation c;
  c.channels = in.shape().back();
  c.border = options.border;
  c.fill = options.fill;
  c.weights = filter.as<float>();
  for (int axis = 0; axis < axes; ++axis) {
    const int place = axes == 2 ? 2 * axis : axis;
    c.in[place] = in.shape()[axis];
    c.out[place] = out.shape()[axis];
    c.filter[place] = filter.shape()[axis];
    c.before[place] = options.is_valid_only ? 0 : options.anchor[axis];
    const int64_t expected = options.is_valid_only ? c.in[place] - c.filter[place] + 1 : c.in[place];
    if (c.before[place] < 0 || c.before[place] >= c.filter[place] || c.out[place] != expected) {
      return invalid_argument("a filter of {} with anchor {} along axis {}, {} to {}",
                              filter.shape().to_string(), options.anchor[axis], axis, in.spec.to_string(),
                              out.spec.to_string());
    }
  }
  return c;
}

}  // namespace

Status correlate(const TensorView& in, const TensorView& filter, const CorrelateOptions& options,
                 const MutableTensorView& out) {
  FOREBAY_ASSIGN_OR_RETURN(const Correlation correlation, correlation_of(in, filter, options, out));
  if (out.volume() == 0) {
    return ok_status();
  }
  return caught([&] {
    tensor::visit_dtype(in.dtype(), [&](auto tag) {
      using In = typename decltype(tag)::type;
      const auto* from = static_cast<const In*>(in.data);
      if (out.dtype() == DType::kFloat) {
        correlate_as(from, correlation, static_cast<float*>(out.data));
      } else {
        correlate_as(from, correlation, static_cast<In*>(out.data));
      }
    });
    return ok_status();
  });
}

}  // namespace forebay::kernels
