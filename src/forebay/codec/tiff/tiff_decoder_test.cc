// TIFFs byte by byte: numbers that libtiff's other readers are not asked for, inks, orientation, refusals.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <libdeflate.h>
#include <tiffio.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/decoded.h"
#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec {
namespace {

using tensor::DType;
using ::testing::HasSubstr;
using ::testing::Not;

struct TiffTags {
  uint32_t height = 1;
  uint32_t width = 0;
  uint32_t samples = 1;
  uint32_t bits = 8;
  uint32_t meaning = 1;  // 0: white is 0; 1: black is 0; 2: RGB; 5: inks; 6: YCbCr; 8: Lab
  uint32_t format = 1;   // 1: unsigned; 2: signed; 3: floating
  uint32_t orientation = 1;
  uint32_t coding = 1;
};

/// A little-endian TIFF of one strip without compression. Tags of several values repeat one.
std::vector<std::byte> tiff_of(std::span<const std::byte> pixels, const TiffTags& tags) {
  constexpr uint32_t kHeaderBytes = 8;
  std::vector<std::byte> file;
  const auto put = [&](uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) {
      file.push_back(static_cast<std::byte>(value >> (8 * i)));
    }
  };
  const auto size = static_cast<uint32_t>(pixels.size());
  std::vector<std::array<uint32_t, 3>> entries = {
      {256, 1, tags.width},   {257, 1, tags.height},  {258, tags.samples, tags.bits},  {259, 1, tags.coding},
      {262, 1, tags.meaning}, {273, 1, kHeaderBytes}, {274, 1, tags.orientation},      {277, 1, tags.samples},
      {278, 1, tags.height},  {279, 1, size},         {339, tags.samples, tags.format}};
  if (tags.meaning == 6) {
    entries.push_back({530, 2, 1});  // not subsampled
  }
  put(0x002A4949, 4);
  put(kHeaderBytes + size, 4);
  file.insert(file.end(), pixels.begin(), pixels.end());
  put(static_cast<uint32_t>(entries.size()), 2);
  const auto values_at = static_cast<uint32_t>(file.size() + entries.size() * 12 + 4);
  for (const auto& [tag, count, value] : entries) {
    put(tag, 2);
    put(count > 1 ? 3 : 4, 2);  // short, long
    put(count, 4);
    put(count > 2 ? values_at + (tag == 339 ? 64 : 0) : count == 2 ? value << 16 | value : value, 4);
  }
  put(0, 4);
  for (const uint32_t value : {tags.bits, tags.format}) {
    for (int i = 0; i < 32; ++i) {
      put(value, 2);
    }
  }
  return file;
}

template <class T>
std::vector<std::byte> tiff_with(const std::vector<T>& values, TiffTags tags) {
  tags.bits = 8 * sizeof(T);
  tags.width = static_cast<uint32_t>(values.size()) / tags.samples / tags.height;
  return tiff_of(std::as_bytes(std::span(values)), tags);
}

template <class T>
std::vector<T> decoded_tiff(Bytes tiff, DType dtype, OutputType type = OutputType::kAnyData) {
  ImageDecodeOptions options;
  options.output_type = type;
  options.dtype = dtype;
  const auto image = decode_image(tiff, options);
  EXPECT_TRUE(image.ok()) << image.status();
  if (!image.ok()) {
    return {};
  }
  const auto pixels = image->view().template span<T>();
  return {pixels.begin(), pixels.end()};
}

TEST(TiffDecoderTest, FloatsKeepTheirValues) {
  const std::vector<float> values = {0.0F, 0.25F, 1.0F, 2.5F, -1.0F, std::bit_cast<float>(0x7FC00000U)};
  const auto tiff = tiff_with(values, {.format = 3});
  const auto same = decoded_tiff<float>(tiff, DType::kFloat);
  ASSERT_EQ(same.size(), values.size());
  EXPECT_EQ(std::memcmp(same.data(), values.data(), sizeof(float) * values.size()), 0);
  EXPECT_EQ(decoded_tiff<uint8_t>(tiff, DType::kUint8), (std::vector<uint8_t>{0, 64, 255, 255, 0, 0}));
  EXPECT_EQ(decoded_tiff<float>(tiff, DType::kFloat, OutputType::kRgb)[5], 0.25F);
}

/// As zlib packs it.
std::vector<std::byte> deflated(std::span<const uint8_t> values) {
  const std::unique_ptr<libdeflate_compressor, void (*)(libdeflate_compressor*)> packer(
      libdeflate_alloc_compressor(1), libdeflate_free_compressor);
  std::vector<std::byte> packed(libdeflate_zlib_compress_bound(packer.get(), values.size()));
  packed.resize(
      libdeflate_zlib_compress(packer.get(), values.data(), values.size(), packed.data(), packed.size()));
  return packed;
}

TEST(TiffDecoderTest, StripsHaveTheirPixelsWholeAndByRows) {
  constexpr uint32_t kWidth = 8192;
  for (const uint32_t height : {1024, 1025}) {  // 8 MiB, of which all is read at once, and more
    std::vector<uint8_t> values(uint64_t{height} * kWidth);
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<uint8_t>(i * i >> 7);
    }
    const auto tiff = tiff_of(deflated(values), {.height = height, .width = kWidth, .coding = 8});
    const auto header = read_image_header(tiff);
    ASSERT_TRUE(header.ok()) << header.status();
    EXPECT_EQ(header->whole_image_bytes > 0, height == 1024);
    EXPECT_TRUE(decoded_tiff<uint8_t>(tiff, DType::kUint8) == values);
    ImageDecodeOptions options;
    options.output_type = OutputType::kAnyData;
    options.window = Window{height - 2, 17, 2, 5};
    std::vector<uint8_t> expected;
    for (const uint64_t y : {height - 2, height - 1}) {
      const auto row = values.begin() + static_cast<int64_t>(y * kWidth);
      expected.insert(expected.end(), row + 17, row + 22);
    }
    EXPECT_EQ(pixels_of(tiff, options), expected);
  }
}

TEST(TiffDecoderTest, RunsOfPackBitsMayGoOverTheEndsOfRows) {
  const std::vector<uint8_t> values = {7, 7, 7, 7, 7, 1, 2, 3, 4, 9, 9, 9};
  const std::vector<uint8_t> packed = {252, 7, 3, 1, 2, 3, 4, 254, 9};  // five, four as they are, three
  const TiffTags tags{.height = 4, .width = 3, .coding = COMPRESSION_PACKBITS};
  const auto tiff = tiff_of(std::as_bytes(std::span(packed)), tags);
  EXPECT_EQ(decoded_tiff<uint8_t>(tiff, DType::kUint8), values);
  ImageDecodeOptions options;
  options.output_type = OutputType::kAnyData;
  options.window = Window{1, 1, 2, 2};
  EXPECT_EQ(pixels_of(tiff, options), (std::vector<uint8_t>{7, 1, 3, 4}));
}

TEST(TiffDecoderTest, ARunOfPackBitsMayEndBehindTheStrip) {
  constexpr uint32_t kSide = 3072;  // read by rows, which runs of 128 divide
  std::vector<uint8_t> packed;
  for (size_t bytes = 0; bytes + 128 < size_t{kSide} * kSide; bytes += 128) {
    packed.insert(packed.end(), {129, 5});
  }
  const TiffTags tags{.height = kSide, .width = kSide, .coding = COMPRESSION_PACKBITS};
  std::vector<uint8_t> cut = packed;
  packed.insert(packed.end(), {130, 5, 254, 6});  // 127, and three for one
  const auto pixels = decoded_tiff<uint8_t>(tiff_of(std::as_bytes(std::span(packed)), tags), DType::kUint8);
  ASSERT_EQ(pixels.size(), size_t{kSide} * kSide);
  EXPECT_EQ(pixels[pixels.size() - 2], 5);
  EXPECT_EQ(pixels.back(), 6);
  const Status status = decode_image(tiff_of(std::as_bytes(std::span(cut)), tags)).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
  EXPECT_THAT(message(status), Not(HasSubstr("goes on in the next row")));
}

TEST(TiffDecoderTest, RunsOfPackBitsThatRowsCutAreAnError) {
  constexpr uint32_t kSide = 3000;  // more than is read at once, in rows that runs of 128 do not divide
  std::vector<uint8_t> packed;
  for (size_t bytes = 0; bytes < size_t{kSide} * kSide; bytes += 128) {
    packed.insert(packed.end(), {129, static_cast<uint8_t>(bytes / 128)});
  }
  const TiffTags tags{.height = kSide, .width = kSide, .coding = COMPRESSION_PACKBITS};
  ImageDecodeOptions options;
  options.window = Window{0, 0, 100, 100};
  const Status status = decode_image(tiff_of(std::as_bytes(std::span(packed)), tags), options).status();
  EXPECT_EQ(status.code(), StatusCode::kDataLoss) << status;
  EXPECT_THAT(message(status), HasSubstr("PackBits"));
}

TEST(TiffDecoderTest, StripsOfFewBitsAreHeldAgainstWhatTheyBecome) {
  const std::vector<uint8_t> bits(1024 * 8192 / 8);
  const auto tiff = tiff_of(deflated(bits), {.height = 1024, .width = 8192, .bits = 1, .coding = 8});
  EXPECT_GT(read_image_header(tiff)->whole_image_bytes, 0);
  const auto taller = tiff_of(deflated(std::vector<uint8_t>(1025 * 8192 / 8)),
                              {.height = 1025, .width = 8192, .bits = 1, .coding = 8});
  EXPECT_EQ(read_image_header(taller)->whole_image_bytes, 0);
}

/// The file with another value of a tag, or where its values lie.
std::vector<std::byte> with_tag(std::vector<std::byte> tiff, uint16_t tag, uint32_t value,
                                uint32_t values = 1) {
  uint32_t at = 0;
  std::memcpy(&at, tiff.data() + 4, 4);
  uint16_t count = 0;
  std::memcpy(&count, tiff.data() + at, 2);
  for (at += 2; count > 0; --count, at += 12) {
    if (std::memcmp(tiff.data() + at, &tag, 2) == 0) {
      std::memcpy(tiff.data() + at + 4, &values, 4);
      std::memcpy(tiff.data() + at + 8, &value, 4);
    }
  }
  return tiff;
}

/// The file, whose one strip of two rows becomes two, at `offsets`.
std::vector<std::byte> in_two_strips(std::vector<std::byte> tiff, std::array<uint32_t, 2> offsets,
                                     uint32_t row) {
  const std::array<uint32_t, 2> sizes = {row, row};
  const auto offsets_at = static_cast<uint32_t>(tiff.size());
  for (const auto& values : {offsets, sizes}) {
    const auto bytes = std::as_bytes(std::span(values));
    tiff.insert(tiff.end(), bytes.begin(), bytes.end());
  }
  tiff = with_tag(std::move(tiff), 278, 1);
  tiff = with_tag(std::move(tiff), 273, offsets_at, 2);
  return with_tag(std::move(tiff), 279, offsets_at + sizeof(offsets), 2);
}

TEST(TiffDecoderTest, RowsThatLieAsTheyAreToBeAreTakenWhereverStripsLie) {
  const std::vector<uint8_t> values = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
  const auto one = tiff_with(values, {.height = 2, .samples = 3, .meaning = 2});  // rows at 8 and 14
  const auto two = in_two_strips(one, {8, 14}, 6);
  const auto turned = in_two_strips(one, {14, 8}, 6);
  const auto outside = in_two_strips(one, {8, 4000}, 6);
  EXPECT_EQ(read_image_header(one)->rows_at, 8);
  EXPECT_EQ(read_image_header(two)->rows_at, 8);
  EXPECT_EQ(read_image_header(turned)->rows_at, 0);
  EXPECT_EQ(read_image_header(tiff_of(deflated(values), {.height = 2, .width = 2, .samples = 3, .coding = 8}))
                ->rows_at,
            0);
  EXPECT_EQ(decoded_tiff<uint8_t>(one, DType::kUint8), values);
  EXPECT_EQ(decoded_tiff<uint8_t>(two, DType::kUint8), values);
  EXPECT_EQ(decoded_tiff<uint8_t>(turned, DType::kUint8),
            (std::vector<uint8_t>{7, 8, 9, 10, 11, 12, 1, 2, 3, 4, 5, 6}));
  ImageDecodeOptions options;
  options.window = Window{1, 1, 1, 1};
  EXPECT_EQ(pixels_of(two, options), (std::vector<uint8_t>{10, 11, 12}));
  EXPECT_EQ(pixels_of(turned, options), (std::vector<uint8_t>{4, 5, 6}));
  EXPECT_FALSE(decode_image(outside).ok());
}

TEST(TiffDecoderTest, RowsThatTheFileLacksAreNamed) {
  const std::vector<uint8_t> values(12, 7);
  auto tiff = tiff_with(values, {.height = 2, .samples = 3, .meaning = 2});
  auto header = *read_image_header(tiff);
  header.rows_at = tiff.size() - 7;  // as of another file
  const Status status =
      decode_image_rows(tiff, header, {}, [](int64_t, std::span<const uint8_t>) { return ok_status(); });
  EXPECT_THAT(std::string(message(status)), HasSubstr("row 1, of 6 bytes, does not lie in its"));
}

TEST(TiffDecoderTest, RowsThatAStripOrTileLacksAreNoPictureDecodedBefore) {
  constexpr uint16_t kLength = 257;
  for (const testing::SampleImage& sample : testing::tiff_samples()) {
    if (sample.name.find("jpeg") == std::string::npos && sample.name.find("fax") == std::string::npos) {
      continue;
    }
    const auto taller = with_tag(sample.bytes, kLength, 42);  // its last strip has 37 of the rows to 42
    const auto first = decode_image(taller);
    ASSERT_FALSE(pixels_of(testing::tiff_samples()[1].bytes).empty());
    const auto again = decode_image(taller);
    ASSERT_EQ(first.ok(), again.ok()) << sample.name;
    if (first.ok()) {
      EXPECT_TRUE(std::ranges::equal(first->bytes(), again->bytes())) << sample.name;
    }
  }
}

TEST(TiffDecoderTest, HalvesAndDoublesBecomeFloats) {
  const std::vector<uint16_t> halves = {0x0000, 0x3C00, 0x3800, 0xC000, 0x0001, 0x7BFF};
  EXPECT_EQ(decoded_tiff<float>(tiff_with(halves, {.format = 3}), DType::kFloat),
            (std::vector<float>{0.0F, 1.0F, 0.5F, -2.0F, 0x1p-24F, 65504.0F}));
  const std::vector<double> doubles = {0.0, 0.5, 0.1};
  EXPECT_EQ(decoded_tiff<float>(tiff_with(doubles, {.format = 3}), DType::kFloat),
            (std::vector<float>{0.0F, 0.5F, 0.1F}));
}

TEST(TiffDecoderTest, ThirtyTwoBitsAreKept) {
  const std::vector<uint32_t> values = {0, 1, 0x80000000, 0xFFFFFFFF, 0x12345678, 0x00010000};
  const auto tiff = tiff_with(values, {});
  EXPECT_EQ(decoded_tiff<uint32_t>(tiff, DType::kUint32), values);
  EXPECT_EQ(decoded_tiff<uint8_t>(tiff, DType::kUint8), (std::vector<uint8_t>{0, 0, 128, 255, 18, 0}));
  EXPECT_EQ(decoded_tiff<uint16_t>(tiff, DType::kUint16)[3], 65535);
  const auto rgb = tiff_with(values, {.samples = 3, .meaning = 2});
  EXPECT_EQ(decoded_tiff<uint8_t>(rgb, DType::kUint8, OutputType::kGray).size(), 2u);
}

TEST(TiffDecoderTest, InksBecomeColours) {
  const std::vector<uint8_t> inks = {0, 0, 0, 0, 255, 0, 0, 0, 0, 0, 0, 255, 73, 98, 221, 160};
  const auto tiff = tiff_with(inks, {.samples = 4, .meaning = 5});
  EXPECT_EQ(decoded_tiff<uint8_t>(tiff, DType::kUint8), inks);
  EXPECT_EQ(decoded_tiff<uint8_t>(tiff, DType::kUint8, OutputType::kRgb),
            (std::vector<uint8_t>{255, 255, 255, 0, 255, 255, 0, 0, 0, 67, 58, 12}));
}

TEST(TiffDecoderTest, YcbcrAndLabBecomeColours) {
  const std::vector<uint8_t> ycbcr = {200, 128, 128, 16, 128, 128, 120, 100, 170};
  const auto rgb = decoded_tiff<uint8_t>(tiff_with(ycbcr, {.samples = 3, .meaning = 6}), DType::kUint8);
  ASSERT_EQ(rgb.size(), 9u);
  EXPECT_EQ(rgb[0], rgb[1]);
  EXPECT_EQ(rgb[0], rgb[2]);
  EXPECT_GT(rgb[6], rgb[8]);
  const std::vector<uint8_t> lab = {255, 0, 0, 0, 0, 0};
  const auto white = decoded_tiff<uint8_t>(tiff_with(lab, {.samples = 3, .meaning = 8}), DType::kUint8);
  ASSERT_EQ(white.size(), 6u);
  EXPECT_GT(white[0], 240);
  EXPECT_LT(white[3], 10);
}

TEST(TiffDecoderTest, OrientationIsApplied) {
  const std::vector<uint8_t> grey = {1, 2, 3, 4, 5, 6};
  const auto tiff = tiff_with(grey, {.height = 2, .orientation = 6});
  EXPECT_EQ(decoded_tiff<uint8_t>(tiff, DType::kUint8), (std::vector<uint8_t>{4, 1, 5, 2, 6, 3}));
  EXPECT_EQ(decode_image(tiff)->shape(), (tensor::Shape{3, 2, 3}));
  const auto ycbcr =
      tiff_with(std::vector<uint8_t>(18, 128), {.height = 2, .samples = 3, .meaning = 6, .orientation = 3});
  EXPECT_TRUE(decode_image(ycbcr).ok());
}

TEST(TiffDecoderTest, PixelsOfManyChannelsAreTurned) {
  std::vector<uint8_t> values(30);
  for (size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<uint8_t>(i);
  }
  const auto tiff = tiff_with(values, {.samples = 15, .orientation = 2});
  const auto turned = decoded_tiff<uint8_t>(tiff, DType::kUint8);
  ASSERT_EQ(turned.size(), 30u);
  EXPECT_EQ(turned[0], 15);
  EXPECT_EQ(turned[15], 0);
}

TEST(TiffDecoderTest, WhatIsNotSupportedIsNamed) {
  const std::vector<uint16_t> values(12);
  const auto error_of = [&](const TiffTags& tags) {
    const Status status = decode_image(tiff_with(values, tags)).status();
    EXPECT_EQ(status.code(), StatusCode::kUnimplemented) << status;
    return std::string(message(status));
  };
  EXPECT_THAT(error_of({.format = 2}), HasSubstr("signed numbers"));
  EXPECT_THAT(error_of({.meaning = 32803}), HasSubstr("32803"));
  EXPECT_THAT(error_of({.coding = 6}), HasSubstr("withdrawn"));
  EXPECT_THAT(error_of({.coding = 12345}), HasSubstr("12345"));
}

/// Zeros are none of a fax's codes; libtiff goes on with white behind them. (Ones are: as above, as above...)
TEST(TiffDecoderTest, DamageToAFaxIsNotWhite) {
  int faxes = 0;
  for (const testing::SampleImage& sample : testing::tiff_samples()) {
    if (sample.name == "tiff 1 bit" || sample.name.starts_with("tiff fax")) {
      auto damaged = sample.bytes;
      constexpr int kAmidTheFirstStrip = 12;
      std::fill_n(damaged.begin() + kAmidTheFirstStrip, 4, std::byte{0});
      const Status status = decode_image(damaged).status();
      EXPECT_EQ(status.code(), StatusCode::kDataLoss) << sample.name << ": " << status;
      ++faxes;
    }
  }
  EXPECT_EQ(faxes, 4);
}

constexpr std::array<uint32_t, 11> kBoundedCodings = {
    COMPRESSION_NONE,     COMPRESSION_CCITTRLE, COMPRESSION_CCITTFAX3,     COMPRESSION_CCITTFAX4,
    COMPRESSION_LZW,      COMPRESSION_JPEG,     COMPRESSION_ADOBE_DEFLATE, COMPRESSION_DEFLATE,
    COMPRESSION_PACKBITS, COMPRESSION_LZMA,     COMPRESSION_ZSTD};

uint32_t bits_of(uint32_t coding) {
  const bool is_fax = coding >= COMPRESSION_CCITTRLE && coding <= COMPRESSION_CCITTFAX4;
  return is_fax ? 1 : 8;
}

TEST(TiffDecoderTest, SizesThatTheBytesCannotHoldAreRefused) {
  const std::vector<std::byte> pixels(100);
  for (const uint32_t coding : kBoundedCodings) {
    const TiffTags tags{.height = 60'000, .width = 60'000, .bits = bits_of(coding), .coding = coding};
    const Status status = read_image_header(tiff_of(pixels, tags)).status();
    if (TIFFIsCODECConfigured(static_cast<uint16_t>(coding)) == 1) {
      EXPECT_EQ(status.code(), StatusCode::kDataLoss) << coding << ": " << status;
      EXPECT_THAT(message(status), HasSubstr("60000x60000"));
    }
  }
}

TEST(TiffDecoderTest, SizesOfSubsampledColoursAreHeldAgainstTheBytesToo) {
  const std::vector<std::byte> pixels(100);
  for (const uint32_t coding : {COMPRESSION_NONE, COMPRESSION_LZW, COMPRESSION_JPEG}) {
    const TiffTags tags{
        .height = 60'000, .width = 60'000, .samples = 3, .bits = 8, .meaning = 6, .coding = coding};
    const Status status = read_image_header(tiff_of(pixels, tags)).status();
    EXPECT_EQ(status.code(), StatusCode::kDataLoss) << coding << ": " << status;
    EXPECT_THAT(message(status), HasSubstr("cannot be enough"));
  }
}

TEST(TiffDecoderTest, TheSmallestPossibleImagesAreTaken) {
  constexpr int kSide = 3000;
  for (const uint32_t coding : kBoundedCodings) {
    const bool is_older_name = coding == COMPRESSION_DEFLATE;  // libtiff prints that it is
    if (TIFFIsCODECConfigured(static_cast<uint16_t>(coding)) == 1 && !is_older_name) {
      const auto tiff =
          testing::blank_tiff(kSide, static_cast<int>(bits_of(coding)), static_cast<int>(coding));
      const auto image = decode_image(tiff);
      EXPECT_TRUE(image.ok()) << coding << ", " << tiff.size() << " bytes: " << image.status();
    }
  }
}

}  // namespace
}  // namespace forebay::codec
