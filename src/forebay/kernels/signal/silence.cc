#include "forebay/kernels/signal/silence.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/kernels/generic/convert.h"
#include "forebay/memory/host/scratch.h"

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

// The sums begin anew after so many windows, so that one loud sample does not hide what is behind it.
constexpr int64_t kWindowsOfBlock = int64_t{1} << 16;

/// The powers of a signal's windows, a block at a time.
class WindowPowers {
 public:
  WindowPowers(const tensor::TensorView& in, int64_t window)
      : in_(in),
        window_(window),
        windows_(in.volume() - window + 1),
        of_block_(std::max(kWindowsOfBlock, window)),
        sums_(static_cast<size_t>(std::min(of_block_, windows_) + window)) {}

  int64_t blocks() const { return (windows_ + of_block_ - 1) / of_block_; }
  int64_t first_of(int64_t block) const { return block * of_block_; }
  int64_t windows_of(int64_t block) const { return std::min(of_block_, windows_ - first_of(block)); }

  /// sums[i + window] - sums[i] is the power of the block's window i.
  const double* sums_of(int64_t block) {
    if (block == std::exchange(made_, block)) {
      return sums_.data();
    }
    tensor::visit_dtype(in_.dtype(), [&](auto tag) {
      using T = typename decltype(tag)::type;
      running_squares(in_.as<T>() + first_of(block), windows_of(block) + window_ - 1, sums_.data());
    });
    return sums_.data();
  }

 private:
  const tensor::TensorView& in_;
  const int64_t window_;
  const int64_t windows_;
  const int64_t of_block_;
  int64_t made_ = -1;  // the block whose sums are there
  memory::ScratchArray<double> sums_;
};

/// The largest power of a window; nullopt where a sample is not finite.
std::optional<double> largest_power(WindowPowers& powers, int64_t window) {
  double largest = 0;
  for (int64_t block = 0; block < powers.blocks(); ++block) {
    const double* const sums = powers.sums_of(block);
    const int64_t windows = powers.windows_of(block);
    if (!std::isfinite(sums[windows + window - 1])) {
      return std::nullopt;
    }
    largest = std::max(largest, largest_power(sums, window, windows));
  }
  return largest;
}

SoundRegion region_of(WindowPowers& powers, int64_t window, double threshold) {
  const auto is_loud = [&](const double* sums, int64_t i) { return sums[i + window] - sums[i] >= threshold; };
  int64_t first = -1;
  for (int64_t block = 0; block < powers.blocks() && first < 0; ++block) {
    const double* const sums = powers.sums_of(block);
    for (int64_t i = 0; i < powers.windows_of(block) && first < 0; ++i) {
      first = is_loud(sums, i) ? powers.first_of(block) + i : -1;
    }
  }
  if (first < 0) {
    return {};
  }
  for (int64_t block = powers.blocks() - 1; block >= 0; --block) {
    const double* const sums = powers.sums_of(block);
    for (int64_t i = powers.windows_of(block) - 1; i >= 0; --i) {
      if (is_loud(sums, i)) {
        return {first, powers.first_of(block) + i - first + window};
      }
    }
  }
  return {};
}

}  // namespace

Result<SoundRegion> nonsilent_region(const tensor::TensorView& in, const SilenceOptions& options) {
  return caught([&]() -> Result<SoundRegion> {
    const int64_t length = in.volume();
    if (length == 0) {
      return SoundRegion{};
    }
    const int64_t window = std::min(options.window, length);
    WindowPowers powers(in, window);
    const std::optional<double> largest = largest_power(powers, window);
    if (!largest) {
      return invalid_argument("the signal has samples that are NaN, infinite, or too large to be squared");
    }
    const double reference =
        options.reference == 0 ? *largest : options.reference * static_cast<double>(window);
    return region_of(powers, window, reference * std::pow(10.0, options.cutoff_db / 10));
  });
}

}  // namespace forebay::kernels
