#include "forebay/dataset/fits/fits_tiles.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <utility>

#include "forebay/dataset/compression/unpack.h"
#include "forebay/dataset/fits/fits_dither.h"
#include "forebay/dataset/fits/fits_rice.h"
#include "forebay/memory/copy.h"

namespace forebay::dataset {
namespace {

// More than any of the codings gains, so that a few bytes cannot claim an image of any size.
constexpr uint64_t kMaxGain = 1100;
constexpr int64_t kNoValue = -2147483647;
constexpr int64_t kExactZero = -2147483646;

uint64_t big_endian(const std::byte* from, size_t bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes; ++i) {
    value = value << 8 | static_cast<uint64_t>(from[i]);
  }
  return value;
}

void put_big_endian(uint64_t value, size_t bytes, std::byte* to) {
  for (size_t i = bytes; i > 0; --i) {
    to[i - 1] = static_cast<std::byte>(value);
    value >>= 8;
  }
}

/// Unpacks the tiles of one image.
class TileUnpacker {
 public:
  explicit TileUnpacker(const FitsTiles& tiles)
      : tiles_(tiles), element_(static_cast<size_t>(std::abs(tiles.bits)) / 8) {}

  Result<std::vector<std::byte>> image() {
    const auto volume = static_cast<uint64_t>(tiles_.shape.volume());
    if (volume * element_ > kMaxGain * (tiles_.table.size() + tiles_.heap.size()) + 4096) {
      return data_loss("an image of {} in {} bytes of tiles", tiles_.shape.to_string(), tiles_.heap.size());
    }
    image_.resize(volume * element_);
    tensor::Shape begin = tiles_.shape;
    std::fill_n(&begin[0], begin.rank(), 0);
    for (uint64_t row = 0; volume > 0; ++row) {
      FOREBAY_RETURN_IF_ERROR(annotate(unpack_tile(row, begin), fmt::format("tile {}", row + 1)));
      if (!step(&begin)) {
        break;
      }
    }
    return std::move(image_);
  }

 private:
  /// To the next tile; false behind the last one.
  bool step(tensor::Shape* begin) const {
    for (int axis = begin->rank() - 1; axis >= 0; --axis) {
      (*begin)[axis] += tiles_.tile[axis];
      if ((*begin)[axis] < tiles_.shape[axis]) {
        return true;
      }
      (*begin)[axis] = 0;
    }
    return false;
  }

  /// What a column of pointers has in the heap; empty if the column is not there.
  Result<Bytes> bytes_of(const std::optional<FitsColumn>& column, uint64_t row) const {
    if (!column) {
      return Bytes();
    }
    const std::byte* const at = tiles_.table.data() + row * tiles_.row_bytes + column->offset_bytes;
    const size_t word = column->type == 'P' ? 4 : 8;
    const uint64_t width = column->element == 'B' || column->element == 'L'   ? 1
                           : column->element == 'I'                           ? 2
                           : column->element == 'D' || column->element == 'K' ? 8
                                                                              : 4;
    const uint64_t count = big_endian(at, word);
    const uint64_t offset = big_endian(at + word, word);
    if (count > tiles_.heap.size() / width || offset > tiles_.heap.size() ||
        count * width > tiles_.heap.size() - offset) {
      return data_loss("{} elements at {} are not in a heap of {} bytes", count, offset, tiles_.heap.size());
    }
    return tiles_.heap.subspan(offset, count * width);
  }

  double number_of(const std::optional<FitsColumn>& column, uint64_t row, double otherwise) const {
    if (!column) {
      return otherwise;
    }
    const std::byte* const at = tiles_.table.data() + row * tiles_.row_bytes + column->offset_bytes;
    switch (column->type) {
      case 'D':
        return std::bit_cast<double>(big_endian(at, 8));
      case 'E':
        return std::bit_cast<float>(static_cast<uint32_t>(big_endian(at, 4)));
      case 'J':
        return static_cast<int32_t>(big_endian(at, 4));
      case 'K':
        return static_cast<double>(static_cast<int64_t>(big_endian(at, 8)));
      default:
        return static_cast<int16_t>(big_endian(at, 2));
    }
  }

  Status unpack_tile(uint64_t row, const tensor::Shape& begin) {
    if (row >= tiles_.rows) {
      return data_loss("the table has {} rows", tiles_.rows);
    }
    tensor::Shape extent = tiles_.shape;
    for (int axis = 0; axis < extent.rank(); ++axis) {
      extent[axis] = std::min(tiles_.tile[axis], tiles_.shape[axis] - begin[axis]);
    }
    const auto count = static_cast<uint64_t>(extent.volume());
    tile_.resize(count * element_);
    FOREBAY_ASSIGN_OR_RETURN(const Bytes packed, bytes_of(tiles_.packed, row));
    FOREBAY_ASSIGN_OR_RETURN(const Bytes by_gzip, bytes_of(tiles_.packed_by_gzip, row));
    FOREBAY_ASSIGN_OR_RETURN(const Bytes plain, bytes_of(tiles_.plain, row));
    if (!packed.empty()) {
      FOREBAY_RETURN_IF_ERROR(tiles_.is_quantized ? unpack_quantized(packed, row, count)
                                                  : unpack_exact(packed, count));
    } else if (!by_gzip.empty()) {
      FOREBAY_RETURN_IF_ERROR(unpack(Compression::kGzip, by_gzip, tile_));
    } else {
      FOREBAY_RETURN_IF_ERROR(unpack(Compression::kNone, plain, tile_));
    }
    place(begin, extent);
    return ok_status();
  }

  /// `element`: bytes of a value.
  Status unpack_by_gzip(Bytes packed, size_t element, std::vector<std::byte>* out) {
    FOREBAY_RETURN_IF_ERROR(unpack(Compression::kGzip, packed, *out));
    if (tiles_.method == FitsTiles::Method::kGzipShuffled) {  // the first bytes of all values come first
      const std::vector<std::byte> shuffled = *out;
      const size_t count = out->size() / element;
      for (size_t i = 0; i < out->size(); ++i) {
        (*out)[i % count * element + i / count] = shuffled[i];
      }
    }
    return ok_status();
  }

  Result<std::vector<int32_t>> unpack_by_rice(Bytes packed, uint64_t count) const {
    std::vector<int32_t> values(count);
    FOREBAY_RETURN_IF_ERROR(unpack_rice(packed, tiles_.rice_bytes, tiles_.rice_block, values));
    return values;
  }

  Status unpack_exact(Bytes packed, uint64_t count) {
    if (tiles_.method == FitsTiles::Method::kNone) {
      return unpack(Compression::kNone, packed, tile_);
    }
    if (tiles_.method != FitsTiles::Method::kRice) {
      return unpack_by_gzip(packed, element_, &tile_);
    }
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int32_t> values, unpack_by_rice(packed, count));
    for (uint64_t i = 0; i < count; ++i) {
      put_big_endian(static_cast<uint64_t>(static_cast<int64_t>(values[i])), element_,
                     tile_.data() + i * element_);
    }
    return ok_status();
  }

  Result<std::vector<int32_t>> quantized_values(Bytes packed, uint64_t count) {
    if (tiles_.method == FitsTiles::Method::kRice) {
      return unpack_by_rice(packed, count);
    }
    std::vector<std::byte> bytes(count * sizeof(int32_t));
    if (tiles_.method == FitsTiles::Method::kNone) {
      FOREBAY_RETURN_IF_ERROR(unpack(Compression::kNone, packed, bytes));
    } else {
      FOREBAY_RETURN_IF_ERROR(unpack_by_gzip(packed, sizeof(int32_t), &bytes));
    }
    std::vector<int32_t> values(count);
    for (uint64_t i = 0; i < count; ++i) {
      values[i] = static_cast<int32_t>(big_endian(bytes.data() + i * sizeof(int32_t), sizeof(int32_t)));
    }
    return values;
  }

  Status unpack_quantized(Bytes packed, uint64_t row, uint64_t count) {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<int32_t> values, quantized_values(packed, count));
    const double scale = number_of(tiles_.scales, row, tiles_.scale);
    const double zero = number_of(tiles_.zeros, row, tiles_.zero);
    const auto otherwise = static_cast<double>(tiles_.blank.value_or(kNoValue));
    const double blank = number_of(tiles_.blanks, row, otherwise);  // of a column that may hold anything
    FitsDither dither(row, tiles_.dither_seed);
    for (uint64_t i = 0; i < count; ++i) {
      const double shift = tiles_.dither == FitsTiles::Dither::kNone ? 0 : 0.5 - dither.next();
      double value = (values[i] + shift) * scale + zero;
      if (values[i] == blank) {
        value = std::numeric_limits<double>::quiet_NaN();
      } else if (tiles_.dither == FitsTiles::Dither::kSecond && values[i] == kExactZero) {
        value = 0;
      }
      const uint64_t bits =
          element_ == 4 ? std::bit_cast<uint32_t>(static_cast<float>(value)) : std::bit_cast<uint64_t>(value);
      put_big_endian(bits, element_, tile_.data() + i * element_);
    }
    return ok_status();
  }

  /// Copies the tile's rows to where they are in the image.
  void place(const tensor::Shape& begin, const tensor::Shape& extent) {
    const int last = extent.rank() - 1;
    const uint64_t run = static_cast<uint64_t>(extent[last]) * element_;
    const int64_t runs = extent.volume(0, last);
    for (int64_t number = 0; number < runs; ++number) {
      int64_t rest = number;
      int64_t stride = tiles_.shape[last];
      int64_t to = begin[last];
      for (int axis = last - 1; axis >= 0; --axis) {
        to += (begin[axis] + rest % extent[axis]) * stride;
        rest /= extent[axis];
        stride *= tiles_.shape[axis];
      }
      memory::copy(image_.data() + static_cast<uint64_t>(to) * element_,
                   tile_.data() + static_cast<uint64_t>(number) * run, run);
    }
  }

  const FitsTiles& tiles_;
  const size_t element_;
  std::vector<std::byte> tile_;
  std::vector<std::byte> image_;
};

}  // namespace

Result<std::vector<std::byte>> unpack_fits_tiles(const FitsTiles& tiles) {
  return TileUnpacker(tiles).image();
}

}  // namespace forebay::dataset
