// Decodes arbitrary bytes as an image of one format: header, of a TIFF also of later pages, whole image, a
// window and rows. Shared by the fuzzers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "forebay/codec/image_decoder.h"
#include "forebay/tensor/tensor.h"

namespace forebay::codec::testing {

inline void fuzz_image(const uint8_t* data, size_t size, ImageFormat format) {
  const Bytes bytes = std::as_bytes(std::span(data, size));
  if (image_format_of(bytes) != format) {
    return;
  }
  const int64_t page = format == ImageFormat::kTiff ? data[size - 1] % 4 : 0;
  const auto header = read_image_header(bytes, page);
  if (!header.ok()) {
    return;
  }
  ImageDecodeOptions options;
  options.limits.max_pixels = 1 << 18;
  options.limits.max_bytes = 64 << 20;
  options.limits.max_scans = 16;
  options.output_type = static_cast<OutputType>(size % 5);
  options.fancy_upsampling = size % 2 == 0;
  options.gives_indices = header->index_bits > 0 && size % 3 == 0;
  if (const auto spec = decoded_spec(*header, options); spec.ok()) {
    auto image = tensor::Tensor::allocate(*spec);
    (void)decode_image(bytes, *header, options, image->mutable_view());
  }
  const ImageSize whole = oriented_size(*header, options);
  const int64_t y = whole.height / 3;
  const int64_t x = whole.width / 5;
  options.window = Window{y, x, whole.height - y, (whole.width - x + 1) / 2};
  (void)decode_image_rows(bytes, *header, options,
                          [](int64_t, std::span<const uint8_t>) { return ok_status(); });
}

}  // namespace forebay::codec::testing
