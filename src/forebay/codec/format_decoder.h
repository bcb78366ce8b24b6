// What each image format implements for image_decoder.h: it parses its header and delivers the rows of a
// window in stored order and in a *base form*: its own channels converted to grey, RGB, BGR or left as they
// are, in uint8 or uint16. Conversion to the requested colour space and dtype, and orientation, are the same
// for all formats and happen elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "forebay/base/byte_source.h"
#include "forebay/codec/image_decoder.h"
#include "forebay/tensor/dtype.h"

namespace forebay::codec {

enum class BaseForm { kGray, kRgb, kBgr, kAny };

/// The type of a base row's values: uint16 for images that store more than 8 bits per channel.
inline tensor::DType base_dtype(const ImageHeader& header) {
  return header.bit_depth > 8 ? tensor::DType::kUint16 : tensor::DType::kUint8;
}

inline int base_channels(const ImageHeader& header, BaseForm form) {
  return form == BaseForm::kAny ? header.channels : form == BaseForm::kGray ? 1 : 3;
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

Result<ImageHeader> read_jpeg_header(Bytes bytes);
Status decode_jpeg(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

Result<ImageHeader> read_png_header(Bytes bytes);
Status decode_png(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

}  // namespace forebay::codec
