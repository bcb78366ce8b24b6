// Compares with what tests/parity/decode_parity.py recorded from DALI's CPU decoder: the recording next to
// that script, and another one if FOREBAY_DECODE_PARITY names the folder it was written to.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

#include "forebay/codec/image_decoder.h"
#include "forebay/codec/testing/checksum.h"

namespace forebay::codec {
namespace {

std::vector<char> file_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

struct Case {
  std::string file;
  int output_type = 0;
  std::string dtype;
  int adjust = 1;
  Window window;
  std::string checksum;
  tensor::Shape shape = {0, 0, 0};
};

bool read_case(std::istream& line, Case& result) {
  Window& window = result.window;
  line >> result.file >> result.output_type >> result.dtype >> result.adjust;
  line >> window.y >> window.x >> window.height >> window.width >> result.checksum;
  line >> result.shape[0] >> result.shape[1] >> result.shape[2];
  return !line.fail();
}

ImageDecodeOptions options_of(const Case& recorded) {
  ImageDecodeOptions options;
  options.output_type = static_cast<OutputType>(recorded.output_type);
  options.dtype = *tensor::dtype_of(recorded.dtype);
  options.adjust_orientation = recorded.adjust != 0;
  if (recorded.window.height > 0) {
    options.window = recorded.window;
  }
  return options;
}

/// Empty if equal, else a description of the difference.
std::string difference(const std::filesystem::path& folder, const Case& recorded) {
  const std::vector<char> encoded = file_bytes(folder / recorded.file);
  const auto image = decode_image(std::as_bytes(std::span(encoded)), options_of(recorded));
  if (recorded.checksum == "-") {
    return "";  // DALI returns an error; we may decode or return one, too
  }
  if (!image.ok()) {
    return image.status().ToString();
  }
  if (image->shape() != recorded.shape) {
    return "shape " + image->shape().to_string() + " instead of " + recorded.shape.to_string();
  }
  return fmt::format("{:08x}", testing::crc32_of(image->bytes())) == recorded.checksum ? "" : "other pixels";
}

void expect_equal_pixels(const std::filesystem::path& folder) {
  std::ifstream manifest(folder / "manifest.txt");
  std::string text;
  ASSERT_TRUE(std::getline(manifest, text)) << folder;
  EXPECT_THAT(text, ::testing::StartsWith("# nvidia-dali"));
  int cases = 0;
  while (std::getline(manifest, text)) {
    std::istringstream line(text);
    Case recorded;
    ASSERT_TRUE(read_case(line, recorded)) << text;
    EXPECT_EQ(difference(folder, recorded), "") << text;
    ++cases;
  }
  EXPECT_GT(cases, 0);
}

TEST(DecodeParityTest, PixelsAreThoseOfDali) {
  expect_equal_pixels(FOREBAY_RECORDED_DECODES);
}

TEST(DecodeParityTest, PixelsOfOtherFormatsAreThoseOfDali) {
  expect_equal_pixels(std::filesystem::path(FOREBAY_RECORDED_DECODES).parent_path() / "decode_formats");
}

TEST(DecodeParityTest, PixelsOfMoreImagesAreThoseOfDali) {
  const char* folder = std::getenv("FOREBAY_DECODE_PARITY");
  if (folder == nullptr) {
    GTEST_SKIP() << "FOREBAY_DECODE_PARITY is not set";
  }
  expect_equal_pixels(folder);
}

}  // namespace
}  // namespace forebay::codec
