#include "forebay/codec/bmp/bmp_header.h"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <limits>

#include "forebay/codec/byte_order.h"
#include "forebay/codec/format_decoder.h"

namespace forebay::codec {
namespace {

constexpr size_t kFileHeaderBytes = 14;
constexpr size_t kCoreHeaderBytes = 12;
constexpr size_t kShortOs2HeaderBytes = 16;
constexpr size_t kOs2HeaderBytes = 64;
constexpr size_t kInfoHeaderBytes = 40;
constexpr size_t kMaxHeaderBytes = 4096;  // far beyond the longest known, of 124
constexpr uint32_t kBitFields = 3;
constexpr uint32_t kAlphaBitFields = 6;

class BmpHeaderReader {
 public:
  explicit BmpHeaderReader(Bytes bytes) : bytes_(bytes) {}

  Result<BmpLayout> read() {
    FOREBAY_RETURN_IF_ERROR(read_size());
    FOREBAY_RETURN_IF_ERROR(read_coding());
    FOREBAY_RETURN_IF_ERROR(read_masks());
    FOREBAY_RETURN_IF_ERROR(read_palette());
    FOREBAY_RETURN_IF_ERROR(check_rows());
    return layout_;
  }

 private:
  Status need(size_t end, const char* what) const {
    return end <= bytes_.size() ? ok_status()
                                : data_loss("BMP is truncated at byte {} in its {}", bytes_.size(), what);
  }

  uint32_t u16(size_t at) const { return little_u16(bytes_, kFileHeaderBytes + at); }
  uint32_t u32(size_t at) const { return little_u32(bytes_, kFileHeaderBytes + at); }

  Status read_size() {
    FOREBAY_RETURN_IF_ERROR(need(kFileHeaderBytes + 4, "header"));
    layout_.data_at = little_u32(bytes_, 10);
    header_bytes_ = u32(0);
    const bool is_core = header_bytes_ == kCoreHeaderBytes;
    const bool is_long = header_bytes_ >= kInfoHeaderBytes && header_bytes_ <= kMaxHeaderBytes;
    if (!is_core && !is_long && header_bytes_ != kShortOs2HeaderBytes) {
      return data_loss("BMP has a header of {} bytes, which none of its kinds has", header_bytes_);
    }
    FOREBAY_RETURN_IF_ERROR(need(kFileHeaderBytes + header_bytes_, "header"));
    int64_t height = 0;
    if (is_core) {
      layout_.width = u16(4);
      height = u16(6);
      layout_.bits_per_pixel = static_cast<int>(u16(10));
    } else {
      layout_.width = static_cast<int32_t>(u32(4));
      height = static_cast<int32_t>(u32(8));
      layout_.bits_per_pixel = static_cast<int>(u16(14));
    }
    layout_.is_top_down = height < 0;
    layout_.height = std::abs(height);
    if (layout_.width <= 0 || height == 0 || layout_.height > std::numeric_limits<int32_t>::max()) {
      return data_loss("BMP claims a size of {}x{}", height, layout_.width);
    }
    return ok_status();
  }

  bool has_info() const { return header_bytes_ >= kInfoHeaderBytes; }

  Status read_coding() {
    compression_ = has_info() ? u32(16) : 0;
    const int bits = layout_.bits_per_pixel;
    const bool is_os2 = header_bytes_ == kOs2HeaderBytes;
    if (compression_ == 1 && bits == 8) {
      layout_.coding = BmpCoding::kRunLength8;
    } else if (compression_ == 2 && bits == 4) {
      layout_.coding = BmpCoding::kRunLength4;
    } else if (is_os2 && compression_ == 4 && bits == 24) {
      layout_.coding = BmpCoding::kRunLength24;
    } else if (is_os2 && compression_ == 3) {
      return unimplemented("BMP holds a fax image (Huffman 1D), which is not supported");
    } else if (compression_ == 4 || compression_ == 5) {
      return unimplemented("BMP holds a {} image, as for printers, which is not supported",
                           compression_ == 4 ? "JPEG" : "PNG");
    } else if (compression_ != 0 && !has_bit_fields()) {
      return data_loss("BMP claims compression {} with {} bits per pixel", compression_, bits);
    }
    const auto known = {1, 2, 4, 8, 16, 24, 32};
    const bool fits_masks = !has_bit_fields() || bits == 16 || bits == 32;
    if (std::ranges::find(known, bits) == known.end() || !fits_masks) {
      return data_loss("BMP claims {} bits per pixel", bits);
    }
    return ok_status();
  }

  bool has_bit_fields() const { return compression_ == kBitFields || compression_ == kAlphaBitFields; }

  static BmpMask mask_of(uint32_t mask) {
    if (mask == 0) {
      return {};
    }
    const int shift = std::countr_zero(mask);
    return {shift, static_cast<int>(std::bit_width(mask)) - shift};
  }

  /// The masks lie in the longer headers, behind the one of 40 bytes. Without any, 16 bits are five for each
  /// channel, and 32 bits are blue, green, red and alpha.
  Status read_masks() {
    extra_bytes_ = 0;
    if (!has_bit_fields()) {
      layout_.masks = layout_.bits_per_pixel == 16
                          ? std::array<BmpMask, 4>{{{10, 5}, {5, 5}, {0, 5}, {}}}
                          : std::array<BmpMask, 4>{{{16, 8}, {8, 8}, {0, 8}, {24, 8}}};
      return ok_status();
    }
    const bool has_alpha = compression_ == kAlphaBitFields || header_bytes_ >= 56;
    const size_t count = has_alpha ? 4 : 3;
    extra_bytes_ = header_bytes_ == kInfoHeaderBytes ? count * 4 : 0;
    FOREBAY_RETURN_IF_ERROR(need(kFileHeaderBytes + kInfoHeaderBytes + count * 4, "masks"));
    for (size_t i = 0; i < count; ++i) {
      const uint32_t mask = u32(kInfoHeaderBytes + i * 4);
      layout_.masks[i] = mask_of(mask);
      const uint32_t run = mask >> layout_.masks[i].shift;
      const bool is_wanted = i < 3;
      if ((mask == 0 && is_wanted) || (run & (run + 1)) != 0 ||
          std::bit_width(mask) > layout_.bits_per_pixel) {
        return data_loss("BMP has a mask of {:08X} for channel {}", mask, i);
      }
    }
    return ok_status();
  }

  Status read_palette() {
    const int bits = layout_.bits_per_pixel;
    if (bits > 8) {
      layout_.channels = bits == 32 && layout_.masks[3].bits > 0 ? 4 : 3;
      layout_.channels = bits == 16 && layout_.masks[3].bits > 0 ? 4 : layout_.channels;
      return ok_status();
    }
    const bool is_core = header_bytes_ == kCoreHeaderBytes;
    const size_t entry_bytes = is_core ? 3 : 4;
    const size_t at = kFileHeaderBytes + header_bytes_ + extra_bytes_;
    const size_t claimed = has_info() ? u32(32) : 0;
    size_t count = claimed == 0 ? size_t{1} << bits : claimed;
    if (claimed > 256) {
      return data_loss("BMP claims a palette of {} colours", claimed);
    }
    if (layout_.data_at > at) {  // what follows the header may be shorter than all colours
      count = std::min(count, (layout_.data_at - at) / entry_bytes);
    }
    FOREBAY_RETURN_IF_ERROR(need(at + count * entry_bytes, "palette"));
    bool has_colour = false;
    for (size_t i = 0; i < count; ++i) {
      const Bytes entry = bytes_.subspan(at + i * entry_bytes, 3);
      const auto value = [&](size_t channel) { return static_cast<uint8_t>(entry[channel]); };
      layout_.palette[i] = {value(2), value(1), value(0)};
      has_colour = has_colour || value(0) != value(1) || value(0) != value(2);
    }
    layout_.channels = has_colour ? 3 : 1;
    return ok_status();
  }

  Status check_rows() {
    const auto width = static_cast<uint64_t>(layout_.width);
    const auto height = static_cast<uint64_t>(layout_.height);
    layout_.row_bytes = (width * static_cast<uint64_t>(layout_.bits_per_pixel) + 31) / 32 * 4;
    if (layout_.data_at < kFileHeaderBytes + header_bytes_ || layout_.data_at > bytes_.size()) {
      return data_loss("BMP of {} bytes says that its pixels begin at byte {}", bytes_.size(),
                       layout_.data_at);
    }
    const uint64_t rest = bytes_.size() - layout_.data_at;
    if (layout_.coding == BmpCoding::kPlain && rest / layout_.row_bytes < height) {
      return data_loss("BMP is truncated at byte {}: {}x{} pixels take {} bytes from byte {} on",
                       bytes_.size(), height, width, height * layout_.row_bytes, layout_.data_at);
    }
    return ok_status();
  }

  Bytes bytes_;
  size_t header_bytes_ = 0;
  size_t extra_bytes_ = 0;  // of masks behind the header
  uint32_t compression_ = 0;
  BmpLayout layout_;
};

}  // namespace

Result<BmpLayout> read_bmp_layout(Bytes bytes) {
  return BmpHeaderReader(bytes).read();
}

Result<ImageHeader> read_bmp_header(Bytes bytes) {
  FOREBAY_ASSIGN_OR_RETURN(const BmpLayout layout, read_bmp_layout(bytes));
  ImageHeader header;
  header.format = ImageFormat::kBmp;
  header.height = layout.height;
  header.width = layout.width;
  header.channels = layout.channels;
  header.bit_depth = 8;
  header.index_bits = layout.bits_per_pixel <= 8 ? layout.bits_per_pixel : 0;
  if (layout.coding != BmpCoding::kPlain) {
    const int value_bytes = layout.coding == BmpCoding::kRunLength24 ? 3 : 1;
    header.is_progressive = true;
    header.whole_image_bytes =
        static_cast<uint64_t>(layout.height) * static_cast<uint64_t>(layout.width) * value_bytes;
  }
  return header;
}

}  // namespace forebay::codec
