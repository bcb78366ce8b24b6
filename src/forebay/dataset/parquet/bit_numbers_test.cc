#include "forebay/dataset/parquet/bit_numbers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/dataset/testing/parquet_files.h"

namespace forebay::dataset {
namespace {

using ::testing::ElementsAre;
using ::testing::ElementsAreArray;

Bytes bytes_in(const std::string& text) {
  return std::as_bytes(std::span(text));
}

Result<std::vector<uint32_t>> runs_in(const std::string& text, int bits, uint32_t most, size_t count) {
  std::vector<uint32_t> out(count);
  FOREBAY_RETURN_IF_ERROR(decode_runs(bytes_in(text), bits, most, out));
  return out;
}

TEST(BitNumbers, AreReadLeastSignificantBitsFirst) {
  const std::string text = "\x88\xc6\xfa";  // the format's example: 0 to 7, of 3 bits
  BitNumbers numbers(bytes_in(text));
  for (uint64_t i = 0; i < 8; ++i) {
    EXPECT_EQ(numbers.next(3), i);
  }
  EXPECT_EQ(numbers.next(64), 0);
  const std::string ones(20, '\xff');
  BitNumbers wide(bytes_in(ones));
  EXPECT_EQ(wide.next(7), 127);
  EXPECT_EQ(wide.next(64), ~uint64_t{0});
  EXPECT_EQ(wide.next(0), 0);
  EXPECT_EQ(wide.next(33), (uint64_t{1} << 33) - 1);
}

TEST(BitNumbers, RunsAndGroupsFollowEachOther) {
  const std::string both = std::string("\x03\x88\xc6\xfa", 4) + testing::runs_of({5, 5, 5, 2}, 3);
  EXPECT_THAT(*runs_in(both, 3, 7, 12), ElementsAre(0, 1, 2, 3, 4, 5, 6, 7, 5, 5, 5, 2));
  EXPECT_THAT(*runs_in(both, 3, 7, 3), ElementsAre(0, 1, 2));
  EXPECT_THAT(*runs_in("", 0, 0, 2), ElementsAre(0, 0));
  const std::vector<uint32_t> large = {70000, 70000, 1, 4000000000};
  EXPECT_THAT(*runs_in(testing::runs_of(large, 32), 32, 4294967295u, 4), ElementsAreArray(large));
}

TEST(BitNumbers, RunsThatEndOrExceedAreDataLoss) {
  EXPECT_EQ(runs_in("", 3, 7, 1).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(runs_in("\x80", 3, 7, 1).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(runs_in("\x04", 3, 7, 1).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(runs_in("\x03\x88", 3, 7, 8).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(runs_in(std::string("\0\x01", 2), 3, 7, 1).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(runs_in(testing::runs_of({6}, 3), 3, 5, 1).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(runs_in("\x03\x88\xc6\xfa", 3, 5, 8).status().code(), StatusCode::kDataLoss);
  EXPECT_EQ(runs_in(std::string(12, '\xff'), 3, 7, 1).status().code(), StatusCode::kDataLoss);
}

TEST(BitNumbers, DifferencesAddUp) {
  // The format's examples: 1 to 5, all differences equal; then 7, 5, 3, 1, 2, 3, 4, 5.
  std::string even("\x80\x01\x04\x05\x02\x02\0\0\0\0", 10);
  Bytes rest = bytes_in(even);
  EXPECT_THAT(*take_delta_numbers(&rest, 5), ElementsAre(1, 2, 3, 4, 5));
  EXPECT_TRUE(rest.empty());
  std::string uneven("\x80\x01\x04\x08\x0e\x03\x02\0\0\0\xc0\x3f\0\0\0\0\0\0tail", 22);
  rest = bytes_in(uneven);
  EXPECT_THAT(*take_delta_numbers(&rest, 100), ElementsAre(7, 5, 3, 1, 2, 3, 4, 5));
  EXPECT_EQ(rest.size(), 4);
}

TEST(BitNumbers, DifferencesThatAreDamagedAreDataLoss) {
  const auto code = [](const std::string& text, uint64_t most) {
    Bytes rest = bytes_in(text);
    return take_delta_numbers(&rest, most).status().code();
  };
  const std::string good("\x80\x01\x04\x08\x0e\x03\x02\0\0\0\xc0\x3f\0\0\0\0\0\0", 18);
  EXPECT_EQ(code(good, 8), StatusCode::kOk);
  EXPECT_EQ(code(good, 7), StatusCode::kDataLoss);
  for (size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(code(good.substr(0, size), 8), StatusCode::kDataLoss) << size;
  }
  std::string wide = good;
  wide[6] = 65;
  EXPECT_EQ(code(wide, 8), StatusCode::kDataLoss);
  std::string odd = good;
  odd[2] = 3;
  EXPECT_EQ(code(odd, 8), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace forebay::dataset
