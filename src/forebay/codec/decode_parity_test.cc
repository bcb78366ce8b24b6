// Compares with pixels that tests/parity/decode_parity.py recorded from DALI's CPU decoder. Skipped unless
// FOREBAY_DECODE_PARITY names the folder it wrote.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "forebay/codec/image_decoder.h"

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
  std::string pixels;
  tensor::Shape shape = {0, 0, 0};
};

bool read_case(std::istream& line, Case& result) {
  Window& window = result.window;
  line >> result.file >> result.output_type >> result.dtype >> result.adjust;
  line >> window.y >> window.x >> window.height >> window.width >> result.pixels;
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

/// Empty when equal, else what differs.
std::string difference(const std::filesystem::path& folder, const Case& recorded) {
  const std::vector<char> encoded = file_bytes(folder / recorded.file);
  const auto image = decode_image(std::as_bytes(std::span(encoded)), options_of(recorded));
  if (recorded.pixels == "-") {
    return "";  // DALI gives an error; we decode or give one too
  }
  if (!image.ok()) {
    return image.status().ToString();
  }
  if (image->shape() != recorded.shape) {
    return "shape " + image->shape().to_string() + " instead of " + recorded.shape.to_string();
  }
  const std::vector<char> expected = file_bytes(folder / recorded.pixels);
  const auto found = image->bytes();
  size_t different = 0;
  for (size_t i = 0; i < found.size(); ++i) {
    different += std::byte(expected[i]) != found[i] ? 1 : 0;
  }
  return different == 0 ? ""
                        : std::to_string(different) + " of " + std::to_string(found.size()) + " bytes differ";
}

TEST(DecodeParityTest, PixelsAreThoseOfDali) {
  const char* folder = std::getenv("FOREBAY_DECODE_PARITY");
  if (folder == nullptr) {
    GTEST_SKIP() << "FOREBAY_DECODE_PARITY is not set";
  }
  std::ifstream manifest(std::filesystem::path(folder) / "manifest.txt");
  std::string text;
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

}  // namespace
}  // namespace forebay::codec
