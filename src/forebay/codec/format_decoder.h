// What each image format does for image_decoder.h: it parses its header and delivers rows of a window in
// stored order and in a *base form*, its own channels brought to grey, RGB, BGR or as they are, in uint8 or
// uint16. Conversion to the wanted colour space and dtype, and orientation, are the same for all formats and
// happen outside.
#pragma once

#include <cstddef>
#include <cstdint>

#include "absl/functional/function_ref.h"
#include "forebay/base/byte_source.h"
#include "forebay/codec/image_decoder.h"
#include "forebay/tensor/dtype.h"

namespace forebay::codec {

enum class BaseForm { kGray, kRgb, kBgr, kAny };

/// One value of a base row: uint16 for images that store more than 8 bits a channel.
inline tensor::DType base_dtype(const ImageHeader& header) {
  return header.bit_depth > 8 ? tensor::DType::kUint16 : tensor::DType::kUint8;
}

inline int base_channels(const ImageHeader& header, BaseForm form) {
  return form == BaseForm::kAny ? header.channels : form == BaseForm::kGray ? 1 : 3;
}

/// Takes base row `y` (0-based within the window).
using BaseRowSink = absl::FunctionRef<Status(int64_t y, const void* row)>;

struct BaseRequest {
  BaseForm form = BaseForm::kRgb;
  Window window;  // in scaled, stored coordinates; within the image and not empty
  const ImageDecodeOptions& options;
  /// Where rows go when the base form is already what the caller wants: `direct` with `pitch_bytes` from row
  /// to row; else null, and each row goes to `sink`.
  std::byte* direct = nullptr;
  int64_t pitch_bytes = 0;
  BaseRowSink sink;
};

Result<ImageHeader> read_jpeg_header(Bytes bytes);
Status decode_jpeg(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

Result<ImageHeader> read_png_header(Bytes bytes);
Status decode_png(Bytes bytes, const ImageHeader& header, const BaseRequest& request);

}  // namespace forebay::codec
