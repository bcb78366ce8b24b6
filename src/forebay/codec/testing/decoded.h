// What tests ask of a decoded image, or of the error in its place.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "forebay/codec/image_decoder.h"

namespace forebay::codec {

/// The pixels of an image of bytes; none, and the test fails, where it is broken.
inline std::vector<uint8_t> pixels_of(Bytes bytes, const ImageDecodeOptions& options = {}) {
  const auto image = decode_image(bytes, options);
  EXPECT_TRUE(image.ok()) << image.status();
  if (!image.ok()) {
    return {};
  }
  const auto pixels = image->view().span<uint8_t>();
  return {pixels.begin(), pixels.end()};
}

/// Whether the status is one that a broken image may end with.
inline bool is_clean(const Status& status) {
  return status.ok() || status.code() == StatusCode::kDataLoss ||
         status.code() == StatusCode::kUnimplemented || status.code() == StatusCode::kResourceExhausted;
}

}  // namespace forebay::codec
