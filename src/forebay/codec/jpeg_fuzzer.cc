// Any bytes as a JPEG: header, whole image, a window and rows.
#include <cstddef>
#include <cstdint>
#include <span>

#include "forebay/codec/image_decoder.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace forebay;
  const Bytes bytes = std::as_bytes(std::span(data, size));
  if (codec::image_format_of(bytes) != codec::ImageFormat::kJpeg) {
    return 0;
  }
  const auto header = codec::read_image_header(bytes);
  if (!header.ok()) {
    return 0;
  }
  codec::ImageDecodeOptions options;
  options.limits.max_pixels = 1 << 18;
  options.limits.max_bytes = 64 << 20;
  options.limits.max_scans = 16;
  options.output_type = static_cast<codec::OutputType>(size % 5);
  options.fancy_upsampling = size % 2 == 0;
  (void)codec::decode_image(bytes, options);
  const codec::ImageSize whole = codec::oriented_size(*header, options);
  const int64_t y = whole.height / 3;
  const int64_t x = whole.width / 5;
  options.window = codec::Window{y, x, whole.height - y, (whole.width - x + 1) / 2};
  (void)codec::decode_image_rows(bytes, *header, options,
                                 [](int64_t, std::span<const uint8_t>) { return ok_status(); });
  return 0;
}
