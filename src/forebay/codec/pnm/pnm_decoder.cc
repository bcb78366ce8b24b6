// Decodes Netpbm's formats, with a reader of our own. In binary a window reads only its own rows; text is
// read up to the window's last row. Values from 0 to the file's maximum become those of 8 or 16 bits, rounded
// down.
#include <algorithm>
#include <vector>

#include "forebay/codec/base_rows.h"
#include "forebay/codec/format_decoder.h"
#include "forebay/codec/pnm/pnm_header.h"

namespace forebay::codec {
namespace {

/// The numbers of a text raster, one after the other.
class PnmNumbers {
 public:
  PnmNumbers(Bytes bytes, size_t position, bool is_single_digits)
      : bytes_(bytes), position_(position), is_single_digits_(is_single_digits) {}

  Result<uint32_t> next() {
    while (position_ < bytes_.size() && is_pnm_space(bytes_[position_])) {
      ++position_;
    }
    if (position_ == bytes_.size()) {
      return data_loss("PNM is truncated at byte {}", bytes_.size());
    }
    if (!is_pnm_digit(bytes_[position_])) {
      return data_loss("PNM has something else than a number at byte {}", position_);
    }
    uint32_t value = 0;
    do {
      value = std::min(value * 10 + static_cast<uint32_t>(bytes_[position_]) - '0', 100'000U);
      ++position_;
    } while (!is_single_digits_ && position_ < bytes_.size() && is_pnm_digit(bytes_[position_]));
    return value;
  }

 private:
  Bytes bytes_;
  size_t position_;
  const bool is_single_digits_;
};

class PnmDecoding {
 public:
  PnmDecoding(Bytes bytes, const PnmLayout& layout, const ImageHeader& header, const BaseRequest& request)
      : bytes_(bytes),
        layout_(layout),
        window_(request.window),
        is_wide_(header.bit_depth > 8),
        rows_(header, request, layout.channels, Luma::k14Bits),
        row_(static_cast<size_t>(window_.width * rows_.pixel_bytes())) {}

  Status run() { return layout_.is_text ? read_text() : read_binary(); }

 private:
  uint32_t white() const { return is_wide_ ? 65535 : 255; }

  uint32_t scaled(uint32_t value) const {
    const uint32_t within = std::min(value, layout_.max_value);
    const uint32_t result = layout_.max_value == white() ? within : within * white() / layout_.max_value;
    return layout_.is_inverted ? white() - result : result;
  }

  void store(size_t index, uint32_t value) {
    if (is_wide_) {
      reinterpret_cast<uint16_t*>(row_.data())[index] = static_cast<uint16_t>(scaled(value));
    } else {
      row_[index] = static_cast<std::byte>(scaled(value));
    }
  }

  Status read_text() {
    PnmNumbers numbers(bytes_, layout_.data_at, layout_.is_inverted);
    const int64_t channels = layout_.channels;
    const int64_t begin = window_.x * channels;
    const int64_t end = begin + window_.width * channels;
    for (int64_t y = 0; y < window_.y + window_.height; ++y) {
      for (int64_t i = 0; i < layout_.width * channels; ++i) {
        FOREBAY_ASSIGN_OR_RETURN(const uint32_t value, numbers.next());
        if (y >= window_.y && i >= begin && i < end) {
          store(static_cast<size_t>(i - begin), value);
        }
      }
      if (y >= window_.y) {
        FOREBAY_RETURN_IF_ERROR(rows_.put(y - window_.y, row_.data()));
      }
    }
    return ok_status();
  }

  Status read_binary() {
    const bool is_plain = !layout_.is_packed && layout_.max_value == 255;
    const auto begin = static_cast<size_t>(window_.x * layout_.channels);
    for (int64_t y = 0; y < window_.height; ++y) {
      const size_t at = layout_.data_at + static_cast<uint64_t>(window_.y + y) * layout_.row_bytes;
      const Bytes stored = bytes_.subspan(at, layout_.row_bytes);
      if (!is_plain) {
        unpack(stored, begin);
      }
      FOREBAY_RETURN_IF_ERROR(rows_.put(y, is_plain ? stored.data() + begin : row_.data()));
    }
    return ok_status();
  }

  void unpack(Bytes stored, size_t begin) {
    const auto byte = [&](size_t at) { return static_cast<uint32_t>(stored[at]); };
    const auto count = static_cast<size_t>(window_.width * layout_.channels);
    for (size_t i = 0; i < count; ++i) {
      const size_t at = begin + i;
      if (layout_.is_packed) {
        store(i, byte(at / 8) >> (7 - at % 8) & 1);
      } else {
        store(i, is_wide_ ? byte(2 * at) << 8 | byte(2 * at + 1) : byte(at));
      }
    }
  }

  Bytes bytes_;
  const PnmLayout& layout_;
  const Window window_;
  const bool is_wide_;
  BaseRows rows_;
  std::vector<std::byte> row_;  // the window's columns of one row
};

}  // namespace

Status decode_pnm(Bytes bytes, const ImageHeader& header, const BaseRequest& request) {
  FOREBAY_ASSIGN_OR_RETURN(const PnmLayout layout, read_pnm_layout(bytes));
  if (layout.height != header.height || layout.width != header.width || layout.channels != header.channels) {
    return data_loss("PNM header changed while it was read");
  }
  return PnmDecoding(bytes, layout, header, request).run();
}

}  // namespace forebay::codec
