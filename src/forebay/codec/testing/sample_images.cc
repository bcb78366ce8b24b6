#include "forebay/codec/testing/sample_images.h"

#include <cmath>
#include <iterator>

namespace forebay::codec::testing {

std::vector<uint16_t> sample_pixels(int height, int width, int channels, int white) {
  std::vector<uint16_t> pixels;
  for (int y = 0; y < height; ++y) {
    for (int x = 0; x < width; ++x) {
      for (int c = 0; c < channels; ++c) {
        const double wave = std::sin(x / (5.0 + c)) * std::cos(y / (7.0 - c));
        const int edge = (x / 9 + y / 11 + c) % 2;
        pixels.push_back(static_cast<uint16_t>((0.5 + 0.35 * wave + 0.15 * edge) * white * 0.999));
      }
    }
  }
  return pixels;
}

std::vector<SampleImage> all_samples() {
  std::vector<SampleImage> all;
  for (auto* samples_of : {bmp_samples, pnm_samples, webp_samples, tiff_samples, jpeg2000_samples,
                           avif_samples, jpegxl_samples}) {
    std::vector<SampleImage> samples = samples_of();
    all.insert(all.end(), std::move_iterator(samples.begin()), std::move_iterator(samples.end()));
  }
  return all;
}

}  // namespace forebay::codec::testing
