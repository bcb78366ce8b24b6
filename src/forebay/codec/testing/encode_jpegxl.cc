// JPEG XL files for tests, made by libjxl.
#include <jxl/encode.h>

#include <span>

#include "forebay/base/check.h"
#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec::testing {
namespace {

constexpr int kJxlHeight = 37;
constexpr int kJxlWidth = 53;

SampleImage jpegxl(const char* name, int channels, int bits, bool is_boxed, bool is_lossless) {
  SampleImage sample{name, {}, ImageFormat::kJpegXl, kJxlHeight, kJxlWidth, channels, {}};
  const auto pixels = sample_pixels(kJxlHeight, kJxlWidth, channels, (1 << bits) - 1);
  const std::vector<uint8_t> narrow(pixels.begin(), pixels.end());
  const bool has_alpha = channels % 2 == 0;
  JxlEncoder* encoder = JxlEncoderCreate(nullptr);
  JxlEncoderUseContainer(encoder, is_boxed ? JXL_TRUE : JXL_FALSE);
  JxlBasicInfo info;
  JxlEncoderInitBasicInfo(&info);
  info.xsize = kJxlWidth;
  info.ysize = kJxlHeight;
  info.bits_per_sample = static_cast<uint32_t>(bits);
  info.num_color_channels = static_cast<uint32_t>(channels - (has_alpha ? 1 : 0));
  info.num_extra_channels = has_alpha ? 1 : 0;
  info.alpha_bits = has_alpha ? static_cast<uint32_t>(bits) : 0;
  info.uses_original_profile = is_lossless ? JXL_TRUE : JXL_FALSE;
  FOREBAY_CHECK(JxlEncoderSetBasicInfo(encoder, &info) == JXL_ENC_SUCCESS);
  JxlColorEncoding colours;
  JxlColorEncodingSetToSRGB(&colours, channels <= 2 ? JXL_TRUE : JXL_FALSE);
  FOREBAY_CHECK(JxlEncoderSetColorEncoding(encoder, &colours) == JXL_ENC_SUCCESS);
  JxlEncoderFrameSettings* settings = JxlEncoderFrameSettingsCreate(encoder, nullptr);
  JxlEncoderFrameSettingsSetOption(settings, JXL_ENC_FRAME_SETTING_EFFORT, 3);
  if (is_lossless) {
    JxlEncoderSetFrameLossless(settings, JXL_TRUE);
    sample.pixels = pixels;
  }
  const JxlPixelFormat format{static_cast<uint32_t>(channels), bits > 8 ? JXL_TYPE_UINT16 : JXL_TYPE_UINT8,
                              JXL_NATIVE_ENDIAN, 0};
  const void* data = bits > 8 ? static_cast<const void*>(pixels.data()) : narrow.data();
  const size_t size = pixels.size() * (bits > 8 ? 2 : 1);
  FOREBAY_CHECK(JxlEncoderAddImageFrame(settings, &format, data, size) == JXL_ENC_SUCCESS);
  JxlEncoderCloseInput(encoder);
  sample.bytes.resize(1 << 20);
  auto* next = reinterpret_cast<uint8_t*>(sample.bytes.data());
  size_t room = sample.bytes.size();
  FOREBAY_CHECK(JxlEncoderProcessOutput(encoder, &next, &room) == JXL_ENC_SUCCESS);
  sample.bytes.resize(sample.bytes.size() - room);
  JxlEncoderDestroy(encoder);
  return sample;
}

}  // namespace

std::vector<SampleImage> jpegxl_samples() {
  return {jpegxl("jxl lossy", 3, 8, false, false),         jpegxl("jxl lossless", 3, 8, false, true),
          jpegxl("jxl in boxes", 3, 8, true, true),        jpegxl("jxl with alpha", 4, 8, false, true),
          jpegxl("jxl 16 bits", 3, 16, false, true),       jpegxl("jxl grey", 1, 8, false, true),
          jpegxl("jxl grey with alpha", 2, 8, false, true)};
}

}  // namespace forebay::codec::testing
