#include "forebay/dataset/fits/fits_image.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/dataset/fits/fits_header.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kBlockBytes = 2880;
constexpr uint64_t kMaxCards = 36 * 1000;
constexpr int64_t kMaxUnits = 10000;
constexpr uint64_t kMaxDataBytes = uint64_t{1} << 60;

uint64_t whole_blocks(uint64_t bytes) {
  return (bytes + kBlockBytes - 1) / kBlockBytes * kBlockBytes;
}

/// The cards before END.
Result<std::string_view> cards_at(Bytes file, uint64_t offset) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()) + offset, file.size() - offset);
  for (uint64_t card = 0; card < kMaxCards && (card + 1) * kFitsCardBytes <= text.size(); ++card) {
    if (text.substr(card * kFitsCardBytes, 8) == "END     ") {
      return text.substr(0, card * kFitsCardBytes);
    }
  }
  return data_loss("not a FITS file, or a header without end, at byte {}", offset);
}

Status set_kind(const FitsHeader& header, uint64_t offset, FitsUnit& unit) {
  if (offset == 0) {
    unit.is_image = header.value("SIMPLE") == "T";
    return unit.is_image ? ok_status() : data_loss("not a FITS file");
  }
  const std::optional<std::string_view> kind = header.value("XTENSION");
  if (!kind) {
    return data_loss("a unit of a FITS file without XTENSION, at byte {}", offset);
  }
  unit.is_image = kind->starts_with("'IMAGE");
  unit.is_compressed = header.value("ZIMAGE") == "T";
  return ok_status();
}

/// The axes, the file's last one first, and the number of elements.
Result<uint64_t> set_axes(const FitsHeader& header, FitsUnit& unit) {
  FOREBAY_ASSIGN_OR_RETURN(const int64_t axes, header.number("NAXIS"));
  if (axes < 0 || axes > tensor::kMaxRank) {
    return unimplemented("a unit of {} axes; at most {} are read", axes, tensor::kMaxRank);
  }
  for (int64_t axis = axes; axis > 0; --axis) {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t extent, header.number("NAXIS" + std::to_string(axis)));
    unit.shape.push_back(extent);
  }
  const std::optional<int64_t> volume = unit.shape.checked_volume();
  if (!volume) {
    return data_loss("the shape {} is larger than any file", unit.shape.to_string());
  }
  return axes == 0 ? 0 : static_cast<uint64_t>(*volume);
}

template <class Stored>
Stored stored_at(const std::byte* from) {
  std::make_unsigned_t<
      std::conditional_t<sizeof(Stored) == 1, uint8_t,
                         std::conditional_t<sizeof(Stored) == 2, uint16_t,
                                            std::conditional_t<sizeof(Stored) == 4, uint32_t, uint64_t>>>>
      bits;
  std::memcpy(&bits, from, sizeof(bits));
  if constexpr (sizeof(bits) == 2) {
    bits = __builtin_bswap16(bits);
  } else if constexpr (sizeof(bits) == 4) {
    bits = __builtin_bswap32(bits);
  } else if constexpr (sizeof(bits) == 8) {
    bits = __builtin_bswap64(bits);
  }
  return std::bit_cast<Stored>(bits);
}

/// What is stored, as it is or with its highest bit turned over, which adds or takes half the range.
template <class Stored, class Value>
void copy_values(const std::byte* from, std::span<Value> values) {
  for (Value& value : values) {
    if constexpr (std::is_same_v<Stored, Value>) {
      value = stored_at<Stored>(from);
    } else {
      constexpr Value kHighest = static_cast<Value>(Value{1} << (sizeof(Value) * 8 - 1));
      value = static_cast<Value>(static_cast<Value>(stored_at<Stored>(from)) ^ kHighest);
    }
    from += sizeof(Stored);
  }
}

template <class Stored, class Value>
void scale_values(const std::byte* from, const FitsUnit& unit, std::span<Value> values) {
  for (Value& value : values) {
    value = static_cast<Value>(unit.zero + unit.scale * static_cast<double>(stored_at<Stored>(from)));
    from += sizeof(Stored);
  }
}

template <class Stored, class Twin>
void fill_integers(const std::byte* from, const FitsUnit& unit, const tensor::MutableTensorView& out) {
  if (out.dtype() == tensor::kDTypeOf<Stored>) {
    copy_values<Stored>(from, out.span<Stored>());
  } else if (out.dtype() == tensor::kDTypeOf<Twin>) {
    copy_values<Stored>(from, out.span<Twin>());
  } else if (out.dtype() == tensor::DType::kFloat) {
    scale_values<Stored>(from, unit, out.span<float>());
  } else {
    scale_values<Stored>(from, unit, out.span<double>());
  }
}

template <class Stored>
void fill_floats(const std::byte* from, const FitsUnit& unit, std::span<Stored> values) {
  if (unit.scale == 1 && unit.zero == 0) {
    copy_values<Stored>(from, values);
  } else {
    scale_values<Stored>(from, unit, values);
  }
}

void fill(const std::byte* from, const FitsUnit& unit, const tensor::MutableTensorView& out) {
  switch (unit.bits) {
    case 8:
      return fill_integers<uint8_t, int8_t>(from, unit, out);
    case 16:
      return fill_integers<int16_t, uint16_t>(from, unit, out);
    case 32:
      return fill_integers<int32_t, uint32_t>(from, unit, out);
    case 64:
      return fill_integers<int64_t, uint64_t>(from, unit, out);
    case -32:
      return fill_floats<float>(from, unit, out.span<float>());
    default:
      return fill_floats<double>(from, unit, out.span<double>());
  }
}

/// The unit is the image that lies in the tiles, from now on.
void take_tiles(const FitsHeader& header, Bytes data, FitsUnit& unit) {
  Result<FitsTiles> tiles = parse_fits_tiles(header, data);
  if (!tiles.ok()) {
    unit.problem = tiles.status();
    return;
  }
  unit.bits = tiles->bits;
  unit.shape = tiles->shape;
  unit.tiles = std::make_shared<const FitsTiles>(*std::move(tiles));
}

}  // namespace

tensor::DType FitsUnit::dtype() const {
  using tensor::DType;
  const bool is_plain = scale == 1 && zero == 0;
  const double half = std::ldexp(1.0, static_cast<int>(std::abs(bits)) - 1);
  const bool is_twin = scale == 1 && zero == (bits == 8 ? -half : half);
  switch (bits) {
    case 8:
      return is_plain ? DType::kUint8 : is_twin ? DType::kInt8 : DType::kFloat;
    case 16:
      return is_plain ? DType::kInt16 : is_twin ? DType::kUint16 : DType::kFloat;
    case 32:
      return is_plain ? DType::kInt32 : is_twin ? DType::kUint32 : DType::kFloat64;
    case 64:
      return is_plain ? DType::kInt64 : is_twin ? DType::kUint64 : DType::kFloat64;
    case -32:
      return DType::kFloat;
    default:
      return DType::kFloat64;
  }
}

Result<FitsUnit> parse_fits_unit(Bytes file, uint64_t offset) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string_view cards, cards_at(file, offset));
  const FitsHeader header(cards);
  FitsUnit unit;
  FOREBAY_RETURN_IF_ERROR(set_kind(header, offset, unit));
  FOREBAY_ASSIGN_OR_RETURN(unit.bits, header.element_bits("BITPIX"));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t elements, set_axes(header, unit));
  FOREBAY_ASSIGN_OR_RETURN(unit.scale, header.real_or("BSCALE", 1));
  FOREBAY_ASSIGN_OR_RETURN(unit.zero, header.real_or("BZERO", 0));
  FOREBAY_ASSIGN_OR_RETURN(const int64_t behind, header.number_or("PCOUNT", 0));
  FOREBAY_ASSIGN_OR_RETURN(const int64_t groups, header.number_or("GCOUNT", 1));
  if (behind < 0 || groups != 1) {
    return unimplemented("a unit in {} groups", groups);
  }
  const uint64_t element = static_cast<uint64_t>(std::abs(unit.bits)) / 8;
  if (elements > kMaxDataBytes / element || static_cast<uint64_t>(behind) > kMaxDataBytes / element) {
    return data_loss("a unit larger than any file");
  }
  unit.data_offset = offset + whole_blocks(cards.size() + kFitsCardBytes);
  unit.data_bytes = elements * element;
  const uint64_t with_heap = (elements + static_cast<uint64_t>(behind)) * element;
  if (unit.data_offset > file.size() || with_heap > file.size() - unit.data_offset) {
    return data_loss("a unit of {} bytes from {} on, in a file of {}", with_heap, unit.data_offset,
                     file.size());
  }
  unit.end = unit.data_offset + whole_blocks(with_heap);
  if (unit.is_compressed) {
    take_tiles(header, file.subspan(unit.data_offset, with_heap), unit);
  }
  return unit;
}

Result<std::vector<FitsUnit>> find_fits_units(Bytes file, std::span<const int64_t> numbers) {
  std::vector<FitsUnit> found(numbers.size());
  const int64_t last = numbers.empty() ? 0 : *std::ranges::max_element(numbers);
  uint64_t offset = 0;
  for (int64_t number = 1; number <= std::min(last, kMaxUnits); ++number) {
    if (number > 1 && offset >= file.size()) {
      return not_found("a FITS file of {} units has no unit {}", number - 1, last);
    }
    FOREBAY_ASSIGN_OR_RETURN(const FitsUnit unit, parse_fits_unit(file, offset));
    for (size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] == number) {
        found[i] = unit;
      }
    }
    offset = unit.end;
  }
  return found;
}

Result<tensor::Tensor> fits_image(Bytes file, const FitsUnit& unit) {
  FOREBAY_RETURN_IF_ERROR(unit.problem);
  if ((!unit.is_image && !unit.is_compressed) || unit.shape.rank() == 0) {
    return unimplemented("a unit of a FITS file that holds no image");
  }
  std::vector<std::byte> unpacked;
  if (unit.is_compressed) {
    FOREBAY_ASSIGN_OR_RETURN(unpacked, unpack_fits_tiles(*unit.tiles));
  }
  FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor image, tensor::Tensor::allocate({unit.shape, unit.dtype(), {}}));
  fill(unit.is_compressed ? unpacked.data() : file.data() + unit.data_offset, unit, image.mutable_view());
  return image;
}

}  // namespace forebay::dataset
