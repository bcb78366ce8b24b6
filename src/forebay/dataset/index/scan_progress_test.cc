#include "forebay/dataset/index/scan_progress.h"

#include <gtest/gtest.h>

namespace forebay::dataset {
namespace {

constexpr int64_t kToldEveryNs = 100'000'000;

class ScanProgressTest : public ::testing::Test {
 protected:
  const ScanProgress::Tell tell_ = [this](const IndexProgress& now) {
    told_ = now;
    ++times_;
  };
  SteppedClock clock_;
  IndexProgress told_;
  int times_ = 0;
};

TEST_F(ScanProgressTest, CountsBytesBehindTheScans) {
  ScanProgress progress(tell_, 2, clock_);
  progress.expect(0, 1000);
  progress.expect(1, 500);
  progress.read(0, 0, 100);
  progress.read(0, 300, 100);  // what lies between was passed over
  progress.add(0, 3);
  clock_.advance_ns(kToldEveryNs - 1);
  progress.add(0, 0);
  EXPECT_EQ(times_, 0);  // not so often
  clock_.advance_ns(1);
  progress.add(0, 1);
  EXPECT_EQ(times_, 1);
  EXPECT_EQ(told_.bytes, 1500);
  EXPECT_EQ(told_.bytes_done, 400);
  EXPECT_EQ(told_.samples_found, 4);
  EXPECT_EQ(told_.samples, 0);
  progress.done(0, 5);
  EXPECT_EQ(told_.bytes_done, 1000);
  EXPECT_EQ(told_.samples_found, 5);
  EXPECT_EQ(told_.samples, 5);
  EXPECT_EQ(told_.shards_done, 1);
}

TEST_F(ScanProgressTest, AScanThatBeginsAgainCountsOnce) {
  ScanProgress progress(tell_, 2, clock_);
  progress.expect(0, 1000);
  progress.expect(1, 1000);
  progress.read(0, 0, 700);
  progress.add(0, 3);
  progress.begin(0);
  progress.expect(0, 800);
  progress.read(0, 0, 100);
  progress.done(1, 2);
  EXPECT_EQ(told_.bytes, 1800);
  EXPECT_EQ(told_.bytes_done, 1100);
  EXPECT_EQ(told_.samples_found, 2);
}

TEST_F(ScanProgressTest, AJumpThroughATreeCountsNothing) {
  constexpr uint64_t kBytes = uint64_t{100} << 30;
  ScanProgress progress(tell_, 2, clock_);
  progress.expect(0, kBytes);
  progress.read(0, 0, 100);
  progress.read(0, kBytes - 100, 100);
  progress.read(0, 100, 100);
  progress.read(0, 400, 100);
  progress.read(0, 200, 100);  // one beside the other
  progress.done(1, 0);
  EXPECT_EQ(told_.bytes_done, 200);
}

TEST_F(ScanProgressTest, NobodyWatches) {
  const ScanProgress::Tell none;
  ScanProgress progress(none, 1, clock_);
  progress.expect(0, 10);
  progress.begin(0);
  progress.read(0, 0, 10);
  progress.add(0, 1);
  progress.done(0, 1);
  EXPECT_FALSE(progress.is_watched());
}

}  // namespace
}  // namespace forebay::dataset
