// equalize: levels histograms out, each channel by itself.
#include <array>

#include "forebay/kernels/filters/filter_lines.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/layout/image_axes.h"

namespace forebay::operators {
namespace {

using Levels = std::array<uint8_t, 256>;

/// What each level becomes: the part of pixels above the lowest level that lie at or below it, of 255.
Levels equalized(const std::array<int64_t, 256>& histogram, int64_t pixels) {
  Levels levels{};
  size_t lowest = 0;
  while (lowest < 255 && histogram[lowest] == 0) {
    ++lowest;
  }
  const int64_t above = pixels - histogram[lowest];
  if (above == 0) {
    levels[lowest] = static_cast<uint8_t>(lowest);
    return levels;
  }
  const float scale = 255.0f / static_cast<float>(above);
  int64_t sum = 0;
  for (size_t level = lowest + 1; level < 256; ++level) {
    sum += histogram[level];
    levels[level] = kernels::convert_to_even<uint8_t>(static_cast<float>(sum) * scale);
  }
  return levels;
}

/// One channel: every `step`th element.
void equalize_channel(const uint8_t* from, int64_t pixels, int64_t step, uint8_t* to) {
  std::array<int64_t, 256> histogram{};
  for (int64_t i = 0; i < pixels; ++i) {
    ++histogram[from[i * step]];
  }
  const Levels levels = equalized(histogram, pixels);
  for (int64_t i = 0; i < pixels; ++i) {
    to[i * step] = levels[from[i * step]];
  }
}

struct Equalize {
  Status run(Sample& sample) const {
    const Tensor& in = sample.input(0);
    FOREBAY_ASSIGN_OR_RETURN(const SpatialAxes axes, find_spatial_axes(in.spec()));
    if (in.dtype() != DType::kUint8 || axes.count != 2) {
      return invalid_argument("histograms are levelled out in UINT8 images, not in {}",
                              in.spec().to_string());
    }
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                             sample.output(0, {in.shape(), in.dtype(), axes.layout}));
    const int64_t pixels = in.shape()[axes.first] * in.shape()[axes.first + 1];
    sample.parallel_for(axes.outer * axes.channels, [&](int64_t i) {
      const int64_t start = i / axes.channels * pixels * axes.channels + i % axes.channels;
      equalize_channel(in.view().as<uint8_t>() + start, pixels, axes.channels, out.as<uint8_t>() + start);
    });
    return ok_status();
  }
};

}  // namespace

OperatorSpec equalize() {
  return describe<Equalize>("equalize", "Levels the histogram of each channel out.")
      .input("data", "UINT8 images or sequences of them, in any layout.")
      .outputs("The image; a channel of one level stays.")
      .matches("DALI equalize")
      .build();
}

}  // namespace forebay::operators
