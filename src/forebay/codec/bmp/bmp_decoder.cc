// Decodes BMP, with a reader of our own: rows lie one after the other, so that a window reads only its own.
// As in DALI, a colour of five or six bits is shifted up to eight, not stretched.
#include <memory>
#include <vector>

#include "forebay/codec/base_rows.h"
#include "forebay/codec/bmp/bmp_header.h"
#include "forebay/codec/bmp/bmp_run_length.h"
#include "forebay/codec/byte_order.h"
#include "forebay/codec/format_decoder.h"
#include "forebay/codec/packed_indices.h"
#include "forebay/memory/buffer.h"

namespace forebay::codec {
namespace {

uint8_t colour_in(uint32_t pixel, BmpMask mask) {
  const uint32_t value = pixel >> mask.shift & static_cast<uint32_t>((uint64_t{1} << mask.bits) - 1);
  return static_cast<uint8_t>(mask.bits >= 8 ? value >> (mask.bits - 8) : value << (8 - mask.bits));
}

/// Alpha of one bit is either opaque or not: stretched, unlike colours.
uint8_t alpha_in(uint32_t pixel, BmpMask mask) {
  const uint64_t most = (uint64_t{1} << mask.bits) - 1;
  return static_cast<uint8_t>((pixel >> mask.shift & most) * 255 / most);
}

class BmpDecoding {
 public:
  BmpDecoding(const BmpLayout& layout, const ImageHeader& header, const BaseRequest& request)
      : layout_(layout),
        window_(request.window),
        gives_indices_(request.form == BaseForm::kIndex),
        channels_(gives_indices_ ? 1 : layout.channels),
        rows_(header, request, channels_, Luma::k14Bits) {}

  Status run(Bytes bytes) {
    memory::BufferRef unpacked;
    Bytes stored = bytes.subspan(layout_.data_at);
    uint64_t row_bytes = layout_.row_bytes;
    if (layout_.coding != BmpCoding::kPlain) {
      bits_ = layout_.coding == BmpCoding::kRunLength24 ? 24 : 8;
      row_bytes = static_cast<uint64_t>(layout_.width) * static_cast<uint64_t>(bits_ / 8);
      FOREBAY_ASSIGN_OR_RETURN(unpacked,
                               memory::Buffer::allocate(row_bytes * static_cast<uint64_t>(layout_.height)));
      FOREBAY_RETURN_IF_ERROR(
          unpack_bmp_runs(bytes, layout_, {static_cast<uint8_t*>(unpacked->data()), unpacked->size_bytes()}));
      stored = unpacked->bytes();
    }
    std::vector<std::byte> converted(static_cast<size_t>(window_.width * channels_));
    for (int64_t y = 0; y < window_.height; ++y) {
      const int64_t row = layout_.is_top_down ? window_.y + y : layout_.height - 1 - window_.y - y;
      std::byte* place = rows_.place(y);
      std::byte* out = place == nullptr ? converted.data() : place;
      unpack(stored.subspan(static_cast<uint64_t>(row) * row_bytes, row_bytes),
             reinterpret_cast<uint8_t*>(out));
      if (place == nullptr) {
        FOREBAY_RETURN_IF_ERROR(rows_.put(y, out));
      }
    }
    return ok_status();
  }

 private:
  /// Turns the window's pixels of a stored row into channels.
  void unpack(Bytes row, uint8_t* out) const {
    switch (bits_) {
      case 16:
        return unpack_masked<2>(row, out);
      case 24:
        return unpack_triples(row, out);
      case 32:
        return unpack_masked<4>(row, out);
      default:
        return gives_indices_ ? unpack_indices(row.data(), static_cast<int>(bits_), window_.x, window_.width,
                                               reinterpret_cast<std::byte*>(out))
                              : unpack_colours(row, out);
    }
  }

  void unpack_triples(Bytes row, uint8_t* out) const {
    const auto* in = reinterpret_cast<const uint8_t*>(row.data()) + window_.x * 3;
    for (int64_t i = 0; i < window_.width; ++i, in += 3, out += 3) {
      out[0] = in[2];
      out[1] = in[1];
      out[2] = in[0];
    }
  }

  template <size_t kBytes>
  void unpack_masked(Bytes row, uint8_t* out) const {
    for (int64_t i = 0; i < window_.width; ++i, out += layout_.channels) {
      const size_t at = static_cast<size_t>(window_.x + i) * kBytes;
      const uint32_t pixel = kBytes == 2 ? little_u16(row, at) : little_u32(row, at);
      for (size_t channel = 0; channel < 3; ++channel) {
        out[channel] = colour_in(pixel, layout_.masks[channel]);
      }
      if (layout_.channels == 4) {
        out[3] = alpha_in(pixel, layout_.masks[3]);
      }
    }
  }

  void unpack_colours(Bytes row, uint8_t* out) const {
    for (int64_t i = 0; i < window_.width; ++i, out += layout_.channels) {
      const auto& colour = layout_.palette[index_at(row.data(), static_cast<int>(bits_), window_.x + i)];
      out[0] = colour[0];
      if (layout_.channels == 3) {
        out[1] = colour[1];
        out[2] = colour[2];
      }
    }
  }

  const BmpLayout& layout_;
  const Window window_;
  const bool gives_indices_;
  const int channels_;
  BaseRows rows_;
  unsigned bits_ = static_cast<unsigned>(layout_.bits_per_pixel);
};

}  // namespace

Status decode_bmp(Bytes bytes, const ImageHeader& header, const BaseRequest& request) {
  FOREBAY_ASSIGN_OR_RETURN(const BmpLayout layout, read_bmp_layout(bytes));
  if (layout.height != header.height || layout.width != header.width || layout.channels != header.channels) {
    return data_loss("BMP header changed while it was read");
  }
  return BmpDecoding(layout, header, request).run(bytes);
}

}  // namespace forebay::codec
