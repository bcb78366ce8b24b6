// The log of writes against the last write of each single byte.
#include "forebay/ndarray/write_log.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace forebay::ndarray {
namespace {

TEST(WriteLogTest, KnowsTheLastWriteOfAnyRange) {
  constexpr size_t kBytes = 40;
  std::mt19937 random(1);
  const auto place = [&](size_t most) { return std::uniform_int_distribution<size_t>(0, most)(random); };
  WriteLog log;
  std::vector<uint64_t> last(kBytes);
  for (uint64_t write = 1; write < 2000; ++write) {
    const size_t begin = place(kBytes);
    const size_t end = place(kBytes);
    log.note(begin, end, write);
    for (size_t at = begin; at < end; ++at) {
      last[at] = write;
    }
    const size_t first = place(kBytes - 1);
    const size_t behind = first + 1 + place(kBytes - 1 - first);
    ASSERT_EQ(log.last_write(first, behind), *std::max_element(last.begin() + static_cast<long>(first),
                                                               last.begin() + static_cast<long>(behind)));
  }
}

TEST(WriteLogTest, OfTooManyPiecesItForgetsNoWrite) {
  constexpr size_t kBytes = 40;
  std::mt19937 random(2);
  WriteLog log(4);
  std::vector<uint64_t> last(kBytes);
  for (uint64_t write = 1; write < 2000; ++write) {
    const size_t begin = std::uniform_int_distribution<size_t>(0, kBytes - 3)(random);
    for (size_t at = begin; at < begin + 3; ++at) {
      last[at] = write;
    }
    log.note(begin, begin + 3, write);
    for (size_t at = 0; at < kBytes; ++at) {
      ASSERT_GE(log.last_write(at, at + 1), last[at]);
      ASSERT_LE(log.last_write(at, at + 1), write);
    }
  }
}

TEST(WriteLogTest, WhatWasWrittenApartIsToldApart) {
  WriteLog log;
  for (uint64_t row = 1; row <= 70000; ++row) {
    log.note(row * 3, row * 3 + 1, row);
  }
  for (const uint64_t row : std::vector<uint64_t>{1, 2, 1024, 1025, 60000}) {
    EXPECT_EQ(log.last_write(row * 3, row * 3 + 3), row);
  }
  EXPECT_EQ(log.last_write(0, 3), uint64_t{0});
  EXPECT_GE(log.last_write(69000 * 3, 69000 * 3 + 1), uint64_t{69000});
}

TEST(WriteLogTest, BeyondItsLimitOnlyNeighboursCountAsOne) {
  WriteLog log(3);
  log.note(0, 1, 1);
  log.note(10, 11, 2);
  log.note(20, 21, 3);
  log.note(23, 24, 4);
  EXPECT_EQ(log.last_write(0, 10), uint64_t{1});
  EXPECT_EQ(log.last_write(10, 20), uint64_t{2});
  EXPECT_EQ(log.last_write(20, 21), uint64_t{4});
  EXPECT_EQ(log.last_write(24, 30), uint64_t{0});
}

}  // namespace
}  // namespace forebay::ndarray
