// The unpacked file is equivalent: libspng makes the same image of both. Unsuitable files are left alone.
#include "forebay/codec/png/png_unpacked.h"

#include <gtest/gtest.h>
#include <spng.h>

#include <algorithm>
#include <string_view>

#include "forebay/codec/png/png_chunks.h"
#include "forebay/codec/testing/encode_png.h"

namespace forebay::codec {
namespace {

using testing::append_png_chunk;
using testing::encode_png;
using testing::PngOptions;
using testing::test_samples;
using File = std::vector<std::byte>;

struct Decoded {
  int code = 0;
  std::vector<uint8_t> pixels;
  bool operator==(const Decoded&) const = default;
};

/// Decodes raw samples, with every checksum verified.
Decoded decode(spng_ctx* context) {
  Decoded decoded;
  size_t size = 0;
  decoded.code = spng_decoded_image_size(context, SPNG_FMT_RAW, &size);
  if (decoded.code == 0) {
    decoded.pixels.resize(size);
    decoded.code = spng_decode_image(context, decoded.pixels.data(), size, SPNG_FMT_RAW, 0);
  }
  spng_ctx_free(context);
  return decoded;
}

Decoded decode_packed(Bytes png) {
  spng_ctx* context = spng_ctx_new(0);
  spng_set_png_buffer(context, png.data(), png.size());
  return decode(context);
}

Decoded decode_unpacked(UnpackedPng& png) {
  spng_ctx* context = spng_ctx_new(SPNG_CTX_IGNORE_ADLER32);
  spng_set_crc_action(context, SPNG_CRC_USE, SPNG_CRC_USE);
  const auto read = [](spng_ctx*, void* user, void* to, size_t size) {
    return static_cast<UnpackedPng*>(user)->read(to, size) ? 0 : static_cast<int>(SPNG_IO_EOF);
  };
  spng_set_png_stream(context, read, &png);
  return decode(context);
}

/// Where the first chunk of that name begins, with its length.
size_t find_chunk(const File& png, std::string_view type) {
  const std::string_view text(reinterpret_cast<const char*>(png.data()), png.size());
  return text.find(type) - 4;
}

File plain_picture(int height, int width, int colour_type = 2, int bit_depth = 8) {
  PngOptions options{height, width, colour_type, bit_depth};
  options.gamma = 45455;
  return encode_png(test_samples(options), options);
}

/// The file with its image data split into chunks of `size` bytes, with `between` after the first of them.
File with_split_data(const File& file, size_t size, std::string_view between = {}) {
  File split(file.begin(), file.begin() + kPngSignatureBytes);
  for (size_t at = kPngSignatureBytes; at < file.size();) {
    const PngChunk chunk = *read_png_chunk(file, at);
    at += chunk.data.size() + kPngChunkFrameBytes;
    if (chunk.type != "IDAT") {
      append_png_chunk(split, chunk.type, chunk.data);
      continue;
    }
    for (size_t part = 0; part < chunk.data.size(); part += size) {
      append_png_chunk(split, "IDAT", chunk.data.subspan(part, std::min(size, chunk.data.size() - part)));
      if (part == 0 && !between.empty()) {
        append_png_chunk(split, between, {});
      }
    }
  }
  return split;
}

TEST(UnpackedPngTest, IsTheSameImage) {
  const File several_blocks = plain_picture(260, 313);
  for (const File& file : {plain_picture(1, 1), plain_picture(23, 37, 0, 1), plain_picture(9, 9, 4, 16),
                           plain_picture(40, 31, 6), several_blocks, with_split_data(several_blocks, 1000)}) {
    const auto unpacked = UnpackedPng::make(file);
    ASSERT_NE(unpacked, nullptr);
    const Decoded decoded = decode_unpacked(*unpacked);
    EXPECT_EQ(decoded.code, 0) << spng_strerror(decoded.code);
    EXPECT_EQ(decoded, decode_packed(file));
  }
}

TEST(UnpackedPngTest, EndsWhereTheFileEnds) {
  const File file = plain_picture(2, 2);
  const auto unpacked = UnpackedPng::make(file);
  ASSERT_NE(unpacked, nullptr);
  std::byte byte{};
  size_t size = 0;
  while (unpacked->read(&byte, 1)) {
    ++size;
  }
  EXPECT_GT(size, 60);
  EXPECT_FALSE(unpacked->read(&byte, 1));
}

TEST(UnpackedPngTest, LeavesInterlacedAndLargeImagesAlone) {
  PngOptions options{16, 16};
  options.is_interlaced = true;
  EXPECT_EQ(UnpackedPng::make(encode_png(test_samples(options), options)), nullptr);
  EXPECT_EQ(UnpackedPng::make(plain_picture(1700, 1700)), nullptr);
}

TEST(UnpackedPngTest, LeavesOutAncillaryChunksOfAWrongChecksum) {
  File file = plain_picture(20, 20);
  const Decoded whole = decode_packed(file);
  file[find_chunk(file, "gAMA") + 9] ^= std::byte{0x10};
  const auto unpacked = UnpackedPng::make(file);
  ASSERT_NE(unpacked, nullptr);
  EXPECT_EQ(decode_unpacked(*unpacked), whole);
}

TEST(UnpackedPngTest, LeavesBrokenFilesAlone) {
  const File file = plain_picture(20, 20);
  for (size_t size = kPngSignatureBytes; size < file.size(); ++size) {
    EXPECT_EQ(UnpackedPng::make(Bytes(file).first(size)), nullptr) << size;
  }
  const size_t gamma = find_chunk(file, "gAMA");
  for (size_t at = kPngSignatureBytes; at < file.size(); ++at) {
    if (at >= gamma + 4 && at < gamma + kPngChunkFrameBytes + 4) {
      continue;  // its name, data and checksum
    }
    File flipped = file;
    flipped[at] ^= std::byte{0x10};
    EXPECT_EQ(UnpackedPng::make(flipped), nullptr) << "byte " << at;
  }
  EXPECT_EQ(UnpackedPng::make(with_split_data(file, 50, "teSt")), nullptr);
}

TEST(UnpackedPngTest, LeavesDataOfAnotherSizeAlone) {
  const File file = plain_picture(20, 20);
  for (const uint32_t height : {19U, 21U}) {  // the data has 20 rows
    File other(file.begin(), file.begin() + kPngSignatureBytes);
    for (size_t at = kPngSignatureBytes; at < file.size();) {
      const PngChunk chunk = *read_png_chunk(file, at);
      File data(chunk.data.begin(), chunk.data.end());
      if (chunk.type == "IHDR") {
        data[7] = static_cast<std::byte>(height);
      }
      append_png_chunk(other, chunk.type, data);
      at += chunk.data.size() + kPngChunkFrameBytes;
    }
    EXPECT_EQ(UnpackedPng::make(other), nullptr) << height;
  }
}

}  // namespace
}  // namespace forebay::codec
