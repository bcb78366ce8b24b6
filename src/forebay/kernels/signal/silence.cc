#include "forebay/kernels/signal/silence.h"

#include <algorithm>
#include <cmath>

#include "forebay/base/caught.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/memory/scratch.h"

namespace forebay::kernels {
namespace {

/// sums[i + 1] = sums[i] + in[i]^2. Four at a time, so that only one addition in four waits for the one
/// before.
template <class T>
void running_squares(const T* in, int64_t count, double* sums) {
  const auto square = [](T value) {
    const auto number = convert_saturated<double>(value);
    return number * number;
  };
  double total = 0;
  sums[0] = 0;
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const double a = square(in[i]);
    const double ab = a + square(in[i + 1]);
    const double c = square(in[i + 2]);
    const double cd = c + square(in[i + 3]);
    sums[i + 1] = total + a;
    sums[i + 2] = total + ab;
    sums[i + 3] = total + (ab + c);
    total += ab + cd;
    sums[i + 4] = total;
  }
  for (; i < count; ++i) {
    total += square(in[i]);
    sums[i + 1] = total;
  }
}

/// The largest of sums[i + window] - sums[i]; at least 0. In four parts, so that none waits for the one
/// before.
double largest_power(const double* sums, int64_t window, int64_t windows) {
  double tops[4] = {};
  int64_t i = 0;
  for (; i + 4 <= windows; i += 4) {
    for (int64_t part = 0; part < 4; ++part) {
      tops[part] = std::max(tops[part], sums[i + part + window] - sums[i + part]);
    }
  }
  for (; i < windows; ++i) {
    tops[0] = std::max(tops[0], sums[i + window] - sums[i]);
  }
  return std::max(std::max(tops[0], tops[1]), std::max(tops[2], tops[3]));
}

}  // namespace

Result<SoundRegion> nonsilent_region(const tensor::TensorView& in, const SilenceOptions& options) {
  return caught([&]() -> Result<SoundRegion> {
    const int64_t length = in.volume();
    if (length == 0) {
      return SoundRegion{};
    }
    const int64_t window = std::min(options.window, length);
    const int64_t windows = length - window + 1;
    memory::ScratchArray<double> sums(static_cast<size_t>(length + 1));
    tensor::visit_dtype(in.dtype(), [&](auto tag) {
      running_squares(in.as<typename decltype(tag)::type>(), length, sums.data());
    });
    if (!std::isfinite(sums[static_cast<size_t>(length)])) {
      return invalid_argument("the signal has samples that are NaN, infinite, or too large to be squared");
    }
    const auto power = [&](int64_t i) {
      return sums[static_cast<size_t>(i + window)] - sums[static_cast<size_t>(i)];
    };
    double reference = options.reference * static_cast<double>(window);
    if (options.reference == 0) {
      reference = largest_power(sums.data(), window, windows);
    }
    const double threshold = reference * std::pow(10.0, options.cutoff_db / 10);
    int64_t first = 0;
    while (first < windows && !(power(first) >= threshold)) {
      ++first;
    }
    int64_t last = windows - 1;
    while (last >= first && !(power(last) >= threshold)) {
      --last;
    }
    return first == windows ? SoundRegion{} : SoundRegion{first, last - first + window};
  });
}

}  // namespace forebay::kernels
