#include "forebay/operators/windows/random_crop.h"

#include <algorithm>
#include <cmath>

namespace forebay::operators {
namespace {

struct Extent {
  int64_t height = 0;
  int64_t width = 0;
};

/// The largest window whose ratio is in [least, most], shrunk to `max_area`.
Extent fallback(int64_t height, int64_t width, float least, float most, double max_area) {
  Extent window{height, width};
  const double ratio = static_cast<double>(width) / static_cast<double>(height);
  if (ratio > most) {
    window.width = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(height) * most));
  } else if (ratio < least) {
    window.height = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(width) / least));
  }
  const double area = static_cast<double>(window.height) * static_cast<double>(window.width);
  const double scale = std::sqrt(std::min(1.0, max_area / area));
  window.width = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(window.width) * scale));
  window.height = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(window.height) * scale));
  return window;
}

}  // namespace

Status RandomCropArguments::check() const {
  const auto is_range = [](const std::vector<float>& range) {
    return range.size() == 2 && range[0] > 0 && range[0] <= range[1] && std::isfinite(range[1]);
  };
  if (!is_range(random_aspect_ratio)) {
    return invalid_argument("random_aspect_ratio must be two numbers, 0 < least <= most");
  }
  if (!is_range(random_area) || random_area[1] > 1) {
    return invalid_argument("random_area must be two numbers, 0 < least <= most <= 1");
  }
  if (num_attempts < 1) {
    return invalid_argument("num_attempts is {}, at least 1 is needed", num_attempts);
  }
  return ok_status();
}

CropWindow RandomCropArguments::draw(RandomStream random, int64_t height, int64_t width) const {
  if (height <= 0 || width <= 0) {
    return {};
  }
  const float least = random_aspect_ratio[0];
  const float most = random_aspect_ratio[1];
  const double image_area = static_cast<double>(height) * static_cast<double>(width);
  const double min_area = image_area * random_area[0];
  const double max_area = image_area * random_area[1];
  const auto max_width = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(height) * most));
  const auto max_height = std::max<int64_t>(1, static_cast<int64_t>(static_cast<double>(width) / least));
  Extent window;
  if (static_cast<double>(height) * static_cast<double>(max_width) < min_area) {
    window = {height, max_width};  // too wide for any allowed window
  } else if (static_cast<double>(width) * static_cast<double>(max_height) < min_area) {
    window = {max_height, width};
  } else {
    const float log_least = std::log(least);
    const float log_most = std::log(most);
    bool is_found = false;
    for (int64_t attempt = 0; attempt < num_attempts && !is_found; ++attempt) {
      const double area = image_area * random.uniform(random_area[0], random_area[1]);
      const double ratio = std::exp(static_cast<double>(random.uniform(log_least, log_most)));
      window.width = std::max<int64_t>(1, std::llround(std::sqrt(area * ratio)));
      window.height = std::max<int64_t>(1, std::llround(std::sqrt(area / ratio)));
      const float rounded_ratio = static_cast<float>(window.width) / static_cast<float>(window.height);
      is_found =
          window.width <= width && window.height <= height && rounded_ratio >= least && rounded_ratio <= most;
    }
    if (!is_found) {
      window = fallback(height, width, least, most, max_area);
    }
  }
  CropWindow drawn{0, 0, window.height, window.width};
  drawn.y = static_cast<int64_t>(random.below(static_cast<uint64_t>(height - window.height) + 1));
  drawn.x = static_cast<int64_t>(random.below(static_cast<uint64_t>(width - window.width) + 1));
  return drawn;
}

}  // namespace forebay::operators
