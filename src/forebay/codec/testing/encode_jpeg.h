// JPEGs for tests, made by libjpeg-turbo, and libjpeg's plain decoding as the reference.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forebay/codec/image_decoder.h"

namespace forebay::codec::testing {

/// An image between a photograph and noise; deterministic for given arguments.
std::vector<uint8_t> test_photo(int height, int width, int channels, uint32_t seed = 1);

struct JpegOptions {
  int height = 0;
  int width = 0;
  int channels = 3;    // 1 grey, 3 RGB, 4 CMYK
  int sampling_x = 1;  // luma samples per chroma sample: 1, 2, 4
  int sampling_y = 1;
  bool has_odd_sampling = false;  // the sampling applies to the last channel instead of the first
  int quality = 85;
  bool is_progressive = false;
  bool has_separate_scans = false;  // sequential, one scan per channel
  bool keeps_colours = false;       // no YCbCr or YCCK transform: RGB or CMYK is stored
  bool is_arithmetic = false;
  int restart_interval = 0;  // in blocks; 0: none
  int exif_orientation = 0;  // 0: no EXIF
  bool exif_is_big_endian = false;
};

std::vector<std::byte> encode_jpeg(std::span<const uint8_t> pixels, const JpegOptions& options);

/// A test photo as a JPEG.
std::vector<std::byte> test_jpeg(const JpegOptions& options);

/// Decodes the whole image with a fresh libjpeg decompressor, row by row, to RGB, BGR, grey or (kAnyData)
/// four channels as stored. Empty if libjpeg reports an error.
std::vector<uint8_t> plain_jpeg_pixels(std::span<const std::byte> jpeg, OutputType output_type,
                                       bool fancy_upsampling = true, int scale_eighths = 8);

}  // namespace forebay::codec::testing
