// The window and the filter, in double precision.
#include "forebay/kernels/signal/hann.h"

#include <cmath>
#include <numbers>

namespace forebay::kernels {

std::vector<float> hann_window(int64_t length, double first) {
  std::vector<float> window(static_cast<size_t>(length));
  for (size_t i = 0; i < window.size(); ++i) {
    const double phase =
        2 * std::numbers::pi * (static_cast<double>(i) + first) / static_cast<double>(length);
    window[i] = static_cast<float>(0.5 * (1.0 - std::cos(phase)));
  }
  return window;
}

double hann_sinc(double x, double reach) {
  const double angle = std::numbers::pi * x;
  const double sinc = x == 0 ? 1.0 : std::sin(angle) / angle;
  return sinc * 0.5 * (1.0 + std::cos(std::numbers::pi * (x / reach)));
}

}  // namespace forebay::kernels
