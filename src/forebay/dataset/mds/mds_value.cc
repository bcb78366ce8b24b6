#include "forebay/dataset/mds/mds_value.h"

#include <charconv>
#include <cstring>
#include <string>
#include <utility>

namespace forebay::dataset {
namespace {

using tensor::DType;

/// Numbers of element types in an array of no fixed type.
constexpr std::pair<uint8_t, DType> kArrayTypes[] = {
    {8, DType::kUint8},    {9, DType::kInt8},    {16, DType::kUint16}, {17, DType::kInt16},
    {18, DType::kFloat16}, {32, DType::kUint32}, {33, DType::kInt32},  {34, DType::kFloat},
    {64, DType::kUint64},  {65, DType::kInt64},  {66, DType::kFloat64}};

constexpr std::pair<std::string_view, DType> kTypeNames[] = {
    {"uint8", DType::kUint8}, {"int8", DType::kInt8},       {"uint16", DType::kUint16},
    {"int16", DType::kInt16}, {"float16", DType::kFloat16}, {"uint32", DType::kUint32},
    {"int32", DType::kInt32}, {"float32", DType::kFloat},   {"uint64", DType::kUint64},
    {"int64", DType::kInt64}, {"float64", DType::kFloat64}};

std::optional<DType> type_named(std::string_view name) {
  for (const auto& [known, dtype] : kTypeNames) {
    if (name == known) {
      return dtype;
    }
  }
  return std::nullopt;
}

Result<tensor::Shape> parse_shape(std::string_view text) {
  tensor::Shape shape;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    int64_t extent = 0;
    const auto [behind, error] = std::from_chars(at, end, extent);
    if (error != std::errc() || extent < 1 || shape.rank() == tensor::kMaxRank) {
      return invalid_argument("'{}' is not a shape of 1 to {} extents", text, tensor::kMaxRank);
    }
    shape.push_back(extent);
    if (behind == end) {
      return shape;
    }
    if (*behind != ',') {
      return invalid_argument("'{}' is not a shape", text);
    }
    at = behind + 1;
  }
}

Result<MdsEncoding> parse_array(std::string_view config) {
  MdsEncoding encoding{.kind = MdsKind::kArray};
  if (config.empty()) {
    return encoding;
  }
  const size_t colon = config.find(':');
  const std::string_view type = config.substr(0, colon);
  encoding.dtype = type_named(type);
  if (!encoding.dtype) {
    return invalid_argument("'{}' is not an element type", type);
  }
  if (colon != config.npos) {
    FOREBAY_ASSIGN_OR_RETURN(encoding.shape, parse_shape(config.substr(colon + 1)));
    const std::optional<int64_t> volume = encoding.shape->checked_volume();
    if (!volume || *volume > (int64_t{1} << 40)) {
      return invalid_argument("the shape {} is larger than any shard", encoding.shape->to_string());
    }
  }
  return encoding;
}

/// Takes bytes off the front.
Result<Bytes> take(Bytes* value, size_t size) {
  if (value->size() < size) {
    return data_loss("a value ends within its header");
  }
  const Bytes taken = value->first(size);
  *value = value->subspan(size);
  return taken;
}

Result<DType> take_type(Bytes* value) {
  FOREBAY_ASSIGN_OR_RETURN(const Bytes byte, take(value, 1));
  const auto number = static_cast<uint8_t>(byte[0]);
  for (const auto& [known, dtype] : kArrayTypes) {
    if (number == known) {
      return dtype;
    }
  }
  return data_loss("an array's element type is {}, which is none", number);
}

/// One byte has the rank and how wide the extents are, which follow.
Result<tensor::Shape> take_shape(Bytes* value) {
  FOREBAY_ASSIGN_OR_RETURN(const Bytes byte, take(value, 1));
  const auto head = static_cast<uint8_t>(byte[0]);
  const int rank = head >> 2;
  const size_t width = size_t{1} << (head & 3);
  if (rank > tensor::kMaxRank) {
    return unimplemented("an array of {} axes; at most {} are read", rank, tensor::kMaxRank);
  }
  FOREBAY_ASSIGN_OR_RETURN(const Bytes extents, take(value, static_cast<size_t>(rank) * width));
  tensor::Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    uint64_t extent = 0;
    std::memcpy(&extent, extents.data() + static_cast<size_t>(axis) * width, width);  // copy: at most 8 bytes
    shape.push_back(static_cast<int64_t>(extent));
  }
  return shape;
}

Result<MdsValue> split_array(const MdsEncoding& encoding, Bytes value) {
  MdsValue array;
  if (encoding.dtype) {
    array.spec.dtype = *encoding.dtype;
  } else {
    FOREBAY_ASSIGN_OR_RETURN(array.spec.dtype, take_type(&value));
  }
  if (encoding.shape) {
    array.spec.shape = *encoding.shape;
  } else {
    FOREBAY_ASSIGN_OR_RETURN(array.spec.shape, take_shape(&value));
  }
  const std::optional<int64_t> volume = array.spec.shape.checked_volume();
  const size_t element = tensor::size_of(array.spec.dtype);
  if (!volume || static_cast<uint64_t>(*volume) != value.size() / element || value.size() % element != 0) {
    return data_loss("an array of {} {} in {} bytes", array.spec.shape.to_string(),
                     tensor::name_of(array.spec.dtype), value.size());
  }
  array.elements = value;
  return array;
}

/// Channels of the modes of Pillow that have 8 bits each.
Result<int64_t> channels_of(std::string_view mode) {
  constexpr std::pair<std::string_view, int64_t> kModes[] = {{"L", 1},     {"LA", 2},   {"RGB", 3},
                                                             {"RGBA", 4},  {"RGBX", 4}, {"CMYK", 4},
                                                             {"YCbCr", 3}, {"HSV", 3},  {"LAB", 3}};
  for (const auto& [known, channels] : kModes) {
    if (mode == known) {
      return channels;
    }
  }
  return unimplemented(
      "a picture of Pillow's mode '{}'; modes of 8 bits a channel without a palette are read", mode);
}

Result<MdsValue> split_picture(Bytes value) {
  FOREBAY_ASSIGN_OR_RETURN(const Bytes head, take(&value, 12));
  uint32_t numbers[3];
  std::memcpy(numbers, head.data(), sizeof(numbers));
  FOREBAY_ASSIGN_OR_RETURN(const Bytes mode, take(&value, numbers[2]));
  FOREBAY_ASSIGN_OR_RETURN(const int64_t channels,
                           channels_of({reinterpret_cast<const char*>(mode.data()), mode.size()}));
  MdsValue picture;
  picture.spec.shape = {numbers[1], numbers[0], channels};
  picture.spec.layout = "HWC";
  const std::optional<int64_t> volume = picture.spec.shape.checked_volume();
  if (!volume || static_cast<uint64_t>(*volume) != value.size()) {
    return data_loss("a picture of {} in {} bytes", picture.spec.shape.to_string(), value.size());
  }
  picture.elements = value;
  return picture;
}

template <class T>
Result<tensor::Tensor> parse_number(std::string_view text) {
  T number{};
  const char* begin = text.data();
  const char* const end = begin + text.size();
  if (begin != end && *begin == '+') {
    ++begin;
  }
  const auto [behind, error] = std::from_chars(begin, end, number);
  if (error != std::errc() || behind != end) {
    return data_loss("'{}' is not a number of type {}", text.substr(0, 40),
                     tensor::name_of(tensor::kDTypeOf<T>));
  }
  return tensor::Tensor::scalar(number);
}

}  // namespace

std::optional<uint64_t> MdsEncoding::size_bytes() const {
  if (kind == MdsKind::kScalar) {
    return tensor::size_of(*dtype);
  }
  if (kind == MdsKind::kArray && dtype && shape) {
    return static_cast<uint64_t>(shape->volume()) * tensor::size_of(*dtype);
  }
  return std::nullopt;
}

Result<MdsEncoding> parse_mds_encoding(std::string_view text) {
  const size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view config = colon == text.npos ? std::string_view() : text.substr(colon + 1);
  if (name == "ndarray") {
    return parse_array(config);
  }
  if (name == "pkl") {
    return unimplemented(
        "pkl holds pickled Python objects, and unpickling runs what they say; write the column as json or "
        "ndarray");
  }
  if (const std::optional<DType> dtype = type_named(name)) {
    return MdsEncoding{.kind = MdsKind::kScalar, .dtype = dtype};
  }
  constexpr std::pair<std::string_view, MdsKind> kNames[] = {
      {"bytes", MdsKind::kBytes},     {"str", MdsKind::kBytes},           {"json", MdsKind::kBytes},
      {"jpeg", MdsKind::kBytes},      {"png", MdsKind::kBytes},           {"str_decimal", MdsKind::kBytes},
      {"str_int", MdsKind::kIntText}, {"str_float", MdsKind::kFloatText}, {"pil", MdsKind::kPicture}};
  if (name == "int") {
    return MdsEncoding{.kind = MdsKind::kScalar, .dtype = DType::kInt64};
  }
  for (const auto& [known, kind] : kNames) {
    if (name == known) {
      return MdsEncoding{.kind = kind};
    }
  }
  return unimplemented("the encoding '{}' is not known", text);
}

Result<MdsValue> split_mds_value(const MdsEncoding& encoding, Bytes value) {
  switch (encoding.kind) {
    case MdsKind::kArray:
      return split_array(encoding, value);
    case MdsKind::kPicture:
      return split_picture(value);
    case MdsKind::kScalar: {
      if (value.size() != tensor::size_of(*encoding.dtype)) {
        return data_loss("a number of type {} in {} bytes", tensor::name_of(*encoding.dtype), value.size());
      }
      return MdsValue{{{}, *encoding.dtype, {}}, value};
    }
    default:
      return MdsValue{{{static_cast<int64_t>(value.size())}, DType::kUint8, {}}, value};
  }
}

Result<tensor::Tensor> parse_mds_text(const MdsEncoding& encoding, Bytes value) {
  const std::string_view text(reinterpret_cast<const char*>(value.data()), value.size());
  return encoding.kind == MdsKind::kIntText ? parse_number<int64_t>(text) : parse_number<double>(text);
}

}  // namespace forebay::dataset
