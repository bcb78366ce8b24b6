// Seeds of the fuzzers of images: what the tests' encoders make of each kind of each format. They are kept in
// tests/fuzz, and decode as the fuzzers decode them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/encode_jpeg.h"
#include "forebay/codec/testing/encode_png.h"
#include "forebay/codec/testing/fuzz_image.h"
#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec {
namespace {

using testing::JpegOptions;
using testing::PngOptions;

constexpr size_t kMaxSeedBytes = 9 << 9;

/// By their names.
using Seeds = std::map<std::string, std::vector<std::byte>>;

Seeds seeds_of(const std::vector<testing::SampleImage>& samples) {
  Seeds seeds;
  for (size_t i = 0; i < samples.size(); ++i) {
    std::string name = fmt::format("{:02}_{}", i, samples[i].name);
    std::ranges::replace_if(
        name, [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
    if (samples[i].bytes.size() <= kMaxSeedBytes) {
      seeds[name] = samples[i].bytes;
    }
  }
  return seeds;
}

/// The last byte of a TIFF tells the fuzzer the page.
Seeds tiff_seeds() {
  Seeds seeds = seeds_of(testing::tiff_samples());
  for (auto& [name, bytes] : seeds) {
    bytes.push_back(std::byte{0});
  }
  constexpr int kPageOfPlanes = 3;
  seeds["page_of_a_big_tiff"] = testing::tiff_pages("w8b")[kPageOfPlanes].bytes;
  seeds["page_of_a_big_tiff"].push_back(std::byte{kPageOfPlanes});
  seeds["turned"] = testing::turned_tiff(8).bytes;
  seeds["turned"].push_back(std::byte{0});
  return seeds;
}

Seeds jpeg_seeds() {
  const JpegOptions size{24, 31, 3, 2, 2};
  std::map<std::string, JpegOptions> kinds;
  for (const char* const name : {"baseline", "restarts", "progressive", "arithmetic", "scans", "grey", "cmyk",
                                 "rgb", "sampling_4x1", "odd_sampling", "turned"}) {
    kinds[name] = size;
  }
  kinds["restarts"].restart_interval = 2;
  kinds["progressive"].is_progressive = true;
  kinds["arithmetic"].is_arithmetic = true;
  kinds["scans"].has_separate_scans = true;
  kinds["grey"] = {24, 31, 1};
  kinds["cmyk"] = {24, 31, 4};
  kinds["rgb"].keeps_colours = true;
  kinds["sampling_4x1"].sampling_x = 4;
  kinds["sampling_4x1"].sampling_y = 1;
  kinds["odd_sampling"].has_odd_sampling = true;
  kinds["turned"].exif_orientation = 6;
  Seeds seeds;
  for (const auto& [name, options] : kinds) {
    seeds[name] = testing::test_jpeg(options);
  }
  return seeds;
}

Seeds png_seeds() {
  Seeds seeds;
  for (const int colour : {0, 2, 3, 4, 6}) {
    for (const int depth : {1, 4, 8, 16}) {
      const bool is_possible = colour == 0 || (colour == 3 ? depth < 16 : depth >= 8);
      PngOptions options{11, 13, colour, depth, (colour + depth) % 3 == 0};
      options.has_transparency = colour < 4 && depth == 8;
      options.gamma = depth == 16 ? 45455 : 0;
      options.is_srgb = colour == 6;
      options.exif_orientation = depth == 4 ? 5 : 0;
      for (int i = 0; colour == 3 && i < 1 << depth; ++i) {
        options.palette.push_back({static_cast<uint8_t>(i * 9), static_cast<uint8_t>(200 - i), 50});
      }
      if (is_possible) {
        seeds[fmt::format("colour_{}_{}_bits", colour, depth)] =
            encode_png(testing::test_samples(options), options);
      }
    }
  }
  return seeds;
}

void expect_decoded(const std::string& fuzzer, ImageFormat format, const Seeds& seeds) {
  for (const auto& [name, made] : seeds) {
    const std::string seed =
        kept_seed(fuzzer, name, {reinterpret_cast<const char*>(made.data()), made.size()});
    const Bytes bytes = std::as_bytes(std::span(seed));
    ASSERT_EQ(image_format_of(bytes), format) << fuzzer << "/" << name << "; FOREBAY_WRITE_SEEDS=1 writes it";
    const Status status = decode_image(bytes).status();
    EXPECT_TRUE(status.ok()) << fuzzer << "/" << name << ": " << status;
    testing::fuzz_image(reinterpret_cast<const uint8_t*>(seed.data()), seed.size(), format);
  }
}

TEST(ImageFuzzersTest, SeedsAreDecoded) {
  expect_decoded("avif_fuzzer", ImageFormat::kAvif, seeds_of(testing::avif_samples()));
  expect_decoded("bmp_fuzzer", ImageFormat::kBmp, seeds_of(testing::bmp_samples()));
  expect_decoded("jpeg2000_fuzzer", ImageFormat::kJpeg2000, seeds_of(testing::jpeg2000_samples()));
  expect_decoded("jpeg_fuzzer", ImageFormat::kJpeg, jpeg_seeds());
  expect_decoded("jpegxl_fuzzer", ImageFormat::kJpegXl, seeds_of(testing::jpegxl_samples()));
  expect_decoded("png_fuzzer", ImageFormat::kPng, png_seeds());
  expect_decoded("pnm_fuzzer", ImageFormat::kPnm, seeds_of(testing::pnm_samples()));
  expect_decoded("tiff_fuzzer", ImageFormat::kTiff, tiff_seeds());
  expect_decoded("webp_fuzzer", ImageFormat::kWebp, seeds_of(testing::webp_samples()));
}

}  // namespace
}  // namespace forebay::codec
