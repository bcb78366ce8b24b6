#include "forebay/kernels/image/clahe.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "forebay/base/caught.h"
#include "forebay/kernels/filters/filter_lines.h"
#include "forebay/kernels/generic/border.h"
#include "forebay/kernels/image/lab.h"
#include "forebay/memory/scratch.h"

namespace forebay::kernels {
namespace {

using memory::ScratchArray;
using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

constexpr size_t kLevels = 256;
constexpr int64_t kMostTiles = int64_t{1} << 20;
using Histogram = std::array<int64_t, kLevels>;

/// One channel among `step`.
struct Plane {
  const uint8_t* in;
  uint8_t* out;
  int64_t height, width, step;
};

struct Tiles {
  int64_t across, down;
  int64_t width, height;  // of one
  int64_t limit;          // of a level's count; 0: none
  float scale;            // from counts to levels
};

Tiles tiles_of(const Plane& plane, const ClaheOptions& options) {
  Tiles tiles{
      options.tiles_x, options.tiles_y, plane.width / options.tiles_x, plane.height / options.tiles_y, 0, 0};
  if (plane.width % tiles.across != 0 || plane.height % tiles.down != 0) {
    // Both sides are made longer, one that fits by a whole tile's count.
    ++tiles.width;
    ++tiles.height;
  }
  const auto area = static_cast<float>(tiles.width * tiles.height);
  tiles.scale = static_cast<float>(kLevels - 1) / area;
  if (options.clip_limit > 0) {
    const double limit = static_cast<double>(options.clip_limit) *
                         static_cast<double>(tiles.width * tiles.height) / static_cast<double>(kLevels);
    tiles.limit = std::max<int64_t>(1, static_cast<int64_t>(std::min(limit, 1e15)));
  }
  return tiles;
}

Histogram histogram_of(const Plane& plane, const Tiles& tiles, int64_t tile_y, int64_t tile_x) {
  Histogram histogram{};
  for (int64_t y = tile_y * tiles.height; y < (tile_y + 1) * tiles.height; ++y) {
    const uint8_t* row =
        plane.in + border_place(Border::kReflect101, y, plane.height) * plane.width * plane.step;
    const int64_t start = tile_x * tiles.width;
    const int64_t inside = std::clamp(plane.width, start, start + tiles.width);
    for (int64_t x = start; x < inside; ++x) {
      ++histogram[row[x * plane.step]];
    }
    for (int64_t x = inside; x < start + tiles.width; ++x) {
      ++histogram[row[border_place(Border::kReflect101, x, plane.width) * plane.step]];
    }
  }
  return histogram;
}

/// Cuts counts off at the limit and spreads what was cut over all levels.
void clip(Histogram& histogram, int64_t limit) {
  int64_t cut = 0;
  for (int64_t& count : histogram) {
    cut += std::max<int64_t>(0, count - limit);
    count = std::min(count, limit);
  }
  const auto levels = static_cast<int64_t>(kLevels);
  for (int64_t& count : histogram) {
    count += cut / levels;
  }
  int64_t rest = cut % levels;
  const int64_t step = rest == 0 ? levels : std::max<int64_t>(levels / rest, 1);
  for (int64_t level = 0; level < levels && rest > 0; level += step, --rest) {
    ++histogram[static_cast<size_t>(level)];
  }
}

void set_levels(const Plane& plane, const Tiles& tiles, uint8_t* levels) {
  for (int64_t tile = 0; tile < tiles.down * tiles.across; ++tile, levels += kLevels) {
    Histogram histogram = histogram_of(plane, tiles, tile / tiles.across, tile % tiles.across);
    if (tiles.limit > 0) {
      clip(histogram, tiles.limit);
    }
    int64_t sum = 0;
    for (size_t level = 0; level < kLevels; ++level) {
      sum += histogram[level];
      levels[level] = convert_to_even<uint8_t>(static_cast<float>(sum) * tiles.scale);
    }
  }
}

/// The tiles before and behind a pixel, and the weight of the latter.
struct Between {
  int64_t before, after;
  float weight;
};

Between between_tiles(int64_t at, int64_t length, int64_t count) {
  const float place = static_cast<float>(at) * (1.0f / static_cast<float>(length)) - 0.5f;
  const float whole = std::floor(place);
  const auto before = static_cast<int64_t>(whole);
  return {std::max<int64_t>(before, 0), std::min(before + 1, count - 1), place - whole};
}

void equalize_plane(const Plane& plane, const ClaheOptions& options) {
  const Tiles tiles = tiles_of(plane, options);
  ScratchArray<uint8_t> levels(static_cast<size_t>(tiles.across * tiles.down) * kLevels);
  ScratchArray<Between> columns(static_cast<size_t>(plane.width));
  set_levels(plane, tiles, levels.data());
  for (int64_t x = 0; x < plane.width; ++x) {
    columns[static_cast<size_t>(x)] = between_tiles(x, tiles.width, tiles.across);
  }
  for (int64_t y = 0; y < plane.height; ++y) {
    const Between rows = between_tiles(y, tiles.height, tiles.down);
    const uint8_t* upper = levels.data() + rows.before * tiles.across * static_cast<int64_t>(kLevels);
    const uint8_t* lower = levels.data() + rows.after * tiles.across * static_cast<int64_t>(kLevels);
    for (int64_t x = 0; x < plane.width; ++x) {
      const Between& column = columns[static_cast<size_t>(x)];
      const int64_t at = (y * plane.width + x) * plane.step;
      const int64_t left = column.before * static_cast<int64_t>(kLevels) + plane.in[at];
      const int64_t right = column.after * static_cast<int64_t>(kLevels) + plane.in[at];
      const float rest = 1.0f - column.weight;
      const float above =
          static_cast<float>(upper[left]) * rest + static_cast<float>(upper[right]) * column.weight;
      const float below =
          static_cast<float>(lower[left]) * rest + static_cast<float>(lower[right]) * column.weight;
      plane.out[at] = convert_to_even<uint8_t>(above * (1.0f - rows.weight) + below * rows.weight);
    }
  }
}

void equalize_lightness(const TensorView& in, const ClaheOptions& options, const MutableTensorView& out) {
  const int64_t pixels = in.volume() / 3;
  ScratchArray<uint8_t> lab(static_cast<size_t>(in.volume()));
  rgb_to_lab(in.as<uint8_t>(), pixels, lab.data());
  ScratchArray<uint8_t> lightness(static_cast<size_t>(pixels));
  for (int64_t i = 0; i < pixels; ++i) {
    lightness[static_cast<size_t>(i)] = lab[static_cast<size_t>(3 * i)];
  }
  ScratchArray<uint8_t> equal(static_cast<size_t>(pixels));
  equalize_plane({lightness.data(), equal.data(), in.shape()[0], in.shape()[1], 1}, options);
  for (int64_t i = 0; i < pixels; ++i) {
    lab[static_cast<size_t>(3 * i)] = equal[static_cast<size_t>(i)];
  }
  lab_to_rgb(lab.data(), pixels, out.as<uint8_t>());
}

}  // namespace

Status clahe(const TensorView& in, const ClaheOptions& options, const MutableTensorView& out) {
  const bool is_image = in.shape().rank() == 3 && in.shape() == out.shape() && in.dtype() == DType::kUint8 &&
                        out.dtype() == DType::kUint8 && (in.shape()[2] == 1 || in.shape()[2] == 3);
  if (!is_image) {
    return invalid_argument("histograms are equalized in UINT8 images of one or three channels, not in {}",
                            in.spec.to_string());
  }
  if (options.tiles_x < 1 || options.tiles_y < 1 || options.tiles_x > kMostTiles ||
      options.tiles_y > kMostTiles || options.tiles_x * options.tiles_y > kMostTiles) {
    return invalid_argument("{} x {} tiles; there are at least one and at most {}", options.tiles_x,
                            options.tiles_y, kMostTiles);
  }
  if (in.volume() == 0) {
    return ok_status();
  }
  return caught([&] {
    if (in.shape()[2] == 3 && options.is_lightness_only) {
      equalize_lightness(in, options, out);
      return ok_status();
    }
    for (int64_t channel = 0; channel < in.shape()[2]; ++channel) {
      equalize_plane({in.as<uint8_t>() + channel, out.as<uint8_t>() + channel, in.shape()[0], in.shape()[1],
                      in.shape()[2]},
                     options);
    }
    return ok_status();
  });
}

}  // namespace forebay::kernels
