// RGB pixels to a baseline JPEG: what distorts pictures as files do.
#pragma once

#include <cstdint>
#include <span>

#include "forebay/base/status.h"

namespace forebay::codec {

/// Tightly packed rows of RGB.
struct RgbPixels {
  const uint8_t* data = nullptr;
  int64_t height = 0;  // 1 to 65500
  int64_t width = 0;
};

/// How many bytes write_jpeg() takes at most.
size_t most_jpeg_bytes(int64_t height, int64_t width);

/// Writes a JPEG with chroma at half of the resolution in both directions, of `quality` 1 to 100, into `to`,
/// which has most_jpeg_bytes(). Returns its size. invalid_argument for sizes that no JPEG has. Thread safe.
Result<size_t> write_jpeg(const RgbPixels& pixels, int quality, std::span<std::byte> to);

}  // namespace forebay::codec
