#include "forebay/codec/testing/encode_png.h"

#include <spng.h>

#include <cstdlib>
#include <random>

#include "forebay/base/check.h"
#include "forebay/codec/testing/checksum.h"
#include "forebay/codec/testing/exif_block.h"

namespace forebay::codec::testing {
namespace {

/// Samples as SPNG_FMT_PNG expects them: packed if below 8 bits, rows begin at a byte boundary, 16 bits in
/// native byte order.
std::vector<std::byte> packed_rows(std::span<const uint16_t> samples, const PngOptions& options) {
  std::vector<std::byte> bytes;
  const size_t row_samples = static_cast<size_t>(options.width) * png_channels(options.colour_type);
  for (int y = 0; y < options.height; ++y) {
    unsigned filled = 0;
    unsigned bits = 0;
    for (size_t i = 0; i < row_samples; ++i) {
      const uint16_t sample = samples[y * row_samples + i];
      if (options.bit_depth == 16) {
        const auto two = std::as_bytes(std::span(&sample, 1));
        bytes.insert(bytes.end(), two.begin(), two.end());
        continue;
      }
      bits = bits << options.bit_depth | sample;
      filled += options.bit_depth;
      if (filled == 8) {
        bytes.push_back(static_cast<std::byte>(bits));
        filled = 0;
        bits = 0;
      }
    }
    if (filled > 0) {
      bytes.push_back(static_cast<std::byte>(bits << (8 - filled)));
    }
  }
  return bytes;
}

void add_chunks(spng_ctx* context, const PngOptions& options) {
  if (options.colour_type == 3) {
    spng_plte palette{};
    palette.n_entries = static_cast<uint32_t>(options.palette.size());
    for (size_t i = 0; i < options.palette.size(); ++i) {
      palette.entries[i] = {options.palette[i][0], options.palette[i][1], options.palette[i][2], 255};
    }
    FOREBAY_CHECK(spng_set_plte(context, &palette) == 0);
  }
  if (options.has_transparency) {
    spng_trns transparency{};
    transparency.n_type3_entries = 1;
    FOREBAY_CHECK(spng_set_trns(context, &transparency) == 0);
  }
  if (options.gamma != 0) {
    FOREBAY_CHECK(spng_set_gama_int(context, options.gamma) == 0);
  }
  if (options.is_srgb) {
    FOREBAY_CHECK(spng_set_srgb(context, 0) == 0);
  }
}

void append_u32(std::vector<std::byte>& bytes, uint32_t value) {
  for (const int shift : {24, 16, 8, 0}) {
    bytes.push_back(static_cast<std::byte>(value >> shift));
  }
}

/// libspng reads eXIf but does not write it: insert the chunk after the header.
void insert_exif(std::vector<std::byte>& png, int orientation) {
  constexpr size_t kAfterHeader = 8 + 12 + 13;
  const std::vector<uint8_t> block = exif_block(orientation, true);
  std::vector<std::byte> chunk;
  append_png_chunk(chunk, "eXIf", std::as_bytes(std::span(block)));
  png.insert(png.begin() + kAfterHeader, chunk.begin(), chunk.end());
}

}  // namespace

void append_png_chunk(std::vector<std::byte>& file, std::string_view type, std::span<const std::byte> data) {
  append_u32(file, static_cast<uint32_t>(data.size()));
  const size_t typed = file.size();
  const auto letters = std::as_bytes(std::span(type));
  file.insert(file.end(), letters.begin(), letters.end());
  file.insert(file.end(), data.begin(), data.end());
  append_u32(file, crc32_of(Bytes(file).subspan(typed)));
}

int png_channels(int colour_type) {
  constexpr std::array<int, 7> kChannels = {1, 0, 3, 1, 2, 0, 4};
  return kChannels[colour_type];
}

std::vector<std::byte> encode_png(std::span<const uint16_t> samples, const PngOptions& options) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_ENCODER);
  spng_set_option(context, SPNG_ENCODE_TO_BUFFER, 1);
  spng_ihdr header{};
  header.height = static_cast<uint32_t>(options.height);
  header.width = static_cast<uint32_t>(options.width);
  header.bit_depth = static_cast<uint8_t>(options.bit_depth);
  header.color_type = static_cast<uint8_t>(options.colour_type);
  header.interlace_method = options.is_interlaced ? 1 : 0;
  FOREBAY_CHECK(spng_set_ihdr(context, &header) == 0);
  add_chunks(context, options);
  const std::vector<std::byte> rows = packed_rows(samples, options);
  FOREBAY_CHECK(spng_encode_image(context, rows.data(), rows.size(), SPNG_FMT_PNG, SPNG_ENCODE_FINALIZE) ==
                0);
  size_t size = 0;
  int error = 0;
  void* data = spng_get_png_buffer(context, &size, &error);
  FOREBAY_CHECK(data != nullptr && error == 0);
  const auto* first = static_cast<const std::byte*>(data);
  std::vector<std::byte> result(first, first + size);
  std::free(data);
  spng_ctx_free(context);
  if (options.exif_orientation != 0) {
    insert_exif(result, options.exif_orientation);
  }
  return result;
}

std::vector<uint16_t> test_samples(const PngOptions& options) {
  std::mt19937 random(static_cast<uint32_t>(options.height * 100 + options.bit_depth));
  const uint32_t range = options.colour_type == 3 && !options.palette.empty()
                             ? static_cast<uint32_t>(options.palette.size())
                             : uint32_t{1} << options.bit_depth;
  std::vector<uint16_t> samples;
  const int count = options.height * options.width * png_channels(options.colour_type);
  for (int i = 0; i < count; ++i) {
    samples.push_back(static_cast<uint16_t>(random() % range));
  }
  return samples;
}

}  // namespace forebay::codec::testing
