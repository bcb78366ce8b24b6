#include "forebay/fuse/reading/sequential_reads.h"

#include <gtest/gtest.h>

namespace forebay::fuse {
namespace {

constexpr uint64_t kMiB = uint64_t{1} << 20;
constexpr uint64_t kFile = 1000 * kMiB;

TEST(SequentialReads, WantsWhatComesNextOnceAndInSteps) {
  SequentialReads reads;
  EXPECT_EQ(reads.note(0, kMiB, kFile).length_bytes, 0u);
  const FilePart first = reads.note(kMiB, kMiB, kFile);
  EXPECT_EQ(first.offset_bytes, 2 * kMiB);
  EXPECT_EQ(first.length_bytes, kWindowBytes);
  uint64_t wanted_until = first.offset_bytes + first.length_bytes;
  for (uint64_t at = 2 * kMiB; at < 100 * kMiB; at += kMiB) {
    const FilePart next = reads.note(at, kMiB, kFile);
    if (next.length_bytes > 0) {
      EXPECT_EQ(next.offset_bytes, wanted_until);
      EXPECT_GE(next.length_bytes, SequentialReads::kStepBytes);
      wanted_until += next.length_bytes;
    }
    EXPECT_LE(wanted_until, at + kMiB + kWindowBytes);
  }
  EXPECT_GT(wanted_until, 100 * kMiB);
}

TEST(SequentialReads, TakesWhatComesOutOfOrder) {
  SequentialReads reads;
  uint64_t wanted = 0;
  for (const uint64_t at : {1, 0, 3, 2, 5, 4}) {
    wanted += reads.note(at * kMiB, kMiB, kFile).length_bytes;
  }
  EXPECT_GT(wanted, 0u);
}

TEST(SequentialReads, WantsNothingOfRandomReads) {
  SequentialReads reads;
  for (const uint64_t at : {500, 3, 900, 41, 700, 120, 999, 7}) {
    EXPECT_EQ(reads.note(at * kMiB, kMiB, kFile).length_bytes, 0u) << at;
  }
}

TEST(SequentialReads, WantsNothingOfWhatLeavesMostOut) {
  SequentialReads reads;
  for (uint64_t at = 0; at < 200 * kMiB; at += 2 * kMiB) {
    EXPECT_EQ(reads.note(at, kMiB / 2, kFile).length_bytes, 0u) << at;
  }
}

TEST(SequentialReads, WantsNothingOfWhoGoesBackwards) {
  SequentialReads reads;
  for (uint64_t at = 900 * kMiB; at > 0; at -= 3 * kMiB) {
    EXPECT_EQ(reads.note(at, kMiB, kFile).length_bytes, 0u) << at;
  }
}

TEST(SequentialReads, GoesByHowItWasReadLately) {
  SequentialReads reads;
  for (uint64_t at = 0; at < 300 * kMiB; at += kMiB) {  // a tenth
    EXPECT_EQ(reads.note(at, kMiB / 10, kFile).length_bytes, 0u) << at;
  }
  uint64_t wanted = 0;
  for (uint64_t at = 300 * kMiB; at < 400 * kMiB; at += kMiB) {
    wanted += reads.note(at, kMiB, kFile).length_bytes;
  }
  EXPECT_GT(wanted, 50 * kMiB);
  wanted = 0;
  for (uint64_t at = 400 * kMiB; at < 600 * kMiB; at += kMiB) {
    wanted += reads.note(at, kMiB / 10, kFile).length_bytes;
  }
  EXPECT_LT(wanted, 70 * kMiB);
}

TEST(SequentialReads, EndsWithTheFile) {
  SequentialReads reads;
  reads.note(0, kMiB, 5 * kMiB + 1);
  const FilePart rest = reads.note(kMiB, kMiB, 5 * kMiB + 1);
  EXPECT_EQ(rest.offset_bytes + rest.length_bytes, 5 * kMiB + 1);
  EXPECT_EQ(reads.note(2 * kMiB, kMiB, 5 * kMiB + 1).length_bytes, 0u);
}

}  // namespace
}  // namespace forebay::fuse
