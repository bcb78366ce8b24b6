// PNMs and PAMs for tests.
#include <algorithm>
#include <string>

#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec::testing {
namespace {

constexpr int kHeight = 23;
constexpr int kWidth = 37;

std::vector<std::byte> bytes_of_text(const std::string& text) {
  std::vector<std::byte> bytes;
  std::ranges::transform(text, std::back_inserter(bytes), [](char c) { return static_cast<std::byte>(c); });
  return bytes;
}

std::string raster_of(int kind, const std::vector<uint16_t>& values, int max_value) {
  std::string raster;
  for (size_t i = 0; i < values.size(); ++i) {
    if (kind <= 3) {
      raster += std::to_string(values[i]) + (i % 17 == 16 ? "\n" : kind == 1 ? "" : " ");
    } else if (kind != 4) {
      raster += max_value > 255 ? std::string(1, static_cast<char>(values[i] >> 8)) : "";
      raster += static_cast<char>(values[i] & 255);
    } else if (i % kWidth % 8 == 0) {
      int packed = 0;
      for (size_t bit = 0; bit < 8; ++bit) {
        const bool is_inside = i % kWidth + bit < kWidth;
        packed = packed << 1 | (is_inside ? values[i + bit] : 0);
      }
      raster += static_cast<char>(packed);
    }
  }
  return raster;
}

SampleImage pnm(int kind, int channels, int max_value) {
  SampleImage sample{"P" + std::to_string(kind) + " " + std::to_string(max_value),
                     {},
                     ImageFormat::kPnm,
                     kHeight,
                     kWidth,
                     channels};
  const auto values = sample_pixels(kHeight, kWidth, channels, max_value);
  const bool is_bitmap = kind == 1 || kind == 4;
  const uint64_t white = max_value > 255 ? 65535 : 255;
  for (const uint64_t value : values) {
    const uint64_t scaled = value * white / static_cast<uint64_t>(max_value);
    sample.pixels.push_back(static_cast<uint16_t>(is_bitmap ? white - scaled : scaled));
  }
  const auto [width, height] = std::pair(std::to_string(kWidth), std::to_string(kHeight));
  std::string header = "P" + std::to_string(kind) + "\n# a comment\n";
  if (kind == 7) {
    header += "WIDTH " + width + "\nHEIGHT " + height + "\nDEPTH " + std::to_string(channels) + "\nMAXVAL " +
              std::to_string(max_value) + "\nTUPLTYPE ANY\nENDHDR\n";
  } else {
    header += width + " # of\n" + height + (is_bitmap ? "" : "\n" + std::to_string(max_value)) + "\n";
  }
  sample.bytes = bytes_of_text(header + raster_of(kind, values, max_value));
  sample.ends_in_data = kind > 3;
  return sample;
}

}  // namespace

std::vector<SampleImage> pnm_samples() {
  return {pnm(1, 1, 1),   pnm(2, 1, 255), pnm(2, 1, 1000),  pnm(3, 3, 15),  pnm(4, 1, 1),
          pnm(5, 1, 255), pnm(5, 1, 100), pnm(5, 1, 65535), pnm(6, 3, 255), pnm(6, 3, 4095),
          pnm(7, 1, 1),   pnm(7, 2, 255), pnm(7, 3, 65535), pnm(7, 4, 255)};
}

}  // namespace forebay::codec::testing
