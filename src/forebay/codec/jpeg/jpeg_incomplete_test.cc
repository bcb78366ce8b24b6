// Progressive JPEGs of which scans are missing: libjpeg smooths what is not known, and a window has the bits
// of the whole image all the same.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/decoded.h"
#include "forebay/codec/testing/encode_jpeg.h"

namespace forebay::codec {
namespace {

using testing::JpegOptions;
using testing::plain_jpeg_pixels;
using testing::test_jpeg;

using File = std::vector<std::byte>;

/// Where the scans' headers begin, and at the end the end marker.
std::vector<size_t> places_of_scans(const File& jpeg) {
  const auto at = [&](size_t i) { return static_cast<int>(jpeg[i]); };
  std::vector<size_t> places;
  size_t place = 2;
  while (at(place + 1) != 0xD9) {
    const bool is_scan = at(place + 1) == 0xDA;
    if (is_scan) {
      places.push_back(place);
    }
    place += 2 + static_cast<size_t>(at(place + 2) << 8 | at(place + 3));
    while (is_scan && (at(place) != 0xFF || at(place + 1) == 0 || (at(place + 1) & 0xF8) == 0xD0)) {
      ++place;
    }
  }
  places.push_back(place);
  return places;
}

/// The scan at `place`, without the tables of the next one.
size_t end_of_scan(const File& jpeg, size_t place) {
  const auto at = [&](size_t i) { return static_cast<int>(jpeg[i]); };
  place += 2 + static_cast<size_t>(at(place + 2) << 8 | at(place + 3));
  while (at(place) != 0xFF || at(place + 1) == 0 || (at(place + 1) & 0xF8) == 0xD0) {
    ++place;
  }
  return place;
}

/// The scans whose bit in `kept` is set.
File with_scans(const File& jpeg, uint32_t kept) {
  const auto places = places_of_scans(jpeg);
  File file;
  size_t from = 0;
  for (size_t i = 0; i + 1 < places.size(); ++i) {
    const auto end = static_cast<ptrdiff_t>((kept >> i & 1) != 0 ? end_of_scan(jpeg, places[i]) : places[i]);
    file.insert(file.end(), jpeg.begin() + static_cast<ptrdiff_t>(from), jpeg.begin() + end);
    from = end_of_scan(jpeg, places[i]);
  }
  file.insert(file.end(), jpeg.begin() + static_cast<ptrdiff_t>(from), jpeg.end());
  return file;
}

constexpr int kHeight = 120;
constexpr int kWidth = 136;

std::vector<JpegOptions> progressive_kinds() {
  std::vector<JpegOptions> kinds = {{kHeight, kWidth, 1},       {kHeight, kWidth, 3},
                                    {kHeight, kWidth, 3, 2, 2}, {kHeight, kWidth, 3, 2, 1},
                                    {kHeight, kWidth, 3, 1, 2}, {kHeight, kWidth, 3, 4, 1},
                                    {kHeight, kWidth, 4, 2, 2}};
  for (JpegOptions& kind : kinds) {
    kind.is_progressive = true;
    kind.restart_interval = kind.sampling_x == 2 && kind.sampling_y == 1 ? 5 : 0;
  }
  return kinds;
}

std::string name_of_incomplete(const JpegOptions& kind, uint32_t kept) {
  return fmt::format("channels {} sampling {}x{} scans {:b}", kind.channels, kind.sampling_x, kind.sampling_y,
                     kept);
}

/// All of them up to one, all but one, and some at random; the first always, which has the means. Of some a
/// scan is missing that another refines, which makes no sense then and is mostly told.
std::vector<uint32_t> sets_of_scans(size_t count, uint32_t seed) {
  const uint32_t all = (uint32_t{1} << count) - 1;
  std::vector<uint32_t> sets = {all};
  for (size_t i = 1; i < count; ++i) {
    sets.push_back((uint32_t{1} << i) - 1);
    sets.push_back(all & ~(uint32_t{1} << i));
  }
  std::mt19937 random(seed);
  for (int i = 0; i < 6; ++i) {
    sets.push_back((static_cast<uint32_t>(random()) & all) | 1);
  }
  return sets;
}

Window random_window(std::mt19937& random, const ImageSize& size) {
  const int64_t height = 1 + random() % size.height;
  const int64_t width = 1 + random() % size.width;
  return {static_cast<int64_t>(random() % (size.height - height + 1)),
          static_cast<int64_t>(random() % (size.width - width + 1)), height, width};
}

std::vector<uint8_t> cut_out(const std::vector<uint8_t>& pixels, const ImageSize& size,
                             const Window& window) {
  std::vector<uint8_t> part;
  for (int64_t y = window.y; y < window.y + window.height; ++y) {
    const auto row = pixels.begin() + (y * size.width + window.x) * 3;
    part.insert(part.end(), row, row + window.width * 3);
  }
  return part;
}

void expect_windows_of_the_whole(const File& jpeg, int count, uint32_t seed, const std::string& name) {
  std::mt19937 random(seed);
  for (const bool fancy : {true, false}) {
    for (const int eighths : {8, 4, 3}) {
      ImageDecodeOptions options;
      options.fancy_upsampling = fancy;
      options.scale_eighths = eighths;
      const auto whole = pixels_of(jpeg, options);
      const ImageSize size = oriented_size(*read_image_header(jpeg), options);
      for (int i = 0; i < count; ++i) {
        options.window = random_window(random, size);
        ASSERT_EQ(pixels_of(jpeg, options), cut_out(whole, size, *options.window))
            << name << " fancy " << fancy << " eighths " << eighths << " window " << options.window->y << " "
            << options.window->x << " " << options.window->height << " " << options.window->width;
      }
    }
  }
}

TEST(JpegIncompleteTest, AWindowHasTheBitsOfTheWholeImage) {
  for (const JpegOptions& kind : progressive_kinds()) {
    const File jpeg = test_jpeg(kind);
    const size_t scans = places_of_scans(jpeg).size() - 1;
    ASSERT_GT(scans, 4u);
    int decoded = 0;
    for (const uint32_t kept : sets_of_scans(scans, 7)) {
      const File file = with_scans(jpeg, kept);
      if (decode_image(file).ok()) {
        expect_windows_of_the_whole(file, 5, kept, name_of_incomplete(kind, kept));
        ++decoded;
      }
    }
    EXPECT_GE(decoded, static_cast<int>(scans)) << name_of_incomplete(kind, 0);
  }
}

TEST(JpegIncompleteTest, TheWholeImageIsLibjpegs) {
  for (const JpegOptions& kind : progressive_kinds()) {
    const File jpeg = test_jpeg(kind);
    for (const uint32_t kept : sets_of_scans(places_of_scans(jpeg).size() - 1, 8)) {
      const File file = with_scans(jpeg, kept);
      ImageDecodeOptions options;
      options.output_type = OutputType::kAnyData;
      const auto image = decode_image(file, options);
      if (!image.ok()) {
        EXPECT_EQ(image.status().code(), StatusCode::kDataLoss) << image.status();
        continue;
      }
      EXPECT_EQ(pixels_of(file, options), plain_jpeg_pixels(file, OutputType::kAnyData))
          << name_of_incomplete(kind, kept);
    }
  }
}

/// Cut anywhere, with an end marker behind: an error, or an image whose windows are its own.
TEST(JpegIncompleteTest, WhatIsCutIsAnErrorOrHasItsWindows) {
  JpegOptions kind{48, 56, 3, 2, 2};
  kind.is_progressive = true;
  const File jpeg = test_jpeg(kind);
  int decoded = 0;
  for (size_t size = places_of_scans(jpeg)[0]; size < jpeg.size(); ++size) {
    File cut(jpeg.begin(), jpeg.begin() + static_cast<ptrdiff_t>(size));
    cut.insert(cut.end(), {std::byte{0xFF}, std::byte{0xD9}});
    ImageDecodeOptions options;
    const auto whole = decode_image(cut, options);
    options.window = Window{9, 13, 20, 31};
    const auto part = decode_image(cut, options);
    ASSERT_EQ(whole.status().code(), part.status().code()) << size << ": " << whole.status() << part.status();
    if (whole.ok()) {
      ++decoded;
      expect_windows_of_the_whole(cut, 3, static_cast<uint32_t>(size), fmt::format("cut at {}", size));
    }
  }
  EXPECT_GT(decoded, 5);
}

}  // namespace
}  // namespace forebay::codec
