#include "forebay/fuse/supervisor/supervised.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <optional>
#include <thread>
#include <utility>

namespace forebay::fuse {
namespace {

/// A server's side, whose supervisors a test plays: to close a supervisor's end is to kill it.
class FuseSupervised : public testing::Test {
 protected:
  FuseSupervised() {
    Result<FileDescriptor> file = KeptState::make_file({.line = {.id = 1, .path = "/mnt"}});
    EXPECT_TRUE(file.ok());
    kept_ = KeptState::open(*std::move(file))->state;
    supervised_.emplace(*next_supervisor(), SupervisedOptions{.kept = kept_,
                                                              .start_supervisor =
                                                                  [this] {
                                                                    ++starts_;
                                                                    return next_supervisor();
                                                                  },
                                                              .stop = [this] { ++stops_; }});
  }
  /// The server's end of another one.
  Result<Peer> next_supervisor() {
    std::array<int, 2> ends{};
    EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
    Peer theirs(0, FileDescriptor(ends[1]));
    if (dies_at_once_) {
      return Peer(0, FileDescriptor(ends[0]));
    }
    const MutexLock lock(mutex_);
    supervisor_ = std::make_shared<Peer>(std::move(theirs));
    return Peer(0, FileDescriptor(ends[0]));
  }
  std::shared_ptr<Peer> supervisor() {
    const MutexLock lock(mutex_);
    return supervisor_;
  }
  void kill_supervisor() {
    const MutexLock lock(mutex_);
    supervisor_.reset();
  }
  template <class IsSo>
  static void wait_until(const IsSo& is_so) {
    while (!is_so()) {
      std::this_thread::yield();  // until the test's deadline
    }
  }
  void announce() {
    supervised_->say_ready();
    EXPECT_EQ(supervisor()->hear()->word, Word::kReady);
    supervisor()->say(Word::kGo);
    wait_until([this] { return kept_->is_announced(); });
  }

  std::shared_ptr<KeptState> kept_;
  std::atomic<bool> dies_at_once_ = false;
  std::atomic<int> starts_ = 0;
  std::atomic<int> stops_ = 0;
  Mutex mutex_;
  std::shared_ptr<Peer> supervisor_ FOREBAY_GUARDED_BY(mutex_);
  std::optional<Supervised> supervised_;
};

TEST_F(FuseSupervised, StartsAnotherSupervisorWhenOneWasKilled) {
  announce();
  for (int i = 0; i < 2; ++i) {
    kill_supervisor();
    wait_until([this] { return supervisor() != nullptr; });
    EXPECT_EQ(supervisor()->hear()->word, Word::kReady);
  }
  EXPECT_EQ(starts_, 2);
  EXPECT_TRUE(supervised_->say_ended(ok_status()));
  const std::optional<SaidWord> said = supervisor()->hear();
  EXPECT_EQ(said->word, Word::kEnded);
  EXPECT_EQ(said->text, "");
  kill_supervisor();
  supervised_.reset();
  EXPECT_EQ(starts_, 2);
  EXPECT_EQ(stops_, 0);
}

TEST_F(FuseSupervised, EndsAMountThatNobodyKnowsOf) {
  supervised_->say_ready();
  kill_supervisor();
  wait_until([this] { return stops_ == 1; });
  EXPECT_EQ(starts_, 0);
}

TEST_F(FuseSupervised, EndsTheMountWhenItIsToldTo) {
  const std::shared_ptr<Peer> told = supervisor();
  told->say(Word::kStop);
  EXPECT_EQ(told->hear()->word, Word::kEnding);
  wait_until([this] { return stops_ == 1; });
}

TEST_F(FuseSupervised, SaysWithWhatErrorItEndsAndWhetherThatWasHeard) {
  EXPECT_TRUE(supervised_->say_ended(unavailable("gone")));
  EXPECT_EQ(supervisor()->hear()->text, "gone");
  kill_supervisor();
  EXPECT_FALSE(supervised_->say_ended(unavailable("gone")));
}

TEST_F(FuseSupervised, IsHeardThoughItHasNotReadWhatItWasTold) {
  const std::shared_ptr<Peer> told = supervisor();
  EXPECT_TRUE(supervised_->say_ended(unavailable("gone")));
  supervised_.reset();  // its thread has ended, or has heard the first word
  told->say(Word::kGo);
  EXPECT_EQ(told->hear()->text, "gone");
  EXPECT_FALSE(told->hear().has_value());
}

TEST_F(FuseSupervised, GoesOnAloneWhereSupervisorsAlwaysEnd) {
  announce();
  dies_at_once_ = true;
  kill_supervisor();
  wait_until([this] { return starts_ == static_cast<int>(RestartLimit::kMost) - 1; });
  supervised_.reset();
  EXPECT_EQ(stops_, 0);
}

}  // namespace
}  // namespace forebay::fuse
