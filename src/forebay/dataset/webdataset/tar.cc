#include "forebay/dataset/webdataset/tar.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <utility>

#include "forebay/base/round_up.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kMaxContentBytes = uint64_t{1} << 60;
constexpr uint64_t kMaxTextBytes = 1 << 20;  // of a long name or a pax header
constexpr int kMaxExtensions = 64;           // headers in front of one member

// Fields of a header block: offset, width.
struct Field {
  size_t offset;
  size_t width;
};
constexpr Field kName = {0, 100};
constexpr Field kSize = {124, 12};
constexpr Field kChecksum = {148, 8};
constexpr Field kType = {156, 1};
constexpr Field kMagicField = {257, 5};
constexpr Field kPrefix = {345, 155};

std::string_view text_of(Bytes block, Field field) {
  const std::string_view text(reinterpret_cast<const char*>(block.data()) + field.offset, field.width);
  return text.substr(0, std::min(text.find('\0'), text.size()));
}

std::optional<uint64_t> octal_of(std::string_view text) {
  const size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) {
    return 0;
  }
  text = text.substr(first);
  text = text.substr(0, std::min(text.find(' '), text.size()));
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 8);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

/// Octal digits, or GNU's base 256 if the first bit is set.
std::optional<uint64_t> number_of(Bytes block, Field field) {
  if ((block[field.offset] & std::byte{0x80}) == std::byte{0}) {
    return octal_of(text_of(block, field));
  }
  uint64_t value = static_cast<uint64_t>(block[field.offset] & std::byte{0x7f});
  for (size_t i = 1; i < field.width; ++i) {
    if (value > kMaxContentBytes >> 8) {
      return std::nullopt;
    }
    value = (value << 8) | static_cast<uint64_t>(block[field.offset + i]);
  }
  return value;
}

/// The checksum is the sum of the bytes with its own field counted as spaces; old archivers summed signed
/// bytes.
bool has_right_checksum(Bytes block) {
  const std::optional<uint64_t> stored = number_of(block, kChecksum);
  int64_t unsigned_sum = 0;
  int64_t signed_sum = 0;
  for (size_t i = 0; i < block.size(); ++i) {
    const bool own = i >= kChecksum.offset && i < kChecksum.offset + kChecksum.width;
    const auto byte = own ? static_cast<uint8_t>(' ') : static_cast<uint8_t>(block[i]);
    unsigned_sum += byte;
    signed_sum += static_cast<int8_t>(byte);
  }
  return stored &&
         (static_cast<int64_t>(*stored) == unsigned_sum || static_cast<int64_t>(*stored) == signed_sum);
}

/// The beginning of a name that is split.
std::string_view prefix_of(Bytes block) {
  const bool is_gnu = block[263] == std::byte{' '};  // GNU's old magic "ustar  ": no prefix field
  return text_of(block, kMagicField) == "ustar" && !is_gnu ? text_of(block, kPrefix) : std::string_view();
}

}  // namespace

std::string tar_header_name(Bytes block) {
  const std::string_view prefix = prefix_of(block);
  std::string name(text_of(block, kName));
  return prefix.empty() ? name : std::string(prefix) + "/" + name;
}

void TarReader::skip_content(uint64_t size_bytes) {
  const uint64_t padded = round_up<uint64_t>(size_bytes, kTarBlockBytes);
  position_ = padded > reader_.size_bytes() - position_ ? reader_.size_bytes() : position_ + padded;
}

TarReader::BlockKind TarReader::end_cut_at(uint64_t offset_bytes) {
  cut_at_ = offset_bytes;
  return BlockKind::kEnd;
}

Result<std::string> TarReader::read_text(uint64_t size_bytes) {
  if (size_bytes > kMaxTextBytes) {
    return data_loss("{}: a tar header of {} bytes at {}; at most {} are read", name_, size_bytes, position_,
                     kMaxTextBytes);
  }
  FOREBAY_ASSIGN_OR_RETURN(const Bytes bytes, reader_.at(position_, size_bytes));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Parses records "length key=value\n".
Status TarReader::parse_pax(std::string_view records, uint64_t offset_bytes, Extensions* extensions) const {
  const char* const begin = records.data();
  while (!records.empty() && records.front() != '\0') {
    uint64_t length = 0;
    const auto [end, error] = std::from_chars(records.data(), records.data() + records.size(), length);
    const size_t digits = static_cast<size_t>(end - records.data());
    if (error != std::errc() || length < digits + 3 || length > records.size() || records[digits] != ' ' ||
        records[length - 1] != '\n') {
      return data_loss("{}: a damaged pax header before {}", name_, position_);
    }
    const std::string_view record = records.substr(digits + 1, length - digits - 2);
    const size_t equals = std::min(record.find('='), record.size());
    const std::string_view key = record.substr(0, equals);
    const std::string_view value = record.substr(std::min(equals + 1, record.size()));
    records.remove_prefix(length);
    if (key == "path") {
      extensions->name = value;
      extensions->name_offset_bytes = offset_bytes + static_cast<uint64_t>(value.data() - begin);
    } else if (key == "size") {
      uint64_t size = 0;
      const auto [last, failed] = std::from_chars(value.data(), value.data() + value.size(), size);
      if (failed != std::errc() || last != value.data() + value.size() || size > kMaxContentBytes) {
        return data_loss("{}: a pax header with the size '{}' before {}", name_, value.substr(0, 40),
                         position_);
      }
      extensions->size_bytes = size;
    } else if (key.starts_with("GNU.sparse.")) {
      return unimplemented("{}: a sparse member before {}", name_, position_);
    }
  }
  return ok_status();
}

Result<TarReader::BlockKind> TarReader::read_block(Extensions* extensions, TarMember* member) {
  const uint64_t left = reader_.size_bytes() - position_;
  if (left < kTarBlockBytes) {
    return end_cut_at(position_);
  }
  std::array<std::byte, kTarBlockBytes> block;
  FOREBAY_ASSIGN_OR_RETURN(const Bytes window, reader_.at(position_, kTarBlockBytes));
  std::copy(window.begin(), window.end(), block.begin());
  if (std::all_of(block.begin(), block.end(), [](std::byte byte) { return byte == std::byte{0}; })) {
    return BlockKind::kEnd;
  }
  const std::optional<uint64_t> size = number_of(block, kSize);
  if (!has_right_checksum(block) || !size || *size > kMaxContentBytes) {
    return data_loss("{}: not a tar header, or a damaged one, at {}", name_, position_);
  }
  position_ += kTarBlockBytes;
  const char type = static_cast<char>(block[kType.offset]);
  if (type == 'L' || type == 'x') {
    if (*size > reader_.size_bytes() - position_ && *size <= kMaxTextBytes) {
      return end_cut_at(position_ - kTarBlockBytes);
    }
    const uint64_t text_at = position_;
    FOREBAY_ASSIGN_OR_RETURN(const std::string text, read_text(*size));
    skip_content(*size);
    if (type == 'x') {
      FOREBAY_RETURN_IF_ERROR(parse_pax(text, text_at, extensions));
    } else {
      extensions->name_offset_bytes = text_at;
      extensions->name = text.substr(0, std::min(text.find('\0'), text.size()));
    }
    return BlockKind::kExtension;
  }
  if (type == 'K' || type == 'g') {
    skip_content(*size);
    return BlockKind::kExtension;
  }
  if (type == 'S') {
    return unimplemented("{}: a sparse member at {}", name_, position_ - kTarBlockBytes);
  }
  const bool is_own_name = !extensions->name.has_value();
  member->name = is_own_name ? tar_header_name(block) : *std::move(extensions->name);
  member->name_offset_bytes =
      is_own_name ? position_ - kTarBlockBytes + kName.offset : extensions->name_offset_bytes;
  member->is_name_split = is_own_name && !prefix_of(block).empty();
  member->is_file = (type == '0' || type == '\0' || type == '7') && !member->name.ends_with('/');
  // Links, directories and devices have no content, whatever size they give.
  const bool has_content = type < '1' || type > '6';
  member->size_bytes = has_content ? extensions->size_bytes.value_or(*size) : 0;
  member->offset_bytes = position_;
  skip_content(member->size_bytes);
  return BlockKind::kMember;
}

Result<std::optional<TarMember>> TarReader::next() {
  Extensions extensions;
  for (int headers = 0; headers < kMaxExtensions; ++headers) {
    TarMember member;
    FOREBAY_ASSIGN_OR_RETURN(const BlockKind kind, read_block(&extensions, &member));
    if (kind == BlockKind::kEnd) {
      position_ = reader_.size_bytes();
      return std::optional<TarMember>();
    }
    if (kind == BlockKind::kMember) {
      return std::optional<TarMember>(std::move(member));
    }
  }
  return data_loss("{}: more than {} headers before one member, at {}", name_, kMaxExtensions, position_);
}

}  // namespace forebay::dataset
