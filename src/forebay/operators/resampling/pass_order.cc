#include "forebay/operators/resampling/pass_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace forebay::operators {
namespace {

using Passes = std::array<size_t, 3>;  // axes counted from the last: x, y, z

/// What DALI takes a pixel made along x, y and z to cost.
constexpr std::array<double, 3> kPixelCosts{1.1, 1.0, 1.05};

int64_t needed_pixels(const ResizedAxis& axis) {
  const auto behind = static_cast<int64_t>(std::ceil(std::max(axis.lo, axis.hi))) + 1;
  return std::clamp<int64_t>(behind, 0, axis.in_size) - first_pixel(axis);
}

double cost_of(std::span<const size_t> passes, std::span<const ResizedAxis> axes) {
  const auto axis = [&](size_t pass) -> const ResizedAxis& { return axes[axes.size() - 1 - pass]; };
  double pixels = 1;
  for (const size_t pass : passes) {
    pixels *= static_cast<double>(needed_pixels(axis(pass)));
  }
  double cost = 0;
  for (const size_t pass : passes) {
    pixels *= static_cast<double>(axis(pass).out_size) / static_cast<double>(needed_pixels(axis(pass)));
    cost += kPixelCosts[pass] * pixels;
  }
  return cost;
}

}  // namespace

int64_t first_pixel(const ResizedAxis& axis) {
  const auto pixel = static_cast<int64_t>(std::floor(std::min(axis.lo, axis.hi)));
  return std::clamp<int64_t>(pixel, 0, std::max<int64_t>(axis.in_size - 1, 0));
}

int first_pass(std::span<const ResizedAxis> axes) {
  Passes passes{0, 1, 2};
  const std::span<size_t> order(passes.data(), axes.size());
  double least = std::numeric_limits<double>::infinity();
  size_t first = 0;
  do {
    const double cost = cost_of(order, axes);
    if (cost < least) {
      least = cost;
      first = order[0];
    }
  } while (std::ranges::next_permutation(order).found);
  return static_cast<int>(axes.size() - 1 - first);
}

}  // namespace forebay::operators
