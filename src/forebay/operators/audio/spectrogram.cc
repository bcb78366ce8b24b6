// spectrogram: the power of a signal by frequency and time.
#include "forebay/kernels/signal/spectrogram.h"

#include "forebay/kernels/signal/hann.h"
#include "forebay/operators/audio/signal_input.h"
#include "forebay/operators/describe.h"

namespace forebay::operators {
namespace {

struct SpectrogramOperator {
  std::optional<int64_t> nfft;
  int64_t window_length = 512;
  int64_t window_step = 256;
  std::vector<float> window_fn;
  int64_t power = 2;
  bool center_windows = true;
  bool reflect_padding = true;
  LayoutName layout{"ft"};

  std::shared_ptr<const kernels::Spectrogram> transform;

  Status prepare(const Arguments&) {
    FOREBAY_RETURN_IF_ERROR(check_power(power));
    if (layout.names != "ft" && layout.names != "tf") {
      return invalid_argument("argument 'layout' is '{}'; it must be 'ft' or 'tf'", layout.names);
    }
    if (window_length < 1 || window_step < 1) {
      return invalid_argument("windows of {} samples, {} from one to the next: both must be at least 1",
                              window_length, window_step);
    }
    const int64_t points = nfft.value_or(window_length);
    if (points < window_length || points > kernels::RealFft::kLargestSize) {
      return invalid_argument(
          "a transform of nfft={} points does not hold a window of {} samples, or is beyond {}", points,
          window_length, kernels::RealFft::kLargestSize);
    }
    if (!window_fn.empty() && window_fn.size() != static_cast<size_t>(window_length)) {
      return invalid_argument("argument 'window_fn' has {} numbers for windows of {} samples",
                              window_fn.size(), window_length);
    }
    transform = std::make_shared<const kernels::Spectrogram>(
        kernels::WindowOptions{window_length, window_step, center_windows, reflect_padding},
        window_fn.empty() ? kernels::hann_window(window_length, 0.5) : window_fn, points);
    return ok_status();
  }

  Status run(Sample& sample) const {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t length, signal_length(sample.input(0)));
    const int64_t windows = kernels::num_windows(length, transform->options());
    if (windows == 0) {
      return invalid_argument("a signal of {} samples has no window of {}", length, window_length);
    }
    const bool is_time_major = layout.names == "tf";
    const Shape shape = is_time_major ? Shape{windows, transform->bins()} : Shape{transform->bins(), windows};
    FOREBAY_ASSIGN_OR_RETURN(const MutableTensorView out,
                             sample.output(0, {shape, DType::kFloat, Layout(layout.names)}));
    return transform->run(spectrum_of(power), sample.input(0).view().as<float>(), length, is_time_major,
                          out.as<float>());
  }
};

}  // namespace

OperatorSpec spectrogram() {
  using Op = SpectrogramOperator;
  return describe<Op>("spectrogram", "The power of a signal by frequency and time.")
      .input("data", "A signal of one channel, FLOAT; of its axes at most one is longer than 1.")
      .param("nfft", &Op::nfft,
             "Points of the Fourier transform, at least `window_length`, which is also the default. Any "
             "number is "
             "possible; those with small prime factors are fast.")
      .param("window_length", &Op::window_length, "Samples in a window.")
      .param("window_step", &Op::window_step, "Samples from one window to the next.")
      .param("window_fn", &Op::window_fn,
             "The factors of a window's samples, `window_length` of them. Without them, Hann's window: "
             "0.5 * (1 - cos(2 * pi * (i + 0.5) / window_length)).")
      .param("power", &Op::power, "2 gives powers, 1 magnitudes.")
      .param("center_windows", &Op::center_windows,
             "Whether window i lies about sample `i * window_step`, and the signal goes on beyond its ends. "
             "Otherwise "
             "it begins there, and all windows lie within.")
      .param("reflect_padding", &Op::reflect_padding,
             "What lies beyond the ends: the signal mirrored at its first and last sample, else zeros.")
      .param("layout", &Op::layout, "'ft': frequencies are the first axis; 'tf': they are the last.")
      .outputs("nfft // 2 + 1 frequencies by the windows' number, FLOAT. The same bits on every target.")
      .matches("DALI spectrogram")
      .build();
}

}  // namespace forebay::operators
