// Small images of every kind of every format, for the tests that hold for all formats.
#pragma once

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "forebay/codec/image_format.h"

namespace forebay::codec::testing {

struct SampleImage {
  std::string name;
  std::vector<std::byte> bytes;
  ImageFormat format = ImageFormat::kUnknown;
  int height = 0;
  int width = 0;
  int channels = 0;              // for kAnyData
  std::vector<uint16_t> pixels;  // for kAnyData, in the type of base rows; empty if the coding is lossy
  bool ends_in_data = true;      // false: the last bytes may be cut off without loss
  std::vector<uint8_t> indices;  // of the colours of a palette; empty if there is none
};

/// What tests say of a sample.
inline void PrintTo(const SampleImage& sample, std::ostream* out) {
  *out << sample.name;
}

/// Images of one format, or of all.
std::vector<SampleImage> bmp_samples();
std::vector<SampleImage> pnm_samples();
std::vector<SampleImage> webp_samples();
std::vector<SampleImage> tiff_samples();
std::vector<SampleImage> jpeg2000_samples();
std::vector<SampleImage> avif_samples();
std::vector<SampleImage> jpegxl_samples();
std::vector<SampleImage> all_samples();

/// The pages of one TIFF, which the bytes of each are: RGB, a palette turned by 6, grey of 16 bits, planes.
/// `mode` is libtiff's: "w", with 8 for BigTIFF, b for big-endian.
std::vector<SampleImage> tiff_pages(const char* mode);

/// A TIFF with a palette and an orientation from 1 to 8.
SampleImage turned_tiff(int orientation);

/// A square TIFF of black grey in one strip, in a coding of libtiff's numbers: as small as it can be made.
std::vector<std::byte> blank_tiff(int side, int bits, int coding);

/// Values from 0 to `white`, deterministic, smooth with edges.
std::vector<uint16_t> sample_pixels(int height, int width, int channels, int white);

}  // namespace forebay::codec::testing
