#include "forebay/storage/remote/straggler.h"

#include <gtest/gtest.h>

namespace forebay::storage {
namespace {

constexpr uint64_t kBytes = 100'000;
constexpr int64_t kLeastNs = 20'000'000;

/// Takes from once to two and a half times as long, as reads that share a link do.
int64_t time_of_read(int number) {
  return kLeastNs + kLeastNs * (number * 37 % 100) * 3 / 200;
}

TEST(StragglerWatchTest, NothingIsOneBeforeEnoughReadsWereSeen) {
  StragglerWatch watch(std::make_shared<CostModel>());
  EXPECT_FALSE(watch.patience_ns(kBytes));
}

TEST(StragglerWatchTest, ReadsOfASteadyLinkAreNone) {
  StragglerWatch watch(std::make_shared<CostModel>());
  for (int i = 0; i < 256; ++i) {
    watch.observe(kBytes, time_of_read(i));
  }
  int stragglers = 0;
  for (int i = 0; i < 100; ++i) {
    stragglers += time_of_read(i) > watch.patience_ns(kBytes).value();
  }
  EXPECT_EQ(stragglers, 0);
  EXPECT_LT(watch.patience_ns(kBytes).value(), 6 * kLeastNs);
}

}  // namespace
}  // namespace forebay::storage
