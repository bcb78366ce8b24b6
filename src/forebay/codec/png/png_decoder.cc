// Decodes PNG with libspng. Rows are decoded in order and those above the window discarded (each row is
// predicted from the previous one); decoding stops below the window. Interlaced images are decoded whole. As
// in DALI, gamma and colour profiles are not applied and tRNS is ignored.
#include <spng.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "forebay/codec/format_decoder.h"
#include "forebay/codec/packed_indices.h"
#include "forebay/codec/png/png_pieces.h"
#include "forebay/codec/png/png_rows.h"
#include "forebay/codec/png/png_unpacked.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"

namespace forebay::codec {
namespace {

constexpr uint32_t kSrgbGamma = 45455;

struct FreeContext {
  void operator()(spng_ctx* context) const { spng_ctx_free(context); }
};

Status check(int code) {
  if (code == 0 || code == SPNG_EOI) {
    return ok_status();
  }
  if (code == SPNG_EMEM || code == SPNG_ECHUNK_LIMITS) {
    return resource_exhausted("PNG: {}", spng_strerror(code));
  }
  return data_loss("PNG is broken: {}", spng_strerror(code));
}

class PngDecoding {
 public:
  PngDecoding(const ImageHeader& header, const BaseRequest& request)
      : header_(header), request_(request), window_(request.window) {}

  Status run(Bytes bytes) {
    FOREBAY_RETURN_IF_ERROR(open(bytes));
    spng_ihdr ihdr{};
    FOREBAY_RETURN_IF_ERROR(check(spng_get_ihdr(context_.get(), &ihdr)));
    if (ihdr.height != header_.height || ihdr.width != header_.width) {
      return data_loss("PNG header changed while it was read");
    }
    format_ = format_of(ihdr);
    is_wide_ = ihdr.bit_depth > 8;
    const GreyWeights weights(needs_weights() ? gamma() : 0, is_wide_ ? 65535 : 255);
    const PngRowMap map{request_.form, header_.channels, is_wide_, weights};
    FOREBAY_RETURN_IF_ERROR(header_.is_progressive ? read_interlaced(map) : read_rows(map));
    return finish(bytes);
  }

 private:
  Status open(Bytes bytes) {
    unpacked_ = UnpackedPng::make(bytes);
    context_.reset(spng_ctx_new(unpacked_ == nullptr ? 0 : SPNG_CTX_IGNORE_ADLER32));
    if (context_ == nullptr) {
      return resource_exhausted("no memory for a PNG decoder");
    }
    if (unpacked_ == nullptr) {
      FOREBAY_ASSIGN_OR_RETURN(pieces_, needed_pieces(bytes));
      return check(spng_set_png_stream(context_.get(), read_from<PngPieces>, &pieces_));
    }
    FOREBAY_RETURN_IF_ERROR(check(spng_set_crc_action(context_.get(), SPNG_CRC_USE, SPNG_CRC_USE)));
    return check(spng_set_png_stream(context_.get(), read_from<UnpackedPng>, unpacked_.get()));
  }

  template <class File>
  static int read_from(spng_ctx*, void* file, void* to, size_t size) {
    return static_cast<File*>(file)->read(to, size) ? 0 : SPNG_IO_EOF;
  }

  int format_of(const spng_ihdr& ihdr) const {
    if (gives_indices()) {
      return SPNG_FMT_PNG;  // rows as stored, several indices a byte
    }
    if (ihdr.color_type == SPNG_COLOR_TYPE_INDEXED) {
      return SPNG_FMT_RGB8;
    }
    const bool is_small_grey = ihdr.color_type == SPNG_COLOR_TYPE_GRAYSCALE && ihdr.bit_depth <= 8;
    return is_small_grey ? SPNG_FMT_G8 : SPNG_FMT_PNG;
  }

  bool gives_indices() const { return request_.form == BaseForm::kIndex; }

  bool needs_weights() const { return request_.form == BaseForm::kGray && header_.channels >= 3; }

  uint32_t gamma() {
    uint8_t intent = 0;
    if (spng_get_srgb(context_.get(), &intent) == 0) {
      return kSrgbGamma;
    }
    uint32_t value = 0;
    return spng_get_gama_int(context_.get(), &value) == 0 ? value : 0;
  }

  size_t pixel_bytes() const { return static_cast<size_t>(header_.channels) * (is_wide_ ? 2 : 1); }
  size_t row_bytes() const {
    const auto width = static_cast<size_t>(header_.width);
    return gives_indices() ? (width * static_cast<size_t>(header_.index_bits) + 7) / 8
                           : width * pixel_bytes();
  }

  Status read_rows(const PngRowMap& map) {
    FOREBAY_RETURN_IF_ERROR(
        check(spng_decode_image(context_.get(), nullptr, 0, format_, SPNG_DECODE_PROGRESSIVE)));
    std::vector<std::byte> row(row_bytes());
    const bool in_place =
        request_.direct != nullptr && !gives_indices() && map.is_identity() && window_.width == header_.width;
    for (int64_t y = 0; y < window_.y + window_.height; ++y) {
      const int64_t output_y = y - window_.y;
      const bool is_direct = in_place && output_y >= 0;
      std::byte* target = is_direct ? request_.direct + output_y * request_.pitch_bytes : row.data();
      FOREBAY_RETURN_IF_ERROR(check(spng_decode_row(context_.get(), target, row_bytes())));
      if (output_y >= 0 && !is_direct) {
        FOREBAY_RETURN_IF_ERROR(deliver(map, output_y, row.data()));
      }
    }
    return ok_status();
  }

  Status read_interlaced(const PngRowMap& map) {
    FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef image,
                             memory::Buffer::allocate(row_bytes() * static_cast<size_t>(header_.height)));
    if (gives_indices()) {
      std::ranges::fill(image->mutable_bytes(), std::byte{0});  // libspng adds the bits of pass after pass
    }
    FOREBAY_RETURN_IF_ERROR(
        check(spng_decode_image(context_.get(), image->data(), image->size_bytes(), format_, 0)));
    const auto* rows = static_cast<const std::byte*>(image->data());
    for (int64_t y = 0; y < window_.height; ++y) {
      const size_t offset = row_bytes() * static_cast<size_t>(window_.y + y);
      FOREBAY_RETURN_IF_ERROR(deliver(map, y, rows + offset));
    }
    return ok_status();
  }

  /// libspng does not look at the checksum of image data whose end it need not read.
  Status finish(Bytes bytes) const {
    const bool is_read_to_end = header_.is_progressive || window_.y + window_.height == header_.height;
    return unpacked_ == nullptr && is_read_to_end ? check_image_data(bytes) : ok_status();
  }

  Status deliver(const PngRowMap& map, int64_t y, const std::byte* row) {
    if (gives_indices()) {
      return deliver_indices(y, row);
    }
    const std::byte* pixels = row + static_cast<size_t>(window_.x) * pixel_bytes();
    std::byte* target = request_.direct == nullptr ? nullptr : request_.direct + y * request_.pitch_bytes;
    if (map.is_identity()) {
      if (target == nullptr) {
        return request_.sink(y, pixels);
      }
      memory::copy(target, pixels, static_cast<size_t>(window_.width) * pixel_bytes());
      return ok_status();
    }
    if (target == nullptr) {
      mapped_.resize(static_cast<size_t>(window_.width) * 3 * 2);
      map(pixels, mapped_.data(), window_.width);
      return request_.sink(y, mapped_.data());
    }
    map(pixels, target, window_.width);
    return ok_status();
  }

  Status deliver_indices(int64_t y, const std::byte* row) {
    const bool is_direct = request_.direct != nullptr;
    mapped_.resize(is_direct ? 0 : static_cast<size_t>(window_.width));
    std::byte* target = is_direct ? request_.direct + y * request_.pitch_bytes : mapped_.data();
    unpack_indices(row, header_.index_bits, window_.x, window_.width, target);
    return is_direct ? ok_status() : request_.sink(y, target);
  }

  const ImageHeader& header_;
  const BaseRequest& request_;
  const Window window_;
  std::unique_ptr<UnpackedPng> unpacked_;  // null if libspng inflates
  PngPieces pieces_;                       // what libspng reads in that case
  std::unique_ptr<spng_ctx, FreeContext> context_;
  int format_ = 0;
  bool is_wide_ = false;
  std::vector<std::byte> mapped_;
};

}  // namespace

Status decode_png(Bytes bytes, const ImageHeader& header, const BaseRequest& request) {
  return PngDecoding(header, request).run(bytes);
}

}  // namespace forebay::codec
