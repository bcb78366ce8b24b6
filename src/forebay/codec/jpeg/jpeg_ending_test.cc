// JPEGs without an end marker: decoded if the image data is whole and what follows cannot be taken for some
// of it, refused as truncated if not. What was cut never passes with other pixels, whatever is put behind the
// cut.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/decoded.h"
#include "forebay/codec/testing/encode_jpeg.h"

namespace forebay::codec {
namespace {

using namespace std::string_literals;
using namespace std::string_view_literals;
using ::testing::HasSubstr;
using testing::JpegOptions;
using ::testing::Not;
using testing::test_jpeg;

using File = std::vector<std::byte>;

constexpr int kHeight = 72;
constexpr int kWidth = 88;

/// Sequential, with restart markers, in a scan for each channel, grey, in inks, progressive.
std::vector<JpegOptions> kinds_of_endings() {
  const JpegOptions sequential{kHeight, kWidth, 3, 2, 2};
  JpegOptions separate = sequential;
  separate.has_separate_scans = true;
  JpegOptions restarting = sequential;
  restarting.restart_interval = 5;
  JpegOptions progressive = sequential;
  progressive.is_progressive = true;
  JpegOptions progressive_restarting = progressive;
  progressive_restarting.restart_interval = 7;
  JpegOptions progressive_grey{kHeight, kWidth, 1};
  progressive_grey.is_progressive = true;
  return {sequential,  JpegOptions{kHeight, kWidth},    separate,
          restarting,  JpegOptions{kHeight, kWidth, 1}, JpegOptions{kHeight, kWidth, 4},
          progressive, progressive_restarting,          progressive_grey};
}

std::string name_of_ending(const JpegOptions& kind) {
  return fmt::format("channels {} sampling {} progressive {} separate {} restart {} quality {}",
                     kind.channels, kind.sampling_x, kind.is_progressive, kind.has_separate_scans,
                     kind.restart_interval, kind.quality);
}

File bytes_of_text(std::string_view text) {
  const auto bytes = std::as_bytes(std::span(text));
  return {bytes.begin(), bytes.end()};
}

File behind_each_other(File file, const File& behind) {
  file.insert(file.end(), behind.begin(), behind.end());
  return file;
}

File first_bytes(const File& file, size_t count) {
  return {file.begin(), file.begin() + static_cast<ptrdiff_t>(count)};
}

void put_little(File& file, uint32_t value) {
  for (int shift = 0; shift < 32; shift += 8) {
    file.push_back(static_cast<std::byte>(value >> shift));
  }
}

/// Blocks with names, and a directory at the end, as Samsung's telephones append them.
File samsung_trailer(const std::vector<std::pair<std::string, std::string>>& blocks) {
  File file;
  File entries;
  std::vector<size_t> places;
  for (const auto& [name, data] : blocks) {
    places.push_back(file.size());
    put_little(file, 0x0A010000);
    put_little(file, static_cast<uint32_t>(name.size()));
    file = behind_each_other(file, bytes_of_text(name + data));
  }
  const size_t directory = file.size();
  for (size_t i = 0; i < places.size(); ++i) {
    put_little(entries, 0x0A010000);
    put_little(entries, static_cast<uint32_t>(directory - places[i]));
    const size_t end = i + 1 < places.size() ? places[i + 1] : directory;
    put_little(entries, static_cast<uint32_t>(end - places[i]));
  }
  file = behind_each_other(file, bytes_of_text("SEFH"));
  put_little(file, 101);
  put_little(file, static_cast<uint32_t>(places.size()));
  file = behind_each_other(file, entries);
  put_little(file, static_cast<uint32_t>(12 + entries.size()));
  return behind_each_other(file, bytes_of_text("SEFT"));
}

/// Erased memory, then empty memory.
File filling(size_t erased, size_t empty) {
  return behind_each_other(File(erased, std::byte{0xFF}), File(empty, std::byte{0}));
}

/// What is known to follow image data, and never passes for some of it.
std::vector<File> known_trailers() {
  const File samsung =
      samsung_trailer({{"Image_UTC_Data", "1700000000000"}, {"Camera_Capture_Mode_Info", "1"}});
  const std::string film =
      "\0\0\0\x18"s + "ftypmp42\0\0\0\0isommp42"s + std::string(400, 'm') + "\xFF\xD9" + "ilm";
  return {{},
          File(1, std::byte{0}),
          File(4096, std::byte{0}),
          File(5, std::byte{0xFF}),
          filling(2, 1),
          filling(300, 700),
          behind_each_other(filling(2, 3), filling(4, 5)),
          bytes_of_text("vivo{\"camera\":\"main\",\"time\":1700000000}"),
          samsung,
          behind_each_other(File(16, std::byte{0}), samsung),
          samsung_trailer({{"MotionPhoto_Data", "ab\xFF\xD9 cd"}}),
          bytes_of_text("\0\0\1\x0A\x0E\0\0\0Image_UTC_Data1700000000000SEFHh"sv),
          bytes_of_text(film),
          test_jpeg({16, 16, 3, 2, 2})};
}

/// What might be some of the image data.
std::vector<File> unknown_trailers() {
  std::string letters;
  for (int i = 0; i < 300; ++i) {
    letters += static_cast<char>('a' + i * 7 % 26);
  }
  return {bytes_of_text("a trailer that nobody knows"),
          filling(1, 1),
          filling(1, 500),
          behind_each_other(filling(3, 1), filling(2, 0)),
          behind_each_other(filling(3, 1), filling(1, 1)),
          bytes_of_text(letters),
          bytes_of_text("{\"maker\":\"someone\",\"time\":1700000000,\"mode\":[1,2,3]}\n"),
          bytes_of_text("\n"),
          bytes_of_text("\r\n"),
          bytes_of_text("oooooooooooo"),
          bytes_of_text("\xFF\x40\x01\x02"sv),
          bytes_of_text("\xFF\xE1\0\x06no end"sv),
          behind_each_other(bytes_of_text("before a preview"), test_jpeg({16, 16})),
          behind_each_other(bytes_of_text("before zeros, ooo"), File(64, std::byte{0})),
          behind_each_other(File(3, std::byte{0}), bytes_of_text("behind zeros"))};
}

const std::optional<Window> kWindows[] = {std::nullopt, Window{0, 0, 8, 8}, Window{30, 20, 24, 40},
                                          Window{kHeight - 9, 3, 9, 20}};

ImageDecodeOptions options_of(const std::optional<Window>& window, bool is_fancy = true) {
  ImageDecodeOptions options;
  options.window = window;
  options.fancy_upsampling = is_fancy;
  return options;
}

TEST(JpegEndingTest, WholeImageDataNeedsNoEndMarker) {
  for (const JpegOptions& kind : kinds_of_endings()) {
    const File jpeg = test_jpeg(kind);
    for (const File& trailer : known_trailers()) {
      const File file = behind_each_other(first_bytes(jpeg, jpeg.size() - 2), trailer);
      for (const auto& window : kWindows) {
        for (const bool is_fancy : {true, false}) {
          const ImageDecodeOptions options = options_of(window, is_fancy);
          ASSERT_EQ(pixels_of(file, options), pixels_of(jpeg, options))
              << name_of_ending(kind) << ", behind it " << trailer.size() << " bytes, whole "
              << !window.has_value();
        }
      }
    }
  }
}

/// The pixels, or none if the file is refused; that must name where it ends or is broken.
std::optional<std::vector<uint8_t>> pixels_or_none(const File& file, const ImageDecodeOptions& options) {
  const auto image = decode_image(file, options);
  if (!image.ok()) {
    EXPECT_EQ(image.status().code(), StatusCode::kDataLoss) << image.status();
    return std::nullopt;
  }
  const auto pixels = image->view().span<uint8_t>();
  return std::vector<uint8_t>(pixels.begin(), pixels.end());
}

size_t first_image_data(const File& jpeg) {
  const std::string_view text(reinterpret_cast<const char*>(jpeg.data()), jpeg.size());
  return text.find("\xFF\xDA") + 14;
}

bool ends_in_end_marker(const File& file) {
  return file.size() >= 2 && file[file.size() - 2] == std::byte{0xFF} && file.back() == std::byte{0xD9};
}

/// The last cuts, each of which has the pixels of the whole file or is refused. A window reads no further
/// than it has to where there is an end marker, if only a preview's.
void check_cuts(const File& jpeg, const File& trailer, const std::string& name) {
  constexpr size_t kCuts = 64;
  for (size_t size = jpeg.size() - 2 - kCuts; size <= jpeg.size(); ++size) {
    const File cut = behind_each_other(first_bytes(jpeg, size), trailer);
    const auto& window = kWindows[size % std::size(kWindows)];
    const bool reads_all = !window.has_value() || window->y + window->height == kHeight;
    if (!reads_all && ends_in_end_marker(cut)) {
      continue;
    }
    const ImageDecodeOptions options = options_of(window);
    if (const auto pixels = pixels_or_none(cut, options)) {
      EXPECT_EQ(*pixels, pixels_of(jpeg, options)) << name << ", cut at " << size << " of " << jpeg.size()
                                                   << ", " << trailer.size() << " bytes behind";
    }
  }
}

TEST(JpegEndingTest, WhatIsCutNeverPassesWithOtherPixels) {
  for (const JpegOptions& kind : kinds_of_endings()) {
    const File jpeg = test_jpeg(kind);
    for (const auto& trailers : {known_trailers(), unknown_trailers()}) {
      for (const File& trailer : trailers) {
        check_cuts(jpeg, trailer, name_of_ending(kind));
      }
    }
  }
}

/// Every cut of a small file, in all of its scans.
void check_all_cuts(const File& jpeg, const std::string& name) {
  const auto whole = decode_image(jpeg);
  ASSERT_TRUE(whole.ok()) << whole.status();
  for (const auto& trailers : {known_trailers(), unknown_trailers()}) {
    for (const File& trailer : trailers) {
      for (size_t size = 2; size < jpeg.size(); ++size) {
        const auto image = decode_image(behind_each_other(first_bytes(jpeg, size), trailer));
        const bool is_preview = image.ok() && image->shape() != whole->shape();
        if (image.ok() && !is_preview) {
          ASSERT_TRUE(std::ranges::equal(image->view().span<uint8_t>(), whole->view().span<uint8_t>()))
              << name << ", cut at " << size << " of " << jpeg.size() << ", " << trailer.size()
              << " bytes behind";
        }
      }
    }
  }
}

TEST(JpegEndingTest, WhatIsCutAnywhereNeverPassesWithOtherPixels) {
  for (JpegOptions kind : kinds_of_endings()) {
    kind.height = 20;
    kind.width = 33;
    check_all_cuts(test_jpeg(kind), name_of_ending(kind));
  }
}

/// The last bits of a progressive image correct coefficients: any bits do, and what is read as a 0xFF has
/// eight.
TEST(JpegEndingTest, FillingIsNoCorrection) {
  for (int width = 16; width < 64; ++width) {
    JpegOptions kind{16, width, 1 + width % 2 * 2};
    kind.is_progressive = true;
    const File jpeg = test_jpeg(kind);
    const auto pixels = pixels_of(jpeg);
    for (const size_t cut : {3, 4, 5}) {
      for (const size_t erased : {0, 1, 2, 3, 4, 100}) {
        for (const size_t empty : {0, 1, 2, 64}) {
          const File file = behind_each_other(first_bytes(jpeg, jpeg.size() - cut), filling(erased, empty));
          if (const auto found = pixels_or_none(file, {})) {
            EXPECT_EQ(*found, pixels) << width << ", cut by " << cut << ", " << erased
                                      << " bytes of ones and " << empty << " of zeros behind";
          }
        }
      }
    }
  }
}

/// A flat picture's image data is alike from its begin to its end, and may be of zeros or of letters.
TEST(JpegEndingTest, FlatPicturesThatAreCutDoNotPass) {
  for (JpegOptions kind : kinds_of_endings()) {
    kind.height = kHeight / 2;
    kind.width = kWidth / 2;
    for (const uint8_t value : {90, 200}) {
      const std::vector<uint8_t> pixels(static_cast<size_t>(kind.height * kind.width * kind.channels), value);
      const File jpeg = encode_jpeg(pixels, kind);
      for (const auto& trailers : {known_trailers(), unknown_trailers()}) {
        for (const File& trailer : trailers) {
          for (size_t size = first_image_data(jpeg); size < jpeg.size() - 2; ++size) {
            const auto cut = behind_each_other(first_bytes(jpeg, size), trailer);
            EXPECT_FALSE(decode_image(cut).ok())
                << name_of_ending(kind) << " " << int{value} << ", cut at " << size << " of " << jpeg.size()
                << ", " << trailer.size() << " bytes behind";
          }
        }
      }
    }
  }
}

/// Each scan of these is whole; which ones are missing is known from what the last ones would have told.
TEST(JpegEndingTest, MissingScansAreMissed) {
  for (const JpegOptions& kind : kinds_of_endings()) {
    const File jpeg = test_jpeg(kind);
    for (size_t at = first_image_data(jpeg); at + 1 < jpeg.size() - 2; ++at) {
      const auto marker = static_cast<int>(jpeg[at + 1]);
      if (jpeg[at] != std::byte{0xFF} || marker < 0xC0 || (marker >= 0xD0 && marker <= 0xD9) ||
          marker == 0xFF) {
        continue;
      }
      for (const File& trailer : known_trailers()) {
        const File cut = behind_each_other(first_bytes(jpeg, at), trailer);
        EXPECT_EQ(decode_image(cut).status().code(), StatusCode::kDataLoss)
            << name_of_ending(kind) << " " << at;
      }
    }
  }
}

TEST(JpegEndingTest, WhatIsCutOffNamesTheByte) {
  for (const JpegOptions& kind : kinds_of_endings()) {
    const File jpeg = test_jpeg(kind);
    for (size_t size = jpeg.size() / 3; size < jpeg.size() - 2; size += 1 + size % 97) {
      for (const auto& window : kWindows) {
        const Status status = decode_image(first_bytes(jpeg, size), options_of(window)).status();
        ASSERT_EQ(status.code(), StatusCode::kDataLoss) << name_of_ending(kind) << ": " << size;
        EXPECT_THAT(std::string(message(status)),
                    HasSubstr(fmt::format("truncated at byte {}: its end marker is missing, and its image "
                                          "data is not whole",
                                          size)));
        EXPECT_THAT(std::string(message(status)), Not(HasSubstr("near byte")));
      }
    }
  }
}

/// Of damage within the file the error says what it is and where.
TEST(JpegEndingTest, DamageWithoutAnEndMarkerIsNamed) {
  for (const JpegOptions& kind : kinds_of_endings()) {
    const File jpeg = test_jpeg(kind);
    File file = behind_each_other(first_bytes(jpeg, jpeg.size() - 2), bytes_of_text("\1\2\3"));
    file = behind_each_other(file, bytes_of_text("vivo{\"camera\":1}"));
    const std::string text(message(decode_image(file).status()));
    EXPECT_THAT(text, HasSubstr(fmt::format("truncated at byte {}: its end marker is missing", file.size())));
    EXPECT_THAT(text, HasSubstr("(near byte "));
    EXPECT_THAT(text, HasSubstr("data behind the last block)"));
  }
}

TEST(JpegEndingTest, TheNextPictureIsDecodedAsEver) {
  const File jpeg = test_jpeg({kHeight, kWidth, 3, 2, 2});
  const auto pixels = pixels_of(jpeg);
  EXPECT_EQ(pixels_of(first_bytes(jpeg, jpeg.size() - 2)), pixels);
  EXPECT_EQ(pixels_of(jpeg), pixels);
  EXPECT_FALSE(decode_image(first_bytes(jpeg, jpeg.size() / 2)).ok());
  EXPECT_EQ(pixels_of(jpeg), pixels);
}

/// Data that is left over in front of the end marker is damage as ever, and so is a text in front of a
/// preview.
TEST(JpegEndingTest, DataInFrontOfTheEndMarkerIsNoTrailer) {
  for (const JpegOptions& kind : kinds_of_endings()) {
    const File jpeg = test_jpeg(kind);
    for (const std::string_view trailer : {"\1\2\3"sv, "\1\xFF\0\xFF\xD2\5"sv, "some text"sv}) {
      File longer = behind_each_other(first_bytes(jpeg, jpeg.size() - 2), bytes_of_text(trailer));
      longer = behind_each_other(longer, bytes_of_text("\xFF\xD9"));
      EXPECT_THAT(std::string(message(decode_image(longer).status())), HasSubstr("JPEG is broken near byte"));
    }
  }
}

/// A directory of Samsung's that lists what is not there changes nothing.
TEST(JpegEndingTest, AWrongDirectoryIsNoTrailer) {
  const File jpeg = test_jpeg({kHeight, kWidth, 3, 2, 2});
  File trailer = samsung_trailer({{"Image_UTC_Data", "1700000000000"}});
  const auto pixels = pixels_of(jpeg);
  EXPECT_EQ(pixels_of(behind_each_other(jpeg, trailer)), pixels);
  for (const int distance : {0, 1, 100, 255}) {
    trailer[trailer.size() - 8 - 8] = static_cast<std::byte>(distance);
    EXPECT_EQ(pixels_of(behind_each_other(jpeg, trailer)), pixels) << distance;
  }
}

/// libjpeg decodes them, and does not tell where their data ends.
TEST(JpegEndingTest, ArithmeticImagesNeedTheirEndMarker) {
  for (const bool is_progressive : {false, true}) {
    JpegOptions kind{kHeight, kWidth, 3, 2, 2};
    kind.is_arithmetic = true;
    kind.is_progressive = is_progressive;
    const File jpeg = test_jpeg(kind);
    for (const File& trailer :
         {File(), File(100, std::byte{0}), samsung_trailer({{"Image_UTC_Data", "1"}})}) {
      const File file = behind_each_other(first_bytes(jpeg, jpeg.size() - 2), trailer);
      for (const auto& window : kWindows) {
        EXPECT_THAT(std::string(message(decode_image(file, options_of(window)).status())),
                    HasSubstr(fmt::format("truncated at byte {}: its end marker is missing", file.size())));
      }
    }
  }
}

}  // namespace
}  // namespace forebay::codec
