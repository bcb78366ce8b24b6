// laplacian: the sum of the second derivatives, each smoothed across its direction.
#include <cmath>

#include "forebay/kernels/filters/convolve.h"
#include "forebay/operators/describe.h"
#include "forebay/operators/filters/filtered_blocks.h"

namespace forebay::operators {
namespace {

constexpr int64_t kLongestWindow = 23;  // up to it the coefficients are exact floats
constexpr int kMaxAxes = kernels::kMaxConvolvedAxes;

std::vector<float> convolved(const std::vector<float>& window, std::span<const float> by) {
  std::vector<float> result(window.size() + by.size() - 1);
  for (size_t i = 0; i < window.size(); ++i) {
    for (size_t j = 0; j < by.size(); ++j) {
      result[i + j] += window[i] * by[j];
    }
  }
  return result;
}

/// Binomial coefficients.
std::vector<float> smoothing_window(int64_t length) {
  constexpr float kStep[] = {1, 2, 1};
  std::vector<float> window{1};
  while (static_cast<int64_t>(window.size()) < length) {
    window = convolved(window, kStep);
  }
  return window;
}

std::vector<float> derivative_window(int64_t length) {
  constexpr float kSecond[] = {1, -2, 1};
  return convolved(smoothing_window(length - 2), kSecond);
}

/// The windows and scales of one frame.
struct Derivatives {
  std::array<std::array<std::vector<float>, kMaxAxes>, kMaxAxes> windows;  // of derivative i along axis j
  std::vector<float> scales;
};

struct Laplacian {
  Arg<std::vector<int64_t>> window_size = std::vector<int64_t>{3};
  Arg<std::vector<int64_t>> smoothing_size;
  Arg<std::vector<float>> scale = std::vector<float>{1.0f};
  bool normalized_kernel = false;
  std::optional<DType> dtype;

  Status prepare(const Arguments&) const {
    if (normalized_kernel && scale.is_given()) {
      return invalid_argument("`scale` cannot be given with normalized_kernel=True, which implies one");
    }
    return ok_status();
  }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const FrameIntegers sizes, FrameIntegers::of(sample, window_size));
    FOREBAY_ASSIGN_OR_RETURN(const FrameIntegers smoothing, FrameIntegers::of(sample, smoothing_size));
    FOREBAY_ASSIGN_OR_RETURN(const FrameFloats scales, FrameFloats::of(sample, scale));
    FOREBAY_ASSIGN_OR_RETURN(const Frames frames,
                             Frames::of(sample, sample.input(0).layout(), sizes, smoothing, scales));
    FOREBAY_ASSIGN_OR_RETURN(const FilteredBlocks blocks, filtered_blocks(frames.spec()));
    TensorSpec frame_out = frames.spec();
    FOREBAY_ASSIGN_OR_RETURN(frame_out.dtype, filtered_type(frames.spec(), dtype));
    return for_each_frame(sample, frames, frame_out,
                          [&](const TensorView& in, int64_t frame, const MutableTensorView& out) -> Status {
                            FOREBAY_ASSIGN_OR_RETURN(const Derivatives derivatives,
                                                     derivatives_of(sizes.at(frame), smoothing.at(frame),
                                                                    scales.at(frame), blocks.count));
                            return for_each_block(in, blocks, out, blocks,
                                                  [&](const TensorView& from, const MutableTensorView& to) {
                                                    return sum(derivatives, blocks.count, from, to);
                                                  });
                          });
  }

 private:
  static Status sum(const Derivatives& derivatives, int count, const TensorView& in,
                    const MutableTensorView& out) {
    std::vector<kernels::ConvolutionWindows> windows;
    for (int i = 0; i < count; ++i) {
      const auto& along = derivatives.windows[static_cast<size_t>(i)];
      windows.push_back({along[0], along[1], along[2]});
    }
    return kernels::convolve_sum(in, windows, derivatives.scales, out);
  }

  static Status check_length(std::string_view name, int64_t length, int64_t least) {
    if (length < least || length > kLongestWindow || length % 2 == 0) {
      return invalid_argument("{} is {}; it is odd and from {} to {}", name, length, least, kLongestWindow);
    }
    return ok_status();
  }

  Result<Derivatives> derivatives_of(std::span<const int64_t> sizes, std::span<const int64_t> smoothing,
                                     std::span<const float> scales, int count) const {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int64_t> lengths, number_an_axis("window_size", sizes, count));
    std::vector<int64_t> across;  // empty: as long as the derivative's window
    if (smoothing_size.is_given()) {
      FOREBAY_ASSIGN_OR_RETURN(across, number_an_axis("smoothing_size", smoothing, count));
    }
    Derivatives derivatives;
    FOREBAY_ASSIGN_OR_RETURN(derivatives.scales, number_an_axis("scale", scales, count));
    for (const int64_t length : lengths) {
      FOREBAY_RETURN_IF_ERROR(check_length("window_size", length, 3));
    }
    for (const int64_t length : across) {
      FOREBAY_RETURN_IF_ERROR(check_length("smoothing_size", length, 1));
    }
    for (size_t i = 0; i < lengths.size(); ++i) {
      int64_t total = -count - 2;
      for (size_t j = 0; j < lengths.size(); ++j) {
        const int64_t length = i == j || across.empty() ? lengths[i] : across[j];
        derivatives.windows[i][j] = i == j ? derivative_window(length) : smoothing_window(length);
        total += static_cast<int64_t>(derivatives.windows[i][j].size());
      }
      if (normalized_kernel) {
        derivatives.scales[i] = std::ldexp(1.0f, static_cast<int>(-total));
      }
    }
    return derivatives;
  }
};

}  // namespace

OperatorSpec laplacian() {
  return describe<Laplacian>("laplacian", "The sum of the second derivatives along all axes.")
      .input("data", "Images, volumes or sequences, in any layout; without a layout all axes take part.")
      .param("window_size", &Laplacian::window_size,
             "Length of the window that takes the derivative, odd, from 3 to 23: one number, or one for each "
             "axis but C and F.")
      .param("smoothing_size", &Laplacian::smoothing_size,
             "Length of the windows across the derivative's direction, odd, from 1 (none) to 23; that of "
             "window_size without it.")
      .param("scale", &Laplacian::scale, "Factors of the derivatives: one number, or one for each axis.")
      .param("normalized_kernel", &Laplacian::normalized_kernel,
             "Scales each derivative so that its windows sum up to those of the shortest; not with `scale`.")
      .param("dtype", &Laplacian::dtype, "Type of the output: the input's, which is the default, or FLOAT.")
      .outputs("The Laplacian, in the input's shape; at the borders the data is reflected.")
      .matches("DALI laplacian")
      .build();
}

}  // namespace forebay::operators
