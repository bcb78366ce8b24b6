// gaussian_blur: convolution with the bell curve along each axis.
#include <cmath>

#include "forebay/kernels/filters/convolve.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/filters/filtered_blocks.h"

namespace forebay::operators {
namespace {

constexpr int64_t kLongestBell = (1 << 20) - 1;

/// The window of one axis; a deviation or length of 0 is not given.
Result<std::vector<float>> bell_window(float sigma, int64_t length) {
  if (!(sigma >= 0 && sigma < kLongestBell) || length < 0 || (sigma == 0 && length == 0)) {
    return invalid_argument("sigma {} with a window_size of {}: one of them is needed, and none is negative",
                            sigma, length);
  }
  if (length == 0) {
    length = 2 * static_cast<int64_t>(std::ceil(sigma * 3)) + 1;
  }
  if (length % 2 == 0 || length > kLongestBell) {
    return invalid_argument("a window has an odd length of at most {}, not {}", kLongestBell, length);
  }
  const int64_t radius = length / 2;
  if (sigma == 0) {
    sigma = static_cast<float>(static_cast<double>(radius - 1) * 0.3 + 0.8);
  }
  const float steepness = 0.5f / (sigma * sigma);
  std::vector<float> window(static_cast<size_t>(length));
  float sum = 0;
  for (int64_t x = 1; x <= radius; ++x) {  // from the ends, the smallest first
    const auto distance = static_cast<float>(radius + 1 - x);
    window[static_cast<size_t>(x - 1)] =
        static_cast<float>(std::exp(static_cast<double>(-(distance * distance * steepness))));
    sum += window[static_cast<size_t>(x - 1)];
  }
  const float scale = 1 / (sum * 2 + 1);
  window[static_cast<size_t>(radius)] = scale;
  for (int64_t x = 0; x < radius; ++x) {
    window[static_cast<size_t>(x)] *= scale;
    window[static_cast<size_t>(length - 1 - x)] = window[static_cast<size_t>(x)];
  }
  return window;
}

struct GaussianBlur {
  Arg<std::vector<float>> sigma = std::vector<float>{0.0f};
  Arg<std::vector<int64_t>> window_size = std::vector<int64_t>{0};
  std::optional<DType> dtype;

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats sigmas, FrameFloats::of(sample, sigma));
    FOREBAY_ASSIGN_OR_RETURN(const FrameIntegers sizes, FrameIntegers::of(sample, window_size));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames,
                             Frames::of(sample, sample.input(0).layout(), sigmas, sizes));
    FOREBAY_ASSIGN_OR_RETURN(const FilteredBlocks blocks, filtered_blocks(frames.spec()));
    TensorSpec frame_out = frames.spec();
    FOREBAY_ASSIGN_OR_RETURN(frame_out.dtype, filtered_type(frames.spec(), dtype));
    return for_each_frame(
        sample, frames, frame_out,
        [&](const TensorView& in, int64_t frame, const MutableTensorView& out) -> Status {
          std::array<std::vector<float>, kernels::kMaxConvolvedAxes> windows;
          FOREBAY_RETURN_IF_ERROR(make_windows(sigmas.at(frame), sizes.at(frame), blocks.count, windows));
          const auto blur = [&](const TensorView& from, const MutableTensorView& to) {
            return kernels::convolve(from, {windows[0], windows[1], windows[2]}, to);
          };
          return for_each_block(in, blocks, out, blocks, blur);
        });
  }

 private:
  static Status make_windows(std::span<const float> sigmas, std::span<const int64_t> sizes, int count,
                             std::span<std::vector<float>> windows) {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<float> deviations, number_an_axis("sigma", sigmas, count));
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, number_an_axis("window_size", sizes, count));
    for (size_t axis = 0; axis < deviations.size(); ++axis) {
      FOREBAY_ASSIGN_OR_RETURN(windows[axis], bell_window(deviations[axis], lengths[axis]));
    }
    return ok_status();
  }
};

}  // namespace

OperatorSpec gaussian_blur() {
  return describe<GaussianBlur>("gaussian_blur", "Blurs by a Gaussian window along each axis.")
      .input("data", "Images, volumes or sequences, in any layout; without a layout all axes are blurred.")
      .param("sigma", &GaussianBlur::sigma,
             "Standard deviation in pixels: one number, or one for each axis but C and F. 0: that which goes "
             "with window_size.")
      .param("window_size", &GaussianBlur::window_size,
             "Length of the window, odd: one number, or one for each axis. 0: as far as 3 sigma reach.")
      .param("dtype", &GaussianBlur::dtype,
             "Type of the output: the input's, which is the default, or FLOAT.")
      .outputs(
          "The blurred data; at the borders it is reflected. Equal on all targets but for the last bit of "
          "the C library's exponential.")
      .matches("DALI gaussian_blur")
      .close()
      .build();
}

}  // namespace forebay::operators
