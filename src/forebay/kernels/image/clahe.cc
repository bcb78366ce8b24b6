#include "forebay/kernels/image/clahe.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "forebay/base/caught.h"
#include "forebay/kernels/filters/filter_lines.h"
#include "forebay/kernels/generic/border.h"
#include "forebay/kernels/image/clahe_rows.h"
#include "forebay/kernels/image/lab.h"
#include "forebay/memory/host/scratch.h"

namespace forebay::kernels {
namespace {

using memory::ScratchArray;
using tensor::DType;
using tensor::MutableTensorView;
using tensor::TensorView;

constexpr size_t kLevels = 256;
constexpr int64_t kMaxTiles = int64_t{1} << 20;
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

/// The tile before a pixel, -1 where there is none, and the weight of the one behind.
struct Between {
  int64_t before;
  float weight;
};

Between between_tiles(int64_t at, int64_t length) {
  const float place = static_cast<float>(at) * (1.0f / static_cast<float>(length)) - 0.5f;
  const float whole = std::floor(place);
  return {static_cast<int64_t>(whole), place - whole};
}

/// The levels of two rows of tiles, as blend_tiles() takes them: each pair of neighbours, and a pair of the
/// same tile before the first and behind the last.
void pair_tiles(const uint8_t* upper, const uint8_t* lower, int64_t across, uint32_t* pairs) {
  for (int64_t pair = 0; pair <= across; ++pair) {
    const int64_t left = std::max<int64_t>(pair - 1, 0) * static_cast<int64_t>(kLevels);
    const int64_t right = std::min(pair, across - 1) * static_cast<int64_t>(kLevels);
    for (int64_t level = 0; level < static_cast<int64_t>(kLevels); ++level) {
      *pairs++ = uint32_t{upper[left + level]} | uint32_t{upper[right + level]} << 8 |
                 uint32_t{lower[left + level]} << 16 | uint32_t{lower[right + level]} << 24;
    }
  }
}

/// What blend_tiles() needs for the rows of a plane.
class RowsOfTiles {
 public:
  RowsOfTiles(const Plane& plane, const Tiles& tiles)
      : plane_(plane),
        tiles_(tiles),
        levels_(static_cast<size_t>(tiles.across * tiles.down) * kLevels),
        pairs_(static_cast<size_t>(tiles.across + 1) * kLevels),
        firsts_(padded(plane.width)),
        weights_(padded(plane.width)),
        in_(padded(plane.width)),
        out_(padded(plane.width)) {
    set_levels(plane, tiles, levels_.data());
    std::fill_n(firsts_.data(), padded(plane.width), 0);
    std::fill_n(weights_.data(), padded(plane.width), 0.0f);
    std::fill_n(in_.data(), padded(plane.width), uint8_t{0});
    for (int64_t x = 0; x < plane.width; ++x) {
      const Between column = between_tiles(x, tiles.width);
      firsts_[static_cast<size_t>(x)] =
          static_cast<int32_t>((column.before + 1) * static_cast<int64_t>(kLevels));
      weights_[static_cast<size_t>(x)] = column.weight;
    }
  }

  void equalize(int64_t y) {
    const Between rows = between_tiles(y, tiles_.height);
    if (rows.before != paired_) {
      paired_ = rows.before;
      pair_tiles(row_of_levels(std::max<int64_t>(rows.before, 0)),
                 row_of_levels(std::min(rows.before + 1, tiles_.down - 1)), tiles_.across, pairs_.data());
    }
    const uint8_t* from = plane_.in + y * plane_.width * plane_.step;
    uint8_t* to = plane_.out + y * plane_.width * plane_.step;
    for (int64_t x = 0; x < plane_.width; ++x) {
      in_[static_cast<size_t>(x)] = from[x * plane_.step];
    }
    blend_tiles(in_.data(), plane_.width, {pairs_.data(), firsts_.data(), weights_.data(), rows.weight},
                out_.data());
    for (int64_t x = 0; x < plane_.width; ++x) {
      to[x * plane_.step] = out_[static_cast<size_t>(x)];
    }
  }

 private:
  static size_t padded(int64_t width) {
    return static_cast<size_t>((width + kRowOfTilesMultiple - 1) / kRowOfTilesMultiple * kRowOfTilesMultiple);
  }
  const uint8_t* row_of_levels(int64_t row) const {
    return levels_.data() + row * tiles_.across * static_cast<int64_t>(kLevels);
  }

  const Plane& plane_;
  const Tiles& tiles_;
  ScratchArray<uint8_t> levels_;
  ScratchArray<uint32_t> pairs_;
  ScratchArray<int32_t> firsts_;
  ScratchArray<float> weights_;
  ScratchArray<uint8_t> in_;
  ScratchArray<uint8_t> out_;
  int64_t paired_ = -2;  // the row of tiles before those of pairs_
};

void equalize_plane(const Plane& plane, const ClaheOptions& options) {
  const Tiles tiles = tiles_of(plane, options);
  RowsOfTiles rows(plane, tiles);
  for (int64_t y = 0; y < plane.height; ++y) {
    rows.equalize(y);
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
  if (options.tiles_x < 1 || options.tiles_y < 1 || options.tiles_x > kMaxTiles ||
      options.tiles_y > kMaxTiles || options.tiles_x * options.tiles_y > kMaxTiles) {
    return invalid_argument("{} x {} tiles; there are at least one and at most {}", options.tiles_x,
                            options.tiles_y, kMaxTiles);
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
