// A daemon that hangs holds nobody up: calls end at their deadline, or go on upstream after a silence.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/stepped_timer.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/hosted_cache.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

using storage::ReadBytes;

void put(storage::ObjectStore& store, const std::string& key, const std::string& text) {
  ASSERT_TRUE(write_now(store, key, std::as_bytes(std::span(text))).ok());
}

/// A daemon in a process of its own, which can be stopped as a whole.
class DaemonProcess {
 public:
  DaemonProcess(const std::string& directory, const std::string& key, const std::string& text) {
    int ends[2];
    EXPECT_EQ(pipe(ends), 0);
    process_ = fork();
    if (process_ == 0) {
      HostedCache daemon(directory);
      put(daemon.upstream(), key, text);
      const char ready = 'y';
      [[maybe_unused]] const ssize_t wrote = ::write(ends[1], &ready, 1);
      for (;;) {
        pause();
      }
    }
    close(ends[1]);  // so that the read ends with the child
    char ready = 0;
    EXPECT_EQ(::read(ends[0], &ready, 1), 1);
    close(ends[0]);
  }
  ~DaemonProcess() { die(); }
  DaemonProcess(const DaemonProcess&) = delete;
  DaemonProcess& operator=(const DaemonProcess&) = delete;

  void hang() {
    int status = 0;
    kill(process_, SIGSTOP);
    waitpid(process_, &status, WUNTRACED);
    EXPECT_TRUE(WIFSTOPPED(status));
  }
  void go_on() { kill(process_, SIGCONT); }
  void die() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(std::exchange(process_, 0), nullptr, 0);
    }
  }

 private:
  pid_t process_ = 0;
};

class HostSilenceTest : public ::testing::Test {
 protected:
  void SetUp() override {
    FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
    daemon_.emplace(directory_.path(), "a", text_);
    put(*upstream_, "a", text_);
    client_ = *HostClient::connect(directory_.path() + "/socket", timer_);
    store_ = *HostStore::create(client_, upstream_);
  }
  /// Time passes in steps that the watch of a connection cannot miss.
  void let_pass(int64_t time_ns) {
    for (int64_t step_ns = 0; time_ns > 0; time_ns -= step_ns) {
      step_ns = std::min(time_ns, HostClient::kMaxQuietNs / 5);
      timer_.advance_ns(step_ns);
    }
  }
  std::future<Result<ReadBytes>> begin_read(const storage::CallContext& context = {}) {
    auto answered = std::make_shared<std::promise<Result<ReadBytes>>>();
    store_->read({.key = "a"}, context,
                 [answered](Result<ReadBytes> read) { answered->set_value(std::move(read)); });
    return answered->get_future();
  }
  static bool is_there(const std::future<Result<ReadBytes>>& answer) {
    return answer.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  }

  const std::string text_ = std::string(kMiB, 'x');
  TemporaryDirectory directory_;
  SteppedTimer timer_;
  const std::shared_ptr<storage::MemoryStore> upstream_ = std::make_shared<storage::MemoryStore>();
  std::optional<DaemonProcess> daemon_;
  std::shared_ptr<HostClient> client_;
  std::shared_ptr<HostStore> store_;
};

TEST_F(HostSilenceTest, AReadEndsAtItsDeadline) {
  daemon_->hang();
  std::future<Result<ReadBytes>> answer = begin_read({.deadline_ns = timer_.now_ns() + kSecond});
  let_pass(kSecond - 1);
  EXPECT_FALSE(is_there(answer));
  let_pass(1);
  ASSERT_TRUE(is_there(answer));
  const Status status = answer.get().status();
  EXPECT_EQ(status.code(), StatusCode::kDeadlineExceeded);
  EXPECT_NE(status.ToString().find("daemon"), std::string::npos) << status;
  EXPECT_TRUE(client_->is_usable()) << "one that is slow may come back";
}

TEST_F(HostSilenceTest, AReadWithoutOneGoesOnUpstreamWithinTwoSeconds) {
  const Result<ReadBytes> held = read_now(*store_, {.key = "a"});
  ASSERT_TRUE(held.ok()) << held.status();
  daemon_->hang();
  std::future<Result<ReadBytes>> answer = begin_read();
  let_pass(HostClient::kMaxSilenceNs - 1);
  EXPECT_FALSE(is_there(answer));
  let_pass(2 * kSecond - HostClient::kMaxSilenceNs + 1);
  ASSERT_TRUE(is_there(answer));
  EXPECT_EQ(storage::text_of(*answer.get()), text_);
  EXPECT_FALSE(client_->is_usable());
  EXPECT_EQ(storage::text_of(*begin_read().get()), text_) << "and the next at once";
  daemon_->go_on();
  EXPECT_EQ(storage::text_of(*held), text_) << "its views stay what they are";
}

TEST_F(HostSilenceTest, AWriteThatTheStoreHasAcknowledgedReturns) {
  daemon_->hang();
  for (const bool has_deadline : {true, false}) {
    auto writer = *store_->open_writer("b", {});
    const storage::CallContext context = {.deadline_ns = has_deadline ? timer_.now_ns() + kSecond
                                                                      : storage::kNoDeadline};
    std::optional<Status> appended;
    writer->append(std::as_bytes(std::span(text_)), context,
                   [&](const Status& status) { appended = status; });
    let_pass(has_deadline ? kSecond : 2 * kSecond);
    ASSERT_TRUE(appended.has_value()) << has_deadline;
    EXPECT_TRUE(appended->ok()) << *appended;
    std::optional<Result<storage::ObjectStat>> committed;
    writer->commit({}, [&](Result<storage::ObjectStat> stat) { committed = std::move(stat); });
    ASSERT_TRUE(committed.has_value() && committed->ok());
  }
  EXPECT_EQ(storage::text_of(*read_now(*upstream_, {.key = "b"})), text_);
}

TEST_F(HostSilenceTest, ADaemonThatWasKilledIsFoundAgainOnceItIsBack) {
  const auto host = std::make_shared<HostConnector>(
      [socket = directory_.path() + "/socket"] { return HostClient::connect(socket); });
  const std::shared_ptr<HostStore> store = HostStore::create(host, upstream_);
  const Result<ReadBytes> held = read_now(*store, {.key = "a"});
  ASSERT_TRUE(held.ok() && store->features().can_bring);
  daemon_->die();
  EXPECT_EQ(storage::text_of(*read_now(*store, {.key = "a"})), text_);
  daemon_.emplace(directory_.path(), "a", text_);
  do {
    ASSERT_EQ(storage::text_of(*read_now(*store, {.key = "a"})), text_);
  } while (!store->features().can_bring);
  EXPECT_EQ(storage::text_of(*held), text_);
}

TEST_F(HostSilenceTest, ADaemonThatAnswersIsWaitedFor) {
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(stat_now(*store_, "a").ok());
    let_pass(HostClient::kMaxQuietNs - 1);
  }
  EXPECT_TRUE(client_->is_usable());
}

// As in an outage of the store, of which only the daemon knows.
TEST(HostClientTest, SaysWhatTheDaemonHasWaitedForForLong) {
  const TemporaryDirectory directory;
  HostedCache daemon(directory.path());
  SteppedTimer timer;
  put(daemon.upstream(), "a", "text");
  put(daemon.upstream(), "b", "text");
  daemon.upstream().hold_reads();
  const std::shared_ptr<HostStore> store = daemon.new_store(timer);
  std::promise<Result<ReadBytes>> read;
  store->read({.key = "a"}, {}, [&read](Result<ReadBytes> bytes) { read.set_value(std::move(bytes)); });
  const auto told_in = [&](int64_t time_ns) {
    ::testing::internal::CaptureStderr();
    for (; time_ns > 0; time_ns -= HostClient::kMaxQuietNs) {
      EXPECT_TRUE(stat_now(*store, "b").ok()) << "the daemon is heard";
      timer.advance_ns(HostClient::kMaxQuietNs);
    }
    return ::testing::internal::GetCapturedStderr();
  };
  EXPECT_EQ(told_in(4 * kSecond), "");
  const std::string told = told_in(2 * kSecond);
  EXPECT_NE(told.find(daemon.upstream().uri_of("a")), std::string::npos) << told;
  EXPECT_NE(told.find("for 5 s"), std::string::npos) << told;
  EXPECT_EQ(told_in(10 * kSecond), "") << "once a minute";
  daemon.upstream().release_reads();
  EXPECT_EQ(storage::text_of(*read.get_future().get()), "text");
}

}  // namespace
}  // namespace forebay::cache
