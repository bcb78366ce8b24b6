// AVIFs for tests, made by libavif.
#include <avif/avif.h>

#include <span>

#include "forebay/base/check.h"
#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec::testing {
namespace {

constexpr int kAvifHeight = 37;
constexpr int kAvifWidth = 53;

SampleImage avif(const char* name, avifPixelFormat format, int depth, bool has_alpha, bool is_lossless) {
  const bool is_grey = format == AVIF_PIXEL_FORMAT_YUV400;
  const int channels = (is_grey ? 1 : 3) + (has_alpha ? 1 : 0);
  SampleImage sample{name, {}, ImageFormat::kAvif, kAvifHeight, kAvifWidth, channels, {}};
  const int colours = has_alpha ? 4 : 3;
  const auto pixels = sample_pixels(kAvifHeight, kAvifWidth, colours, (1 << depth) - 1);
  avifImage* image = avifImageCreate(kAvifWidth, kAvifHeight, depth, format);
  image->matrixCoefficients =
      is_lossless ? AVIF_MATRIX_COEFFICIENTS_IDENTITY : AVIF_MATRIX_COEFFICIENTS_BT601;
  avifRGBImage rgb;
  avifRGBImageSetDefaults(&rgb, image);
  rgb.format = has_alpha ? AVIF_RGB_FORMAT_RGBA : AVIF_RGB_FORMAT_RGB;
  rgb.depth = static_cast<uint32_t>(depth);
  std::vector<uint8_t> narrow(pixels.begin(), pixels.end());
  std::vector<uint16_t> wide = pixels;
  rgb.pixels = depth > 8 ? reinterpret_cast<uint8_t*>(wide.data()) : narrow.data();
  rgb.rowBytes = static_cast<uint32_t>(kAvifWidth * colours * (depth > 8 ? 2 : 1));
  FOREBAY_CHECK(avifImageRGBToYUV(image, &rgb) == AVIF_RESULT_OK);
  avifEncoder* encoder = avifEncoderCreate();
  encoder->speed = 10;
  encoder->minQuantizer = is_lossless ? 0 : 20;
  encoder->maxQuantizer = is_lossless ? 0 : 30;
  encoder->minQuantizerAlpha = 0;
  encoder->maxQuantizerAlpha = 0;
  avifRWData file = AVIF_DATA_EMPTY;
  FOREBAY_CHECK(avifEncoderWrite(encoder, image, &file) == AVIF_RESULT_OK);
  const auto bytes = std::as_bytes(std::span(file.data, file.size));
  sample.bytes.assign(bytes.begin(), bytes.end());
  avifRWDataFree(&file);
  avifEncoderDestroy(encoder);
  avifImageDestroy(image);
  if (is_lossless && depth == 8) {
    sample.pixels = pixels;
  }
  return sample;
}

}  // namespace

std::vector<SampleImage> avif_samples() {
  return {avif("avif", AVIF_PIXEL_FORMAT_YUV420, 8, false, false),
          avif("avif lossless", AVIF_PIXEL_FORMAT_YUV444, 8, false, true),
          avif("avif lossless with alpha", AVIF_PIXEL_FORMAT_YUV444, 8, true, true),
          avif("avif 10 bits", AVIF_PIXEL_FORMAT_YUV444, 10, false, false),
          avif("avif grey", AVIF_PIXEL_FORMAT_YUV400, 8, false, false),
          avif("avif grey with alpha", AVIF_PIXEL_FORMAT_YUV400, 8, true, false)};
}

}  // namespace forebay::codec::testing
