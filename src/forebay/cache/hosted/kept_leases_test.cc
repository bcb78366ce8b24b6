// How long bytes stay whose process has lost its connection.
#include "forebay/cache/hosted/kept_leases.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <memory>

#include "forebay/base/testing/stepped_timer.h"

namespace forebay::cache {
namespace {

class KeptLeasesTest : public ::testing::Test {
 protected:
  std::weak_ptr<const void> keep(FileDescriptor token) {
    auto owner = std::make_shared<const int>(1);
    std::weak_ptr<const void> weak = owner;
    leases_->keep(std::move(token), {std::move(owner)});
    return weak;
  }

  SteppedTimer timer_;
  const std::shared_ptr<KeptLeases> leases_ = std::make_shared<KeptLeases>(timer_);
};

TEST_F(KeptLeasesTest, StayUntilTheLastCopyOfTheTokenHasGone) {
  ReaderToken token = *ReaderToken::make();
  FileDescriptor copy(fcntl(token.of_process.get(), F_DUPFD_CLOEXEC, 0));
  const std::weak_ptr<const void> lease = keep(std::move(token.of_daemon));
  timer_.advance_ns(KeptLeases::kBetweenLooksNs);
  EXPECT_FALSE(lease.expired());
  token.of_process = FileDescriptor();
  timer_.advance_ns(KeptLeases::kBetweenLooksNs);
  EXPECT_FALSE(lease.expired()) << "as of a forked child";
  EXPECT_EQ(leases_->size(), 1U);
  copy = FileDescriptor();
  timer_.advance_ns(KeptLeases::kBetweenLooksNs);
  EXPECT_TRUE(lease.expired());
  EXPECT_EQ(leases_->size(), 0U);
}

TEST_F(KeptLeasesTest, OfAProcessThatHasGoneEndAtOnce) {
  ReaderToken token = *ReaderToken::make();
  token.of_process = FileDescriptor();
  EXPECT_TRUE(keep(std::move(token.of_daemon)).expired());
}

TEST_F(KeptLeasesTest, EachProcessIsLookedAtByItself) {
  ReaderToken first = *ReaderToken::make();
  ReaderToken second = *ReaderToken::make();
  const std::weak_ptr<const void> of_first = keep(std::move(first.of_daemon));
  const std::weak_ptr<const void> of_second = keep(std::move(second.of_daemon));
  first.of_process = FileDescriptor();
  timer_.advance_ns(KeptLeases::kBetweenLooksNs);
  EXPECT_TRUE(of_first.expired());
  EXPECT_FALSE(of_second.expired());
}

}  // namespace
}  // namespace forebay::cache
