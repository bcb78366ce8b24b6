// WebPs for tests, made by libwebp.
#include <webp/encode.h>

#include <span>

#include "forebay/base/check.h"
#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec::testing {
namespace {

constexpr int kWebpHeight = 37;
constexpr int kWebpWidth = 53;

std::vector<std::byte> taken(uint8_t* data, size_t size) {
  FOREBAY_CHECK(size > 0);
  const auto bytes = std::as_bytes(std::span(data, size));
  std::vector<std::byte> file(bytes.begin(), bytes.end());
  WebPFree(data);
  return file;
}

SampleImage webp(const std::string& name, int channels, bool is_lossless) {
  SampleImage sample{name, {}, ImageFormat::kWebp, kWebpHeight, kWebpWidth, channels};
  const auto pixels = sample_pixels(kWebpHeight, kWebpWidth, channels, 255);
  std::vector<uint8_t> bytes(pixels.begin(), pixels.end());
  const int stride = kWebpWidth * channels;
  uint8_t* file = nullptr;
  size_t size = 0;
  if (is_lossless) {
    size = channels == 4 ? WebPEncodeLosslessRGBA(bytes.data(), kWebpWidth, kWebpHeight, stride, &file)
                         : WebPEncodeLosslessRGB(bytes.data(), kWebpWidth, kWebpHeight, stride, &file);
    sample.pixels = pixels;
  } else {
    size = channels == 4 ? WebPEncodeRGBA(bytes.data(), kWebpWidth, kWebpHeight, stride, 80, &file)
                         : WebPEncodeRGB(bytes.data(), kWebpWidth, kWebpHeight, stride, 80, &file);
  }
  sample.bytes = taken(file, size);
  return sample;
}

void append(std::vector<std::byte>& file, const char* name, std::vector<std::byte> data) {
  for (const char* letter = name; *letter != 0; ++letter) {
    file.push_back(static_cast<std::byte>(*letter));
  }
  for (int shift = 0; shift < 32; shift += 8) {
    file.push_back(static_cast<std::byte>(data.size() >> shift));
  }
  file.insert(file.end(), data.begin(), data.end());
  if (data.size() % 2 == 1) {
    file.push_back(std::byte{0});
  }
}

/// The still image as the only frame of an animation.
SampleImage animation_of(SampleImage still) {
  constexpr auto kLeft = std::byte{kWebpWidth - 1};
  constexpr auto kBelow = std::byte{kWebpHeight - 1};
  constexpr std::byte kNone{0};
  const std::vector<std::byte> canvas = {std::byte{2}, kNone, kNone,  kNone, kLeft,
                                         kNone,        kNone, kBelow, kNone, kNone};
  std::vector<std::byte> frame(16);
  frame[6] = kLeft;
  frame[9] = kBelow;
  frame.insert(frame.end(), still.bytes.begin() + 12, still.bytes.end());
  std::vector<std::byte> chunks;
  for (const char letter : {'W', 'E', 'B', 'P'}) {
    chunks.push_back(static_cast<std::byte>(letter));
  }
  append(chunks, "VP8X", canvas);
  append(chunks, "ANIM", std::vector<std::byte>(6));
  append(chunks, "ANMF", frame);
  still.bytes.clear();
  append(still.bytes, "RIFF", chunks);
  still.name = "webp animation";
  return still;
}

}  // namespace

std::vector<SampleImage> webp_samples() {
  return {webp("webp lossy", 3, false), webp("webp lossy with alpha", 4, false),
          webp("webp lossless", 3, true), webp("webp lossless with alpha", 4, true),
          animation_of(webp("", 3, true))};
}

}  // namespace forebay::codec::testing
