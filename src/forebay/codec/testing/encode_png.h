// PNGs for tests, made by libspng.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace forebay::codec::testing {

struct PngOptions {
  int height = 0;
  int width = 0;
  int colour_type = 2;  // 0 grey, 2 RGB, 3 palette, 4 grey and alpha, 6 RGBA
  int bit_depth = 8;
  bool is_interlaced = false;
  std::vector<std::array<uint8_t, 3>> palette;
  bool has_transparency = false;  // a tRNS chunk, for colour types 0, 2 and 3
  uint32_t gamma = 0;             // times 100,000; 0: no gAMA chunk
  bool is_srgb = false;           // an sRGB chunk
  int exif_orientation = 0;       // 0: no eXIf chunk
};

int png_channels(int colour_type);

/// `samples`: height x width x channels values below 2 to the power of the bit depth.
std::vector<std::byte> encode_png(std::span<const uint16_t> samples, const PngOptions& options);

/// Samples that cover the whole range; deterministic for given options.
std::vector<uint16_t> test_samples(const PngOptions& options);

/// A chunk with its length and checksum.
void append_png_chunk(std::vector<std::byte>& file, std::string_view type, std::span<const std::byte> data);

}  // namespace forebay::codec::testing
