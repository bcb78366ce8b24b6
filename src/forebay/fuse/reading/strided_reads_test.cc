#include "forebay/fuse/reading/strided_reads.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace forebay::fuse {
namespace {

constexpr uint64_t kKibi = uint64_t{1} << 10;
constexpr uint64_t kMebi = uint64_t{1} << 20;
constexpr uint64_t kRecordFile = 1000 * kMebi;

/// How often each byte at `offset` was handed out.
int times_in(const std::vector<FilePart>& parts, uint64_t offset) {
  return static_cast<int>(std::ranges::count_if(parts, [offset](const FilePart& part) {
    return part.offset_bytes <= offset && offset < part.offset_bytes + part.length_bytes;
  }));
}

/// All parts that are handed out while records at these steps are read.
std::vector<FilePart> handed_out(uint64_t first, int64_t step, int records, uint64_t record_bytes,
                                 uint64_t file_bytes = kRecordFile) {
  StridedReads reads;
  std::vector<FilePart> all;
  for (int i = 0; i < records; ++i) {
    const uint64_t at = first + static_cast<uint64_t>(i * step);
    const uint64_t begin = at / 4096 * 4096;  // as the kernel asks
    const std::vector<FilePart> parts = reads.note(begin, at + record_bytes - begin, file_bytes);
    for (const FilePart& part : parts) {
      EXPECT_GT(part.length_bytes, 0u);
      EXPECT_LE(part.offset_bytes + part.length_bytes, file_bytes);
    }
    all.insert(all.end(), parts.begin(), parts.end());
  }
  return all;
}

TEST(StridedReads, WantsEachRecordOnceBeforeItIsRead) {
  constexpr uint64_t kStep = 1'234'567;
  const std::vector<FilePart> parts = handed_out(100, kStep, 100, 64 * kKibi);
  for (uint64_t i = 5; i < 100; ++i) {
    EXPECT_EQ(times_in(parts, 100 + i * kStep), 1) << i;
    EXPECT_EQ(times_in(parts, 100 + i * kStep + 64 * kKibi - 1), 1) << i;
    EXPECT_EQ(times_in(parts, 100 + i * kStep + kStep / 2), 0) << i;
  }
}

TEST(StridedReads, GoesToTheFrontAsWell) {
  const std::vector<FilePart> parts = handed_out(900 * kMebi, -3 * static_cast<int64_t>(kMebi), 40, kMebi);
  for (uint64_t i = 5; i < 40; ++i) {
    EXPECT_EQ(times_in(parts, (900 - 3 * i) * kMebi), 1) << i;
  }
}

/// What is handed out while records of 3 MiB are read by three requests each, in such an order.
std::vector<FilePart> handed_out_of_three(const std::vector<uint64_t>& order, int records) {
  StridedReads reads;
  std::vector<FilePart> all;
  for (int record = 0; record < records; ++record) {
    for (const uint64_t part : order) {
      const uint64_t at = static_cast<uint64_t>(record) * 20 * kMebi + part * kMebi;
      const std::vector<FilePart> parts = reads.note(at, kMebi, kRecordFile);
      all.insert(all.end(), parts.begin(), parts.end());
    }
  }
  return all;
}

TEST(StridedReads, TakesARecordOfManyReadsAsOneInAnyOrder) {
  for (const std::vector<uint64_t>& order :
       std::vector<std::vector<uint64_t>>{{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}}) {
    const std::vector<FilePart> all = handed_out_of_three(order, 20);
    for (uint64_t record = 5; record < 20; ++record) {
      for (uint64_t part = 0; part < 3; ++part) {
        EXPECT_EQ(times_in(all, record * 20 * kMebi + part * kMebi), 1) << record << ' ' << part;
      }
      EXPECT_EQ(times_in(all, record * 20 * kMebi + 10 * kMebi), 0) << record;
    }
  }
}

TEST(StridedReads, SeesStepsInWhatWasReadAsAWholeBefore) {
  StridedReads reads;
  for (uint64_t at = 0; at < 200 * kMebi; at += kMebi) {
    EXPECT_TRUE(reads.note(at, kMebi, kRecordFile).empty());
  }
  bool is_sure = false;
  for (uint64_t at = 0; at < 100 * kMebi; at += 10 * kMebi) {
    is_sure = !reads.note(at, 100 * kKibi, kRecordFile).empty() || is_sure;
  }
  EXPECT_TRUE(is_sure);
}

TEST(StridedReads, EndsWhereTheReaderGoesOnWithoutAGap) {
  StridedReads reads;
  for (uint64_t at = 0; at < 50 * kMebi; at += 5 * kMebi) {
    reads.note(at, kMebi, kRecordFile);
  }
  EXPECT_TRUE(reads.is_sure());
  for (uint64_t at = 46 * kMebi; at < 60 * kMebi; at += kMebi) {
    reads.note(at, kMebi, kRecordFile);
  }
  EXPECT_FALSE(reads.is_sure());
}

TEST(StridedReads, HoldsToItsWindow) {
  for (const uint64_t record_bytes : {4 * kKibi, kMebi, 10 * kMebi}) {
    StridedReads reads;
    uint64_t read_until = 0;
    uint64_t ahead = 0;
    for (uint64_t i = 0; i < 20; ++i) {
      for (const FilePart& part : reads.note(i * 40 * kMebi, record_bytes, kRecordFile)) {
        ahead += part.length_bytes;
      }
      read_until += record_bytes;
      EXPECT_LE(ahead, read_until + std::max(kWindowBytes, record_bytes) + 40 * 8 * kKibi);
    }
    EXPECT_GT(ahead, 0u);
  }
}

TEST(StridedReads, GoesFarAheadOfSmallRecords) {
  for (const uint64_t step : {8 * kKibi, 20 * kKibi, 200 * kKibi}) {
    StridedReads reads;
    uint64_t ahead_until = 0;
    for (uint64_t at = 0; at < 100 * kMebi; at += step) {
      for (const FilePart& part : reads.note(at, 4 * kKibi, kRecordFile)) {
        ahead_until = part.offset_bytes + part.length_bytes;
      }
      if (at > 20 * kMebi) {
        EXPECT_GT(ahead_until, at + kWindowBytes / 3);
        EXPECT_LT(ahead_until, at + 2 * kWindowBytes);
      }
    }
  }
}

TEST(StridedReads, AFirstReadOfMoreIsNoRecordOfMore) {
  StridedReads reads;
  reads.note(0, 4 * kMebi, kRecordFile);
  for (uint64_t at = 8 * kMebi; at < 100 * kMebi; at += 8 * kMebi) {
    for (const FilePart& part : reads.note(at, 3 * kMebi / 2, kRecordFile)) {
      EXPECT_EQ(part.length_bytes, 3 * kMebi / 2);
    }
  }
  EXPECT_TRUE(reads.is_sure());
}

TEST(StridedReads, WantsNothingOfOtherReads) {
  StridedReads reads;
  for (const uint64_t at : {500, 3, 900, 41, 700, 120, 999, 7, 8, 9, 10, 11}) {
    EXPECT_TRUE(reads.note(at * kMebi, kMebi, kRecordFile).empty()) << at;
  }
  StridedReads again;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(again.note(5 * kMebi, kMebi, kRecordFile).empty());
    EXPECT_TRUE(again.note(5 * kMebi, 0, kRecordFile).empty());
  }
}

TEST(StridedReads, StandsWhoGoesToAndFro) {
  StridedReads reads;
  for (int i = 0; i < 20; ++i) {
    EXPECT_TRUE(reads.note(i % 2 == 0 ? 0 : 2000, 10, kRecordFile).empty());
  }
}

TEST(StridedReads, EndsWithTheFile) {
  const uint64_t file_bytes = 50 * kMebi + 17;
  const std::vector<FilePart> parts = handed_out(0, 10 * kMebi, 5, kMebi, file_bytes);
  EXPECT_EQ(times_in(parts, 50 * kMebi), 1);
}

}  // namespace
}  // namespace forebay::fuse
