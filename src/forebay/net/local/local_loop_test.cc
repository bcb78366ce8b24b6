#include "forebay/net/local/local_loop.h"
#include "forebay/base/testing/wait_for_child.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/no_descriptors.h"
#include "forebay/base/testing/temporary_directory.h"

namespace forebay::net {
namespace {

Bytes bytes_of(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(const LocalMessage& message) {
  return {reinterpret_cast<const char*>(message.bytes.data()), message.bytes.size()};
}

constexpr int kPatience_ms = 60'000;

/// A child that does this as a user who is nobody's, and ends well if it says so.
template <class Work>
pid_t as_another_user(const Work& work) {
  const pid_t child = fork();
  if (child == 0) {
    _exit(setgid(65534) == 0 && setuid(65534) == 0 && work() ? 0 : 1);
  }
  return child;
}

bool ended_well(pid_t child) {
  int status = -1;
  return wait_for_child(child, &status) == child && status == 0;
}

/// What came on a connection, for a thread that waits.
class Mailbox {
 public:
  LocalHandler handler() {
    return {.on_message =
                [this](const LocalConnectionRef& from, LocalMessage message) {
                  const MutexLock lock(mutex_);
                  connection_ = from;
                  messages_.push_back(std::move(message));
                  changed_.notify_all();
                  return ok_status();
                },
            .on_closed =
                [this](const LocalConnectionRef&, const Status& status) {
                  const MutexLock lock(mutex_);
                  end_ = status;
                  changed_.notify_all();
                }};
  }
  /// The message number `index`, once it has come.
  const LocalMessage& message(size_t index) {
    UniqueMutexLock lock(mutex_);
    changed_.wait(lock.native(), [&]() FOREBAY_REQUIRES(mutex_) { return messages_.size() > index; });
    return messages_[index];
  }
  LocalConnectionRef connection() {
    const MutexLock lock(mutex_);
    return connection_;
  }
  Status wait_for_end() {
    UniqueMutexLock lock(mutex_);
    changed_.wait(lock.native(), [&]() FOREBAY_REQUIRES(mutex_) { return end_.has_value(); });
    return *end_;
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  LocalConnectionRef connection_ FOREBAY_GUARDED_BY(mutex_);
  std::deque<LocalMessage> messages_ FOREBAY_GUARDED_BY(mutex_);
  std::optional<Status> end_ FOREBAY_GUARDED_BY(mutex_);
};

class LocalLoopTest : public ::testing::Test {
 protected:
  LocalLoopTest() : loop_(*LocalLoop::start("local test")), clients_(*LocalLoop::start("local clients")) {}

  void listen() {
    ASSERT_TRUE(loop_
                    ->listen(path_,
                             [this](const LocalConnectionRef&) {
                               ++accepted_;
                               return server_.handler();
                             })
                    .ok());
  }
  LocalConnectionRef connect() { return *clients_->connect(path_, client_.handler()); }

  TemporaryDirectory directory_;
  const std::string path_ = directory_.path() + "/socket";
  Mailbox server_;
  Mailbox client_;
  std::atomic<int> accepted_ = 0;
  std::unique_ptr<LocalLoop> loop_;
  std::unique_ptr<LocalLoop> clients_;
};

TEST_F(LocalLoopTest, MessagesGoBothWaysInOrder) {
  listen();
  const LocalConnectionRef connection = connect();
  ASSERT_TRUE(connection->send(bytes_of("one")).ok());
  ASSERT_TRUE(connection->send(bytes_of("two")).ok());
  EXPECT_EQ(text_of(server_.message(0)), "one");
  EXPECT_EQ(text_of(server_.message(1)), "two");
  ASSERT_TRUE(server_.connection()->send(bytes_of("three")).ok());
  EXPECT_EQ(text_of(client_.message(0)), "three");
  EXPECT_EQ(server_.connection()->peer().pid, getpid());
}

TEST_F(LocalLoopTest, FilesComeWithTheMessageTheyWereSentWith) {
  listen();
  const FileDescriptor memory(memfd_create("shared", MFD_CLOEXEC));
  ASSERT_EQ(pwrite(memory.get(), "shared bytes", 12, 0), 12);
  const LocalConnectionRef connection = connect();
  const int number = memory.get();
  ASSERT_TRUE(connection->send(bytes_of("without")).ok());
  ASSERT_TRUE(connection->send(bytes_of("with"), {&number, 1}).ok());
  EXPECT_TRUE(server_.message(0).descriptors.empty());
  ASSERT_EQ(server_.message(1).descriptors.size(), 1U);
  const int received = server_.message(1).descriptors[0].get();
  char content[12];
  ASSERT_EQ(pread(received, content, sizeof content, 0), 12);
  EXPECT_EQ(std::string_view(content, 12), "shared bytes");
  EXPECT_NE(fcntl(received, F_GETFD) & FD_CLOEXEC, 0);
}

TEST_F(LocalLoopTest, WhatTheOtherEndDoesNotReadYetIsKept) {
  const LocalListener listening = *listen_locally(path_);
  const LocalConnectionRef connection = connect();
  const FileDescriptor slow = *accept_locally(listening.socket());
  const std::string text(60'000, 'x');
  constexpr size_t kCount = 100;  // far more than the kernel holds
  for (size_t i = 0; i < kCount; ++i) {
    ASSERT_TRUE(connection->send(bytes_of(std::to_string(i) + text)).ok()) << i;
  }
  for (size_t i = 0; i < kCount;) {
    LocalMessage message;
    const Result<bool> has_come = receive_locally(slow.get(), &message);
    ASSERT_TRUE(has_come.ok()) << has_come.status();
    if (*has_come) {
      EXPECT_EQ(text_of(message), std::to_string(i) + text);
      ++i;
    }
  }
}

TEST_F(LocalLoopTest, WhoNeverReadsIsCutOff) {
  const LocalListener listening = *listen_locally(path_);
  const LocalConnectionRef connection = connect();
  const std::string text(kMaxLocalBytes, 'x');
  Status sent;
  size_t bytes = 0;
  while (sent.ok() && bytes < 4 * LocalConnection::kMaxWaitingBytes) {
    sent = connection->send(bytes_of(text));
    bytes += text.size();
  }
  EXPECT_EQ(sent.code(), StatusCode::kResourceExhausted) << sent;
  client_.wait_for_end().IgnoreError();
  EXPECT_EQ(connection->send(bytes_of("more")).code(), StatusCode::kCancelled);
}

TEST_F(LocalLoopTest, BothEndsLearnThatAConnectionHasEnded) {
  listen();
  const LocalConnectionRef connection = connect();
  ASSERT_TRUE(connection->send(bytes_of("hello")).ok());
  server_.message(0);
  connection->close();
  EXPECT_EQ(server_.wait_for_end().code(), StatusCode::kCancelled);
  EXPECT_EQ(client_.wait_for_end().code(), StatusCode::kCancelled);
  EXPECT_EQ(connection->send(bytes_of("more")).code(), StatusCode::kCancelled);
}

TEST_F(LocalLoopTest, AProcessThatIsKilledIsNoticed) {
  listen();
  const pid_t child = fork();
  if (child == 0) {
    const Result<FileDescriptor> socket = connect_locally(path_);
    send_locally(socket->get(), bytes_of("alive")).IgnoreError();
    pause();
  }
  EXPECT_EQ(text_of(server_.message(0)), "alive");
  EXPECT_EQ(server_.connection()->peer().pid, child);
  kill(child, SIGKILL);
  EXPECT_EQ(server_.wait_for_end().code(), StatusCode::kCancelled);
  wait_for_child(child, nullptr);
}

TEST_F(LocalLoopTest, AHandlersErrorEndsTheConnection) {
  ASSERT_TRUE(loop_
                  ->listen(path_,
                           [this](const LocalConnectionRef&) {
                             LocalHandler handler = server_.handler();
                             handler.on_message = [](const LocalConnectionRef&, const LocalMessage&) {
                               return invalid_argument("nonsense");
                             };
                             return handler;
                           })
                  .ok());
  ASSERT_TRUE(connect()->send(bytes_of("?")).ok());
  EXPECT_EQ(server_.wait_for_end(), invalid_argument("nonsense"));
  EXPECT_EQ(client_.wait_for_end().code(), StatusCode::kCancelled);
}

TEST_F(LocalLoopTest, MessagesBeyondTheLimitsAreRefused) {
  listen();
  const LocalConnectionRef connection = connect();
  const std::string text(kMaxLocalBytes + 1, 'x');
  EXPECT_EQ(connection->send(bytes_of(text)).code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(connection->send({}).code(), StatusCode::kInvalidArgument);
  const std::vector<int> many(kMaxLocalDescriptors + 1, 0);
  EXPECT_EQ(connection->send(bytes_of("files"), many).code(), StatusCode::kInvalidArgument);
  ASSERT_TRUE(connection->send(bytes_of(std::string_view(text).substr(1))).ok());
  EXPECT_EQ(server_.message(0).bytes.size(), kMaxLocalBytes);
}

TEST_F(LocalLoopTest, ASocketThatNobodyListensAtIsReplaced) {
  const pid_t killed = fork();
  if (killed == 0) {
    const Result<LocalListener> left = listen_locally(path_);
    _exit(left.ok() ? 0 : 1);
  }
  int status = 0;
  wait_for_child(killed, &status);
  ASSERT_EQ(status, 0);
  EXPECT_EQ(clients_->connect(path_, client_.handler()).status().code(), StatusCode::kUnavailable);
  listen();
  EXPECT_EQ(listen_locally(path_).status().code(), StatusCode::kAlreadyExists);
  connect();
}

// As when it is stopped: the queue is full, and nobody else may take its place.
TEST_F(LocalLoopTest, WhoDoesNotAcceptStillListens) {
  const LocalListener stopped = *listen_locally(path_);
  std::vector<FileDescriptor> waiting;
  Result<FileDescriptor> next = connect_locally(path_);
  for (int i = 0; i < 1000 && next.ok(); ++i) {
    waiting.push_back(*std::move(next));
    next = connect_locally(path_);
  }
  EXPECT_EQ(next.status().code(), StatusCode::kResourceExhausted) << next.status();
  EXPECT_EQ(listen_locally(path_).status().code(), StatusCode::kAlreadyExists);
  EXPECT_TRUE(accept_locally(stopped.socket()).ok()) << "it is still the first one's";
}

TEST_F(LocalLoopTest, WhatIsNotASocketIsLeftAlone) {
  std::ofstream(path_) << "somebody's";
  EXPECT_EQ(listen_locally(path_).status().code(), StatusCode::kAlreadyExists);
  std::string content;
  std::ifstream(path_) >> content;
  EXPECT_EQ(content, "somebody's");
}

TEST_F(LocalLoopTest, TheSocketGoesWithTheLoop) {
  listen();
  loop_.reset();
  EXPECT_EQ(access(path_.c_str(), F_OK), -1);
  EXPECT_EQ(clients_->connect(path_, client_.handler()).status().code(), StatusCode::kNotFound);
}

TEST_F(LocalLoopTest, NobodyListensAnyMoreWhenAConnectionEnds) {
  listen();
  std::vector<FileDescriptor> connections;
  std::vector<pollfd> ends;
  for (int i = 0; i < 100; ++i) {
    Result<FileDescriptor> made = connect_locally(path_);
    ASSERT_TRUE(made.ok()) << made.status();
    ends.push_back({.fd = made->get(), .events = POLLIN, .revents = 0});
    connections.push_back(*std::move(made));
  }
  std::thread ending([this] { loop_.reset(); });
  EXPECT_GE(poll(ends.data(), ends.size(), kPatience_ms), 1);
  EXPECT_FALSE(connect_locally(path_).ok());
  ending.join();
}

TEST_F(LocalLoopTest, AnotherUserIsRefused) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  if (geteuid() != 0) {
    GTEST_SKIP() << "only the superuser may become another user";
  }
  listen();
  ASSERT_EQ(chmod(directory_.path().c_str(), 0755), 0);
  const pid_t child = as_another_user(
      [&] { return connect_locally(path_).status().code() == StatusCode::kPermissionDenied; });
  EXPECT_TRUE(ended_well(child));
}

// The socket's mode is not all that keeps others out.
TEST_F(LocalLoopTest, AnotherUserThatCanConnectIsCutOff) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  if (geteuid() != 0) {
    GTEST_SKIP() << "only the superuser may become another user";
  }
  listen();
  ASSERT_EQ(chmod(directory_.path().c_str(), 0755), 0);
  ASSERT_EQ(chmod(path_.c_str(), 0666), 0);
  const pid_t child = as_another_user([&] {
    const Result<FileDescriptor> socket = connect_locally(path_);
    if (!socket.ok()) {
      return false;
    }
    pollfd end = {socket->get(), POLLIN, 0};
    char byte = 0;
    return ::poll(&end, 1, kPatience_ms) == 1 && ::recv(end.fd, &byte, 1, 0) <= 0;
  });
  EXPECT_TRUE(ended_well(child));
  EXPECT_EQ(accepted_, 0);
}

TEST_F(LocalLoopTest, WhatAnotherUserServesIsNotUsed) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  if (geteuid() != 0) {
    GTEST_SKIP() << "only the superuser may become another user";
  }
  ASSERT_EQ(chmod(directory_.path().c_str(), 0777), 0);
  std::array<int, 2> ready{};
  std::array<int, 2> done{};
  ASSERT_EQ(::pipe(ready.data()), 0);
  ASSERT_EQ(::pipe(done.data()), 0);
  char byte = 0;
  const pid_t child = as_another_user([&] {
    ::close(done[1]);
    const Result<LocalListener> listening = listen_locally(path_);
    return listening.ok() && ::write(ready[1], &byte, 1) == 1 && ::read(done[0], &byte, 1) == 0;
  });
  ::close(ready[1]);
  EXPECT_EQ(::read(ready[0], &byte, 1), 1) << "it does not listen";
  EXPECT_EQ(clients_->connect(path_, client_.handler()).status().code(), StatusCode::kPermissionDenied);
  ::close(done[1]);
  EXPECT_TRUE(ended_well(child));
  ::close(ready[0]);
  ::close(done[0]);
}

// It is told of each connection that waits until it takes it, which it cannot.
TEST_F(LocalLoopTest, WithoutADescriptorItNeitherSpinsNorForgetsWhoWaits) {
  if (checks_types_by_descriptors()) {
    GTEST_SKIP() << "the sanitizer ends a process that has no descriptor for its pipes";
  }
  constexpr size_t kRounds = 200;  // the loop is told what is ready after 32 of them at most
  listen();
  const LocalConnectionRef other = connect();
  auto exchange = [&, count = size_t{0}]() mutable {
    EXPECT_TRUE(other->send(bytes_of("round")).ok());
    server_.message(count++);
  };
  exchange();  // it has been accepted
  const FileDescriptor socket(::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0));
  sockaddr_un address{.sun_family = AF_UNIX};
  ASSERT_LT(path_.size(), sizeof address.sun_path);
  std::memcpy(address.sun_path, path_.data(), path_.size());
  ::testing::internal::CaptureStderr();
  {
    const NoDescriptors none;
    rlimit nothing{};
    ::getrlimit(RLIMIT_NOFILE, &nothing);
    nothing.rlim_cur = 0;  // not even for what is given up
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &nothing), 0);
    ASSERT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    for (size_t round = 1; round < kRounds; ++round) {
      exchange();
    }
  }
  ASSERT_EQ(::send(socket.get(), "late", 4, 0), 4);
  EXPECT_EQ(text_of(server_.message(kRounds)), "late");
  const std::string said = ::testing::internal::GetCapturedStderr();
  size_t lines = 0;
  for (size_t at = said.find("a connection waits"); at != std::string::npos;
       at = said.find("a connection waits", at + 1)) {
    ++lines;
  }
  EXPECT_EQ(lines, 1U) << said;
}

TEST_F(LocalLoopTest, PathsThatCannotNameASocketAreRefused) {
  EXPECT_EQ(listen_locally(std::string(200, 'x')).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(listen_locally("").status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(connect_locally(directory_.path() + "/nothing").status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace forebay::net
