// Which image format bytes are in, told by their content: file names and media types lie.
#pragma once

#include <string_view>

#include "forebay/base/byte_source.h"

namespace forebay::codec {

enum class ImageFormat { kUnknown, kJpeg, kPng, kTiff, kBmp, kWebp, kJpeg2000, kPnm, kGif };

/// The format by the first bytes ("magic numbers" of each format's specification); kUnknown when none fits.
ImageFormat image_format_of(Bytes bytes);

/// "JPEG", "PNG", "JPEG 2000", ...
std::string_view name_of(ImageFormat format);

}  // namespace forebay::codec
