#include "forebay/dataset/numpy/npy_header.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

namespace forebay::dataset {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr uint64_t kMaxHeaderBytes = 1 << 20;
constexpr int64_t kMaxElements = int64_t{1} << 56;
constexpr size_t kShownBytes = 100;  // of a header, in errors

/// Reads the dictionary from left to right.
class DictionaryReader {
 public:
  explicit DictionaryReader(std::string_view text) : left_(text) {}

  /// Whether the next word is this one, which is then skipped, like the white space in front of it.
  bool take(std::string_view word) {
    left_.remove_prefix(std::min(left_.find_first_not_of(" \t\n\r\f\v"), left_.size()));
    if (!left_.starts_with(word)) {
      return false;
    }
    left_.remove_prefix(word.size());
    return true;
  }

  /// A string in quotes of either kind. Nothing that NumPy writes in one is escaped.
  std::optional<std::string_view> text() {
    const char quote = take("'") ? '\'' : take("\"") ? '"' : '\0';
    const size_t end = left_.find(quote);
    if (quote == '\0' || end == std::string_view::npos) {
      return std::nullopt;
    }
    const std::string_view found = left_.substr(0, end);
    left_.remove_prefix(end + 1);
    return found;
  }

  std::optional<int64_t> extent() {
    take("");
    int64_t value = 0;
    const auto [end, error] = std::from_chars(left_.data(), left_.data() + left_.size(), value);
    if (error != std::errc() || value < 0) {
      return std::nullopt;
    }
    left_.remove_prefix(static_cast<size_t>(end - left_.data()));
    take("L");  // as Python 2 wrote
    return value;
  }

 private:
  std::string_view left_;
};

Result<tensor::DType> dtype_of(std::string_view descr) {
  static constexpr std::pair<std::string_view, tensor::DType> kTypes[] = {
      {"u1", tensor::DType::kUint8},  {"u2", tensor::DType::kUint16},  {"u4", tensor::DType::kUint32},
      {"u8", tensor::DType::kUint64}, {"i1", tensor::DType::kInt8},    {"i2", tensor::DType::kInt16},
      {"i4", tensor::DType::kInt32},  {"i8", tensor::DType::kInt64},   {"f2", tensor::DType::kFloat16},
      {"f4", tensor::DType::kFloat},  {"f8", tensor::DType::kFloat64}, {"b1", tensor::DType::kBool},
  };
  const char order = descr.empty() ? '\0' : descr.front();
  if (order == '>') {
    return unimplemented("its elements are '{}', of the other byte order; save array.astype('<{}')", descr,
                         descr.substr(1));
  }
  const auto* const found = std::ranges::find(kTypes, descr.substr(std::min<size_t>(1, descr.size())),
                                              &std::pair<std::string_view, tensor::DType>::first);
  if ((order != '<' && order != '|' && order != '=') || found == std::end(kTypes)) {
    return unimplemented("its elements are '{}', which are no numbers that a tensor can hold",
                         descr.substr(0, kShownBytes));
  }
  return found->second;
}

Result<tensor::Shape> shape_of(DictionaryReader& reader) {
  tensor::Shape shape;
  bool is_open = reader.take("(");
  if (!is_open) {
    return data_loss("its shape is no tuple");
  }
  while (!reader.take(")")) {
    const std::optional<int64_t> extent = is_open ? reader.extent() : std::nullopt;
    if (!extent) {
      return data_loss("its shape is no tuple of extents");
    }
    if (shape.rank() == tensor::kMaxRank) {
      return unimplemented("it has more than {} axes", tensor::kMaxRank);
    }
    shape.push_back(*extent);
    is_open = reader.take(",");
  }
  const std::optional<int64_t> volume = shape.checked_volume();
  if (!volume || *volume > kMaxElements) {
    return data_loss("its shape {} is larger than any memory", shape.to_string());
  }
  return shape;
}

/// Reads the value of one key.
Status read_entry(std::string_view key, DictionaryReader& reader, NpyHeader& header) {
  if (key == "descr") {
    const std::optional<std::string_view> descr = reader.text();
    if (!descr) {
      return unimplemented("its elements are records of several fields");
    }
    FOREBAY_ASSIGN_OR_RETURN(header.dtype, dtype_of(*descr));
    return ok_status();
  }
  if (key == "fortran_order") {
    header.is_fortran = reader.take("True");
    return header.is_fortran || reader.take("False")
               ? ok_status()
               : data_loss("its fortran_order is neither True nor False");
  }
  if (key == "shape") {
    FOREBAY_ASSIGN_OR_RETURN(header.shape, shape_of(reader));
    return ok_status();
  }
  return data_loss("its header has an entry '{}'", key.substr(0, kShownBytes));
}

Status read_dictionary(std::string_view text, NpyHeader& header) {
  DictionaryReader reader(text);
  int entries = 0;
  bool goes_on = reader.take("{");
  while (!reader.take("}")) {
    const std::optional<std::string_view> key = goes_on ? reader.text() : std::nullopt;
    if (!key || !reader.take(":")) {
      return data_loss("its header is no dictionary: {}", text.substr(0, kShownBytes));
    }
    FOREBAY_RETURN_IF_ERROR(read_entry(*key, reader, header));
    ++entries;
    goes_on = reader.take(",");
  }
  if (entries != 3 || header.dtype == tensor::DType::kNone) {
    return data_loss("its header lacks entries: {}", text.substr(0, kShownBytes));
  }
  return ok_status();
}

uint64_t little_endian(Bytes bytes) {
  uint64_t value = 0;
  for (size_t i = bytes.size(); i > 0; --i) {
    value = value << 8 | static_cast<uint64_t>(bytes[i - 1]);
  }
  return value;
}

/// Where the dictionary begins, by the version.
size_t dictionary_offset(Bytes prefix) {
  return static_cast<uint8_t>(prefix[kMagic.size()]) == 1 ? 10 : 12;
}

}  // namespace

Result<uint64_t> npy_header_bytes(Bytes prefix) {
  if (prefix.size() < kNpyPrefixBytes || std::memcmp(prefix.data(), kMagic.data(), kMagic.size()) != 0) {
    return data_loss("not an .npy file");
  }
  const auto version = static_cast<uint8_t>(prefix[kMagic.size()]);
  if (version < 1 || version > 3) {
    return unimplemented("an .npy file of version {}; 1 to 3 are read", version);
  }
  const size_t begin = dictionary_offset(prefix);
  const uint64_t length = little_endian(prefix.subspan(8, begin - 8));
  if (length > kMaxHeaderBytes) {
    return data_loss("the header of an .npy file has {} bytes; at most {} are read", length, kMaxHeaderBytes);
  }
  return begin + length;
}

Result<NpyHeader> parse_npy_header(Bytes begin) {
  NpyHeader header;
  FOREBAY_ASSIGN_OR_RETURN(header.offset_bytes, npy_header_bytes(begin));
  if (header.offset_bytes > begin.size()) {
    return data_loss("an .npy file that ends within its header");
  }
  const size_t first = dictionary_offset(begin);
  const std::string_view text(reinterpret_cast<const char*>(begin.data()) + first,
                              header.offset_bytes - first);
  FOREBAY_RETURN_IF_ERROR(annotate(read_dictionary(text, header), "an .npy file"));
  return header;
}

}  // namespace forebay::dataset
