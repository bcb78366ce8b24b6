#include "forebay/codec/exif_orientation.h"

namespace forebay::codec {
namespace {

constexpr uint16_t kOrientationTag = 0x0112;
constexpr uint32_t kShort = 3;
constexpr uint32_t kLong = 4;  // not what EXIF asks for, but some writers store it
constexpr size_t kEntryBytes = 12;

/// Reads in the block's byte order; 0 past its end.
class TiffReader {
 public:
  explicit TiffReader(Bytes bytes) : bytes_(bytes) {
    is_little_ = bytes_.size() >= 2 && bytes_[0] == std::byte('I') && bytes_[1] == std::byte('I');
    const bool is_big = bytes_.size() >= 2 && bytes_[0] == std::byte('M') && bytes_[1] == std::byte('M');
    is_valid_ = (is_little_ || is_big) && u16(2) == 42;
  }

  bool is_valid() const { return is_valid_; }

  uint32_t u16(size_t at) const {
    if (at > bytes_.size() || bytes_.size() - at < 2) {
      return 0;
    }
    const auto first = static_cast<uint32_t>(bytes_[at]);
    const auto second = static_cast<uint32_t>(bytes_[at + 1]);
    return is_little_ ? first | second << 8 : first << 8 | second;
  }

  uint32_t u32(size_t at) const {
    return is_little_ ? u16(at) | u16(at + 2) << 16 : u16(at) << 16 | u16(at + 2);
  }

 private:
  Bytes bytes_;
  bool is_little_ = false;
  bool is_valid_ = false;
};

}  // namespace

int exif_orientation_of(Bytes tiff) {
  const TiffReader reader(tiff);
  if (!reader.is_valid()) {
    return 1;
  }
  const size_t directory = reader.u32(4);
  const size_t count = reader.u16(directory);
  for (size_t i = 0; i < count; ++i) {
    const size_t entry = directory + 2 + i * kEntryBytes;
    if (entry > tiff.size() || tiff.size() - entry < kEntryBytes) {
      return 1;
    }
    const uint32_t type = reader.u16(entry + 2);
    if (reader.u16(entry) == kOrientationTag && (type == kShort || type == kLong)) {
      const uint32_t value = type == kShort ? reader.u16(entry + 8) : reader.u32(entry + 8);
      return value >= 1 && value <= 8 ? static_cast<int>(value) : 1;
    }
  }
  return 1;
}

PixelWalk pixel_walk(int orientation, ImageSize stored) {
  const int64_t height = stored.height;
  const int64_t width = stored.width;
  switch (orientation) {
    case 2:
      return {width - 1, width, -1};
    case 3:
      return {height * width - 1, -width, -1};
    case 4:
      return {(height - 1) * width, -width, 1};
    case 5:
      return {0, 1, height};
    case 6:
      return {height - 1, -1, height};
    case 7:
      return {height * width - 1, -1, -height};
    case 8:
      return {(width - 1) * height, 1, -height};
    default:
      return {0, width, 1};
  }
}

Window stored_window(const Window& window, int orientation, ImageSize stored) {
  Window result = window;
  if (swaps_axes(orientation)) {
    result = {window.x, window.y, window.width, window.height};
  }
  const bool flips_y = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
  const bool flips_x = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  if (flips_y) {
    result.y = stored.height - result.y - result.height;
  }
  if (flips_x) {
    result.x = stored.width - result.x - result.width;
  }
  return result;
}

}  // namespace forebay::codec
