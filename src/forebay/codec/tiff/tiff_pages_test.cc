// The pages of a TIFF: each decodes as itself, whole and in windows; chains of directories that end, leave
// the file or loop; formats without pages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/codec/byte_order.h"
#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/decoded.h"
#include "forebay/codec/testing/encode_jpeg.h"
#include "forebay/codec/testing/sample_images.h"

namespace forebay::codec {
namespace {

using ::testing::HasSubstr;
using testing::SampleImage;
using File = std::vector<std::byte>;

std::vector<uint8_t> pixels_of_page(Bytes bytes, int64_t page, const ImageDecodeOptions& options) {
  const auto header = read_image_header(bytes, page);
  EXPECT_TRUE(header.ok()) << header.status();
  const auto spec = decoded_spec(*header, options);
  EXPECT_TRUE(spec.ok()) << spec.status();
  auto image = tensor::Tensor::allocate(*spec);
  const Status status = decode_image(bytes, *header, options, image->mutable_view());
  EXPECT_TRUE(status.ok()) << status;
  const auto pixels = image->view().span<uint8_t>();
  return {pixels.begin(), pixels.end()};
}

/// As stored, in eight bits.
ImageDecodeOptions plain_options() {
  ImageDecodeOptions options;
  options.output_type = OutputType::kAnyData;
  options.adjust_orientation = false;
  return options;
}

TEST(TiffPagesTest, EveryPageIsDecoded) {
  for (const char* const mode : {"w", "wl", "wb", "w8", "wb8"}) {
    const auto pages = testing::tiff_pages(mode);
    for (size_t page = 0; page < pages.size(); ++page) {
      const SampleImage& sample = pages[page];
      const auto header = read_image_header(sample.bytes, static_cast<int64_t>(page));
      ASSERT_TRUE(header.ok()) << mode << " " << sample.name << ": " << header.status();
      EXPECT_EQ(header->channels, sample.channels) << sample.name;
      EXPECT_EQ(header->orientation, page == 1 ? 6 : 1);
      const auto pixels = pixels_of_page(sample.bytes, static_cast<int64_t>(page), plain_options());
      ASSERT_EQ(pixels.size(), sample.pixels.size()) << sample.name;
      const bool is_wide = header->bit_depth > 8;
      for (size_t i = 0; i < pixels.size(); ++i) {
        ASSERT_NEAR(pixels[i], is_wide ? sample.pixels[i] / 257.0 : sample.pixels[i], is_wide ? 1 : 0)
            << mode << " " << sample.name << " " << i;
      }
    }
  }
}

TEST(TiffPagesTest, ThePaletteAndTheOrientationAreOfThePage) {
  const auto pages = testing::tiff_pages("w");
  ImageDecodeOptions options = plain_options();
  options.gives_indices = true;
  EXPECT_EQ(pixels_of_page(pages[1].bytes, 1, options), pages[1].indices);
  const auto first = read_image_header(pages[1].bytes);
  EXPECT_EQ(decoded_spec(*first, options).status().code(), StatusCode::kInvalidArgument);
  const auto turned = oriented_size(*read_image_header(pages[1].bytes, 1), ImageDecodeOptions());
  EXPECT_EQ(turned, (ImageSize{pages[1].width, pages[1].height}));
}

TEST(TiffPagesTest, WindowsAndRowsAreThoseOfThePage) {
  const auto pages = testing::tiff_pages("w");
  for (size_t page = 0; page < pages.size(); ++page) {
    ImageDecodeOptions options = plain_options();
    const auto number = static_cast<int64_t>(page);
    const auto whole = pixels_of_page(pages[page].bytes, number, options);
    const auto header = read_image_header(pages[page].bytes, number);
    const auto pixel = static_cast<size_t>(header->channels);
    options.window = Window{5, 7, 20, 30};
    std::vector<uint8_t> expected;
    for (int64_t y = 5; y < 25; ++y) {
      const auto row = whole.begin() + static_cast<ptrdiff_t>((y * header->width + 7) * pixel);
      expected.insert(expected.end(), row, row + static_cast<ptrdiff_t>(30 * pixel));
    }
    EXPECT_EQ(pixels_of_page(pages[page].bytes, number, options), expected) << pages[page].name;
    std::vector<uint8_t> rows;
    const Status status =
        decode_image_rows(pages[page].bytes, *header, options, [&](int64_t, std::span<const uint8_t> row) {
          rows.insert(rows.end(), row.begin(), row.end());
          return ok_status();
        });
    EXPECT_TRUE(status.ok()) << status;
    EXPECT_EQ(rows, expected) << pages[page].name;
  }
}

std::string error_of_page(Bytes bytes, int64_t page, StatusCode code) {
  const Status status = read_image_header(bytes, page).status();
  EXPECT_EQ(status.code(), code) << status;
  return std::string(message(status));
}

TEST(TiffPagesTest, PagesThatAreNotThereAreNamed) {
  const File file = testing::tiff_pages("w")[0].bytes;
  for (const int64_t page : {int64_t{4}, int64_t{5}, int64_t{1} << 60}) {
    EXPECT_THAT(error_of_page(file, page, StatusCode::kOutOfRange),
                HasSubstr(fmt::format("page {} of the TIFF is asked for, which has 4 pages", page)));
  }
  const File single = testing::turned_tiff(1).bytes;
  EXPECT_THAT(error_of_page(single, 1, StatusCode::kOutOfRange),
              HasSubstr("has 1 page, the first of which is 0"));
  EXPECT_THAT(error_of_page(file, -1, StatusCode::kInvalidArgument), HasSubstr("page -1"));
}

TEST(TiffPagesTest, OtherFormatsHaveNone) {
  const auto jpeg = testing::test_jpeg({16, 16});
  EXPECT_TRUE(read_image_header(jpeg, 0).ok());
  EXPECT_THAT(error_of_page(jpeg, 1, StatusCode::kInvalidArgument),
              HasSubstr("page 1 is asked for (page), and JPEG has no pages, only TIFF has"));
  for (const SampleImage& sample : testing::all_samples()) {
    if (sample.format != ImageFormat::kTiff) {
      EXPECT_THAT(error_of_page(sample.bytes, 2, StatusCode::kInvalidArgument), HasSubstr("has no pages"));
    }
  }
}

/// Where the directory of a page says where the next one is; little-endian, not BigTIFF.
size_t place_of_next(const File& file, int page) {
  size_t place = 4;
  for (int i = 0; i <= page; ++i) {
    const size_t directory = little_u32(file, place);
    place = directory + 2 + size_t{12} * little_u16(file, directory);
  }
  return place;
}

File with_next(File file, int page, uint32_t next) {
  const size_t place = place_of_next(file, page);
  for (size_t i = 0; i < 4; ++i) {
    file[place + i] = static_cast<std::byte>(next >> (8 * i));
  }
  return file;
}

TEST(TiffPagesTest, ChainsThatLoopAreRefused) {
  const File file = testing::tiff_pages("wl")[0].bytes;
  const uint32_t first = little_u32(file, 4);
  const uint32_t second = little_u32(file, place_of_next(file, 0));
  EXPECT_THAT(error_of_page(with_next(file, 3, first), 4, StatusCode::kDataLoss),
              HasSubstr("loop: behind page 3 comes page 0 again"));
  EXPECT_THAT(error_of_page(with_next(file, 2, second), 1'000'000'000, StatusCode::kDataLoss),
              HasSubstr("loop: behind page 2 comes page 1 again"));
  EXPECT_THAT(error_of_page(with_next(file, 0, first), 1, StatusCode::kDataLoss),
              HasSubstr("loop: behind page 0 comes page 0 again"));
  EXPECT_TRUE(read_image_header(with_next(file, 3, first), 0).ok());
}

TEST(TiffPagesTest, ChainsThatLeaveTheFileAreRefused) {
  const File file = testing::tiff_pages("wl")[0].bytes;
  const auto size = static_cast<uint32_t>(file.size());
  for (const uint32_t next : {size, size - 1, size + 100, UINT32_MAX}) {
    EXPECT_THAT(error_of_page(with_next(file, 0, next), 2, StatusCode::kDataLoss),
                HasSubstr(fmt::format("truncated at byte {}", size)));
    error_of_page(with_next(file, 0, next), 1, StatusCode::kDataLoss);
  }
}

TEST(TiffPagesTest, AChainIsFollowedNoFurtherThanToThePage) {
  const auto pages = testing::tiff_pages("wl");
  const File& file = pages[0].bytes;
  const auto size = static_cast<uint32_t>(file.size());
  const uint32_t second = little_u32(file, place_of_next(file, 0));
  for (int page = 0; page < static_cast<int>(pages.size()); ++page) {
    const auto pixels = pixels_of_page(file, page, plain_options());
    for (const uint32_t next : {little_u32(file, 4), second, size - 1, size + 100, UINT32_MAX}) {
      EXPECT_EQ(pixels_of_page(with_next(file, page, next), page, plain_options()), pixels)
          << page << " " << next;
    }
  }
}

/// Directories of no tags: their chain ends, then comes back to one in its midst.
TEST(TiffPagesTest, LongChainsAreFollowed) {
  constexpr uint32_t kDirectories = 100'000;
  constexpr uint32_t kDirectoryBytes = 6;
  File file(8 + kDirectoryBytes * kDirectories, std::byte{0});
  const auto put = [&file](size_t at, uint32_t value) {
    for (size_t i = 0; i < 4; ++i) {
      file[at + i] = static_cast<std::byte>(value >> (8 * i));
    }
  };
  put(0, 0x002A4949);
  put(4, 8);
  for (uint32_t i = 0; i + 1 < kDirectories; ++i) {
    put(8 + i * kDirectoryBytes + 2, 8 + (i + 1) * kDirectoryBytes);
  }
  const size_t last = 8 + (kDirectories - 1) * kDirectoryBytes + 2;
  EXPECT_THAT(error_of_page(file, 1'000'000'000, StatusCode::kOutOfRange), HasSubstr("has 100000 pages"));
  put(last, 8 + 70'000 * kDirectoryBytes);
  for (const int64_t page : {100'000, 130'000, 170'000, 1'000'000'000}) {
    EXPECT_THAT(error_of_page(file, page, StatusCode::kDataLoss),
                HasSubstr("loop: behind page 99999 comes page 70000 again (byte 420008)"));
  }
}

}  // namespace
}  // namespace forebay::codec
