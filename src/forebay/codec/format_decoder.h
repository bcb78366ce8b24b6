// What each image format implements for image_decoder.h: it parses its header and delivers the rows of a
// window in stored order and in a *base form*: its own channels converted to grey, RGB, BGR or left as they
// are, in uint8, uint16, uint32 or float, or the indices of a palette. Conversion to the requested colour
// space and dtype, and orientation, are the same for all formats and happen elsewhere. A format is one file
// that implements this, and one row in format_table.cc.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "forebay/base/byte_source.h"
#include "forebay/codec/image_decoder.h"
#include "forebay/tensor/dtype.h"

namespace forebay::codec {

enum class BaseForm { kGray, kRgb, kBgr, kAny, kIndex };

/// The type of a base row's colours: the smallest unsigned integer that holds what is stored, or float.
inline tensor::DType base_dtype(const ImageHeader& header) {
  return header.is_float         ? tensor::DType::kFloat
         : header.bit_depth > 16 ? tensor::DType::kUint32
         : header.bit_depth > 8  ? tensor::DType::kUint16
                                 : tensor::DType::kUint8;
}

/// The type of a base row's values; indices have at most 8 bits.
inline tensor::DType base_dtype(const ImageHeader& header, BaseForm form) {
  return form == BaseForm::kIndex ? tensor::DType::kUint8 : base_dtype(header);
}

inline int base_channels(const ImageHeader& header, BaseForm form) {
  const bool is_single = form == BaseForm::kGray || form == BaseForm::kIndex;
  return form == BaseForm::kAny ? header.channels : is_single ? 1 : 3;
}

/// Receives base row `y` (0-based within the window).
using BaseRowSink = absl::FunctionRef<Status(int64_t y, const void* row)>;

struct BaseRequest {
  BaseForm form = BaseForm::kRgb;
  Window window;  // in scaled, stored coordinates; inside the image and not empty
  const ImageDecodeOptions& options;
  /// If the base form is what the caller wants, rows are written to `direct`, `pitch_bytes` apart; otherwise
  /// `direct` is null and each row goes to `sink`.
  std::byte* direct = nullptr;
  int64_t pitch_bytes = 0;
  BaseRowSink sink;
};

/// One image format.
struct FormatDecoder {
  ImageFormat format = ImageFormat::kUnknown;
  /// The steps of scale_eighths that it decodes at beside 8: bit s is set for s eighths.
  uint32_t scales = 0;
  /// Whether it knows BaseForm::kIndex. It is asked for only of images whose header says index_bits.
  bool gives_indices = false;
  Result<ImageHeader> (*read_header)(Bytes bytes) = nullptr;
  /// `header` is that of the same bytes; the request has been checked against it.
  Status (*decode)(Bytes bytes, const ImageHeader& header, const BaseRequest& request) = nullptr;
  /// The header of a page behind the first, which `page` of the header tells decode(); null if the format has
  /// no pages.
  Result<ImageHeader> (*read_page_header)(Bytes bytes, int64_t page) = nullptr;
};

/// Null if images of this format cannot be decoded.
const FormatDecoder* decoder_of(ImageFormat format);

/// "JPEG, PNG, ...": the formats that can be decoded.
std::string names_of_decoders();

/// "PNG, BMP, ...": those of them that give the indices of a palette.
std::string names_of_indexed_decoders();

/// Those of them that decode at another scale.
std::string names_of_scaled_decoders();

/// Those of them that have pages.
std::string names_of_paged_decoders();

Result<ImageHeader> read_jpeg_header(Bytes bytes);
Status decode_jpeg(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

Result<ImageHeader> read_png_header(Bytes bytes);
Status decode_png(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

Result<ImageHeader> read_bmp_header(Bytes bytes);
Status decode_bmp(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

Result<ImageHeader> read_pnm_header(Bytes bytes);
Status decode_pnm(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

Result<ImageHeader> read_webp_header(Bytes bytes);
Status decode_webp(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

Result<ImageHeader> read_tiff_header(Bytes bytes);
Result<ImageHeader> read_tiff_page_header(Bytes bytes, int64_t page);
Status decode_tiff(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

Result<ImageHeader> read_jpeg2000_header(Bytes bytes);
Status decode_jpeg2000(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

Result<ImageHeader> read_avif_header(Bytes bytes);
Status decode_avif(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

Result<ImageHeader> read_jpegxl_header(Bytes bytes);
Status decode_jpegxl(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

}  // namespace forebay::codec
