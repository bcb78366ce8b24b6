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

TEST(WriteLogTest, OfVeryManyPiecesItForgetsNoWrite) {
  WriteLog log;
  for (uint64_t write = 1; write < 5000; ++write) {
    log.note(write * 3, write * 3 + 1, write);
    EXPECT_GE(log.last_write(write * 3, write * 3 + 1), write);
    EXPECT_GE(log.last_write(3, 4), uint64_t{1});
  }
  EXPECT_EQ(log.last_write(0, 3), uint64_t{0});
}

}  // namespace
}  // namespace forebay::ndarray
