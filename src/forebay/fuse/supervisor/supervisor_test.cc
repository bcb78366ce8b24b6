#include "forebay/fuse/supervisor/supervisor.h"

#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/base/testing/fork_in_test.h"

namespace forebay::fuse {
namespace {

struct SocketPair {
  FileDescriptor ours;
  FileDescriptor theirs;
};

SocketPair make_pair() {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends.data()), 0);
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

/// A supervisor whose servers a test plays: to close a server's end is to kill it.
class FuseSupervisor : public testing::Test {
 protected:
  void begin(int64_t until_killed_ns = 3600 * kSecond) {
    SocketPair device = make_pair();
    kernel_ = std::move(device.ours);
    SupervisorOptions options;
    options.device = std::move(device.theirs);
    options.signals = FileDescriptor(::dup(signals_.get()));
    options.until_killed_ns = until_killed_ns;
    options.start_server = [this](bool is_careful) { return start(is_careful); };
    options.on_ready = [this] {
      ++told_ready_;
      return ready_status_;
    };
    thread_ = std::thread([this, given = std::make_shared<SupervisorOptions>(std::move(options))] {
      result_ = Supervisor(std::move(*given)).run();
    });
  }
  Result<Peer> start(bool is_careful) {
    const MutexLock lock(mutex_);
    careful_.push_back(is_careful);
    if (!start_status_.ok()) {
      return start_status_;
    }
    SocketPair pair = make_pair();
    started_.emplace_back(0, std::move(pair.theirs));
    changed_.notify_all();
    return Peer(next_pid_, std::move(pair.ours));
  }
  /// The server that was started next.
  Peer next_server() {
    UniqueMutexLock lock(mutex_);
    changed_.wait(lock.native(), [this]() FOREBAY_REQUIRES(mutex_) { return !started_.empty(); });
    Peer server = std::move(started_.front());
    started_.pop_front();
    return server;
  }
  Status result() {
    thread_.join();
    return result_;
  }
  size_t starts() {
    const MutexLock lock(mutex_);
    return careful_.size();
  }
  void send_signal() const {
    const uint64_t one = 1;
    ASSERT_EQ(::write(signals_.get(), &one, sizeof(one)), ssize_t{sizeof(one)});
  }
  static Word heard_by(const Peer& server) {
    const std::optional<SaidWord> said = server.hear();
    EXPECT_TRUE(said.has_value());
    return said ? said->word : Word::kReady;
  }

  FileDescriptor signals_ = FileDescriptor(::eventfd(0, EFD_CLOEXEC));
  FileDescriptor kernel_;
  int told_ready_ = 0;
  Status ready_status_;
  pid_t next_pid_ = 0;
  Mutex mutex_;
  std::condition_variable changed_;
  Status start_status_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<bool> careful_ FOREBAY_GUARDED_BY(mutex_);
  std::deque<Peer> started_ FOREBAY_GUARDED_BY(mutex_);
  std::thread thread_;
  Status result_;
};

TEST_F(FuseSupervisor, StartsAnotherServerWhenOneWasKilled) {
  begin();
  for (int i = 0; i < 3; ++i) {
    const Peer server = next_server();
    server.say(Word::kReady);
    EXPECT_EQ(heard_by(server), Word::kGo);
  }
  next_server().say(Word::kEnded);
  EXPECT_TRUE(result().ok());
  EXPECT_EQ(starts(), 4u);
  EXPECT_EQ(told_ready_, 1);
}

TEST_F(FuseSupervisor, EndsWithTheMount) {
  begin();
  {
    const Peer server = next_server();
    server.say(Word::kReady);
    EXPECT_EQ(heard_by(server), Word::kGo);
    kernel_ = FileDescriptor();
  }
  EXPECT_TRUE(result().ok());
  EXPECT_EQ(starts(), 1u);
}

TEST_F(FuseSupervisor, AServerThatWasToldToEndIsNotReplaced) {
  begin();
  next_server().say(Word::kEnding);
  EXPECT_TRUE(result().ok());
  EXPECT_EQ(starts(), 1u);
}

TEST_F(FuseSupervisor, ASignalEndsTheMount) {
  begin();
  {
    const Peer server = next_server();
    send_signal();
    EXPECT_EQ(heard_by(server), Word::kStop);
  }
  EXPECT_TRUE(result().ok());
  EXPECT_EQ(starts(), 1u);
}

TEST_F(FuseSupervisor, ServersThatAlwaysEndAreNotStartedForEver) {
  begin();
  for (size_t i = 0; i < RestartLimit::kMost; ++i) {
    next_server();
  }
  const Status status = result();
  EXPECT_EQ(status.code(), StatusCode::kUnavailable);
  EXPECT_NE(message(status).find("5 times"), std::string_view::npos) << status;
  const MutexLock lock(mutex_);
  EXPECT_EQ(careful_, (std::vector<bool>{false, false, false, true, true}));
}

TEST_F(FuseSupervisor, ServersThatCannotBeStartedAreNotTriedForEver) {
  {
    const MutexLock lock(mutex_);
    start_status_ = resource_exhausted("no more processes");
  }
  begin();
  EXPECT_NE(message(result()).find("no more processes"), std::string_view::npos);
  EXPECT_EQ(starts(), RestartLimit::kMost);
}

TEST_F(FuseSupervisor, AMountThatNeverAnsweredIsNotTriedAgain) {
  begin();
  next_server().say(Word::kEnded, "why not");
  EXPECT_EQ(message(result()), "why not");
  EXPECT_EQ(starts(), 1u);
}

TEST_F(FuseSupervisor, AnErrorOfOneThatAnsweredIsADeath) {
  begin();
  {
    const Peer server = next_server();
    server.say(Word::kReady);
    server.say(Word::kEnded, "an error");
  }
  next_server().say(Word::kEnded);
  EXPECT_TRUE(result().ok());
  EXPECT_EQ(starts(), 2u);
}

TEST_F(FuseSupervisor, NobodyWantsTheMount) {
  ready_status_ = cancelled("nobody is there");
  begin();
  {
    const Peer server = next_server();
    server.say(Word::kReady);
    EXPECT_EQ(heard_by(server), Word::kGo);
    EXPECT_EQ(heard_by(server), Word::kStop);
  }
  EXPECT_EQ(result().code(), StatusCode::kCancelled);
}

TEST_F(FuseSupervisor, AServerThatDoesNotEndIsKilled) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  next_pid_ = ::fork();
  if (next_pid_ == 0) {
    for (;;) {
      ::pause();
    }
  }
  begin(kMillisecond);
  {
    const Peer server = next_server();
    send_signal();
    EXPECT_EQ(heard_by(server), Word::kStop);
    EXPECT_EQ(Peer(next_pid_, FileDescriptor()).collect(), "signal 9");
  }
  EXPECT_TRUE(result().ok());
}

}  // namespace
}  // namespace forebay::fuse
