#include "forebay/dataset/compression/unpack.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/dataset/testing/packed_bytes.h"

namespace forebay::dataset {
namespace {

using ::testing::HasSubstr;

constexpr Compression kAll[] = {Compression::kNone,   Compression::kSnappy, Compression::kGzip,
                                Compression::kBrotli, Compression::kZstd,   Compression::kLz4,
                                Compression::kBzip2};

std::string text_of_lines() {
  std::string text;
  for (int line = 0; line < 300; ++line) {
    text += "line " + std::to_string(line * line) + "\n";
  }
  return text;
}

Result<std::string> unpacked(Compression compression, const std::string& packed, size_t size) {
  std::string out(size, '?');
  FOREBAY_RETURN_IF_ERROR(
      unpack(compression, std::as_bytes(std::span(packed)), std::as_writable_bytes(std::span(out))));
  return out;
}

TEST(Unpack, WhatWasPackedComesBack) {
  for (const Compression compression : kAll) {
    for (const std::string& text : {text_of_lines(), std::string("x"), std::string()}) {
      const std::string packed = testing::pack(compression, text);
      const Result<std::string> out = unpacked(compression, packed, text.size());
      EXPECT_TRUE(out.ok()) << name_of(compression) << ": " << out.status();
      EXPECT_EQ(*out, text) << name_of(compression);
    }
  }
}

TEST(Unpack, AnotherSizeIsDataLoss) {
  const std::string text = text_of_lines();
  for (const Compression compression : kAll) {
    const std::string packed = testing::pack(compression, text);
    for (const size_t size : {size_t{0}, text.size() - 1, text.size() + 1}) {
      EXPECT_EQ(unpacked(compression, packed, size).status().code(), StatusCode::kDataLoss)
          << name_of(compression) << " " << size;
    }
  }
}

TEST(Unpack, WhatIsCutIsDataLoss) {
  const std::string text = text_of_lines();
  for (const Compression compression : kAll) {
    const std::string packed = testing::pack(compression, text);
    for (const size_t size : {size_t{0}, size_t{1}, packed.size() / 2, packed.size() - 1}) {
      EXPECT_EQ(unpacked(compression, packed.substr(0, size), text.size()).status().code(),
                StatusCode::kDataLoss)
          << name_of(compression) << " " << size;
    }
  }
}

TEST(Unpack, SeveralMembersOfGzipAreOne) {
  const std::string packed =
      testing::pack(Compression::kGzip, "one ") + testing::pack(Compression::kGzip, "two");
  EXPECT_EQ(*unpacked(Compression::kGzip, packed, 7), "one two");
  EXPECT_THAT(std::string(message(unpacked(Compression::kGzip, packed, 6).status())),
              HasSubstr("more than 6"));
}

}  // namespace
}  // namespace forebay::dataset
