#include "forebay/fuse/session/session.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <new>
#include <stdexcept>
#include <string>

#include "forebay/fuse/testing/kernel.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::fuse {
namespace {

constexpr std::chrono::seconds kLong(60);

/// Has nothing in memory but the object "here", and no memory for "heavy".
class HalfResident final : public storage::ForwardingStore {
 public:
  HalfResident(std::shared_ptr<storage::ObjectStore> far, std::shared_ptr<storage::ObjectStore> near)
      : ForwardingStore(std::move(far)), near_(std::move(near)) {}

  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override {
    if (request.key == "heavy") {
      throw std::bad_alloc();
    }
    if (request.key == "strange") {
      throw std::runtime_error("as no store does");
    }
    if (!request.only_resident) {
      {
        const MutexLock lock(mutex_);
        last_ = context.cancellation;
      }
      inner().read(std::move(request), context, std::move(done));
    } else if (request.key == "here") {
      near_->read(std::move(request), context, std::move(done));
    } else {
      done(failed_precondition("not in memory"));
    }
  }

  /// Whether the read that came last is to end.
  bool is_cancelled() {
    const MutexLock lock(mutex_);
    return last_.stop_requested();
  }

 private:
  Mutex mutex_;
  std::stop_token last_ FOREBAY_GUARDED_BY(mutex_);
  const std::shared_ptr<storage::ObjectStore> near_;
};

/// A session over a store whose reads a test may hold back, with a socket for a kernel.
class FuseSession : public testing::Test {
 protected:
  FuseSession() { ::signal(SIGPIPE, SIG_IGN); }  // of a socket, which /dev/fuse is not
  ~FuseSession() override {
    store_->release_reads();
    kernel_.unmount();
  }

  void begin(size_t most_threads) {
    const std::string content = "hello";
    ASSERT_TRUE(storage::write_now(*memory_, "a", std::as_bytes(std::span(content))).ok());
    FileSystemOptions options;
    ASSERT_TRUE(storage::write_now(*memory_, "here", std::as_bytes(std::span(content))).ok());
    half_ = std::make_shared<HalfResident>(store_, memory_);
    options.store = half_;
    options.trusted_ns = trusted_ns_;
    session_.emplace(
        std::make_shared<FileSystem>(std::move(options)), kernel_.take_device(),
        SessionOptions{.most_threads = most_threads, .has_thread = [this] { return has_thread_.load(); }});
  }
  void begin_and_open(size_t most_threads) {
    begin(most_threads);
    kernel_.ask(request_bytes(Opcode::kInit, 0, init_body(), 1));
    ASSERT_EQ(kernel_.next().first.error, 0);
    kernel_.ask(request_bytes(Opcode::kLookup, kRootNode, with_nul("a"), 2));
    node_ = value_of_bytes<EntryOut>(kernel_.next().second).node;
    kernel_.ask(request_bytes(Opcode::kOpen, node_, bytes_of_value(OpenIn{}), 3));
    handle_ = value_of_bytes<OpenOut>(kernel_.next().second).handle;
  }
  uint64_t open(const std::string& name) {
    kernel_.ask(request_bytes(Opcode::kLookup, kRootNode, with_nul(name), 4));
    const uint64_t node = value_of_bytes<EntryOut>(kernel_.next().second).node;
    kernel_.ask(request_bytes(Opcode::kOpen, node, bytes_of_value(OpenIn{}), 6));
    return value_of_bytes<OpenOut>(kernel_.next().second).handle;
  }
  void ask_read(uint64_t unique) {
    kernel_.ask(request_bytes(Opcode::kRead, node_, read_body(handle_, 0, 100), unique));
  }
  void ask_interrupt(uint64_t unique) {
    kernel_.ask(request_bytes(Opcode::kInterrupt, 0, bytes_of_value(InterruptIn{unique}), unique | 1));
  }
  void wait_until_held(size_t reads) const {
    while (store_->held_reads() < reads) {
      std::this_thread::yield();  // until the test's deadline
    }
  }

  std::shared_ptr<storage::MemoryStore> memory_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<storage::FaultInjectingStore> store_ =
      std::make_shared<storage::FaultInjectingStore>(memory_);
  std::shared_ptr<HalfResident> half_;
  int64_t trusted_ns_ = kSecond;
  std::atomic<bool> has_thread_ = true;
  SocketKernel kernel_;
  std::optional<Session> session_;
  uint64_t node_ = 0;
  uint64_t handle_ = 0;
};

TEST_F(FuseSession, AgreesWithTheKernel) {
  begin(4);
  kernel_.ask(request_bytes(Opcode::kInit, 0, init_body(7, 45), 1));
  const auto [header, bytes] = kernel_.next();
  EXPECT_EQ(header.unique, 1u);
  const auto out = value_of_bytes<InitOut>(bytes);
  EXPECT_EQ(out.major, 7u);
  EXPECT_EQ(out.minor, kMinor);
  EXPECT_EQ(out.max_pages * ::sysconf(_SC_PAGESIZE), 1 << 20);
  EXPECT_EQ(out.flags, uint32_t{kAsyncRead | kDoReadDirectoryPlus | kReadDirectoryPlusAuto | kAsyncDirectIo |
                                kParallelDirectoryOperations | kMaxPages | kAtomicOpenTruncate | kBigWrites |
                                kInitExtended});
  EXPECT_EQ(out.flags2, 0u) << "which this kernel has none of";
  EXPECT_EQ(out.max_write, 1u << 20);
  EXPECT_TRUE(session_->wait_until_ready(kLong).ok());
  kernel_.unmount();
  EXPECT_TRUE(session_->wait().ok());
}

TEST_F(FuseSession, HasAttributesListedWhereTheyAreTrustedForLong) {
  trusted_ns_ = 3600 * kSecond;
  begin(4);
  kernel_.ask(request_bytes(Opcode::kInit, 0, init_body(), 1));
  const auto out = value_of_bytes<InitOut>(kernel_.next().second);
  EXPECT_EQ(out.flags & (kDoReadDirectoryPlus | kReadDirectoryPlusAuto), uint32_t{kDoReadDirectoryPlus});
}

TEST_F(FuseSession, SaysItsVersionToANewerKernelAndWaitsForAnother) {
  begin(4);
  kernel_.ask(request_bytes(Opcode::kInit, 0, init_body(8, 1), 1));
  EXPECT_EQ(value_of_bytes<InitOut>(kernel_.next().second).major, 7u);
  kernel_.ask(request_bytes(Opcode::kInit, 0, init_body(7, 31), 2));
  EXPECT_EQ(value_of_bytes<InitOut>(kernel_.next().second).minor, 31u);
  EXPECT_TRUE(session_->wait_until_ready(kLong).ok());
  kernel_.unmount();
}

TEST_F(FuseSession, RefusesAnOlderKernel) {
  begin(4);
  kernel_.ask(request_bytes(Opcode::kInit, 0, init_body(7, 30), 1));
  EXPECT_EQ(kernel_.next().first.error, -EPROTO);
  EXPECT_EQ(session_->wait_until_ready(kLong).code(), StatusCode::kUnimplemented);
  kernel_.unmount();
  EXPECT_EQ(session_->wait().code(), StatusCode::kUnimplemented);
}

TEST_F(FuseSession, AllThreadsEndWithAnErrorThoughTheMountIsThere) {
  begin_and_open(3);
  store_->hold_reads();
  ask_read(10);
  ask_read(12);
  wait_until_held(2);
  store_->release_reads();
  kernel_.next();
  kernel_.next();
  kernel_.ask(request_bytes(Opcode::kInit, 0, init_body(7, 30), 14));
  EXPECT_EQ(kernel_.next().first.error, -EPROTO);
  EXPECT_EQ(session_->wait().code(), StatusCode::kUnimplemented);
  session_.reset();
}

TEST_F(FuseSession, EndsWhereTheKernelNeverAnswered) {
  begin(3);
  EXPECT_EQ(session_->wait_until_ready(std::chrono::seconds(0)).code(), StatusCode::kDeadlineExceeded);
  session_.reset();
}

TEST_F(FuseSession, AnswersWhatItCannotUnderstand) {
  begin_and_open(4);
  kernel_.ask(request_bytes(Opcode::kLookup, kRootNode, "no end", 7));
  const auto [header, bytes] = kernel_.next();
  EXPECT_EQ(header.unique, 7u);
  EXPECT_EQ(header.error, -EINVAL);
  kernel_.ask("x");
  ask_read(8);
  EXPECT_EQ(kernel_.next().second, "hello");
  kernel_.unmount();
}

TEST_F(FuseSession, ManyReadsWaitAtOnceAndOneIsInterrupted) {
  constexpr uint64_t kReads = 8;
  begin_and_open(kReads + 1);
  store_->hold_reads();
  for (uint64_t i = 0; i < kReads; ++i) {
    ask_read(10 + 2 * i);
  }
  wait_until_held(kReads);
  ask_interrupt(10);
  ask_interrupt(4711 * 2);
  EXPECT_EQ(kernel_.next().first.error, -EAGAIN) << "of a request that is not known";
  // The one thread that listens has heard of both. The store answers when it lets its reads go.
  store_->release_reads();
  size_t interrupted = 0;
  for (uint64_t i = 0; i < kReads; ++i) {
    const auto [header, bytes] = kernel_.next();
    const bool is_it = header.unique == 10;
    interrupted += is_it ? 1 : 0;
    EXPECT_EQ(header.error, is_it ? -EINTR : 0);
    EXPECT_EQ(bytes, is_it ? "" : "hello");
  }
  EXPECT_EQ(interrupted, 1u);
  kernel_.unmount();
}

TEST_F(FuseSession, OnlyASignalThatEndsAProgramEndsItsCalls) {
  const pid_t program = ::fork();
  if (program == 0) {  // keeps what it is sent pending
    ::signal(SIGUSR1, [](int) {});
    ::signal(SIGTERM, [](int) {});
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  int state = 0;
  ASSERT_EQ(::waitpid(program, &state, WUNTRACED), program);
  begin_and_open(3);
  store_->hold_reads();
  std::string read = request_bytes(Opcode::kRead, node_, read_body(handle_, 0, 100), 10);
  auto header = value_of_bytes<InHeader>(read);
  header.pid = static_cast<uint32_t>(program);
  read.replace(0, sizeof(header), bytes_of_value(header));
  kernel_.ask(read);
  wait_until_held(1);
  ::kill(program, SIGUSR1);
  ask_interrupt(10);
  kernel_.ask(request_bytes(Opcode::kGetAttributes, node_, std::string(16, '\0'), 20));
  EXPECT_EQ(kernel_.next().first.unique, 20u) << "the interrupt was taken by then";
  EXPECT_FALSE(half_->is_cancelled());
  ::kill(program, SIGTERM);
  while (!half_->is_cancelled()) {
    std::this_thread::yield();  // until the test's deadline
  }
  store_->release_reads();
  const auto [answer, bytes] = kernel_.next();
  EXPECT_EQ(answer.unique, 10u);
  EXPECT_EQ(answer.error, -EINTR);
  ::kill(program, SIGCONT);
  ::waitpid(program, &state, 0);
  kernel_.unmount();
}

TEST_F(FuseSession, OneThreadAlwaysListensHoweverManyAreBusy) {
  begin_and_open(3);
  store_->hold_reads();
  for (const uint64_t unique : {10, 12, 14, 16}) {
    ask_read(unique);
  }
  wait_until_held(2);
  kernel_.ask(request_bytes(Opcode::kGetAttributes, node_, std::string(16, '\0'), 20));
  EXPECT_EQ(kernel_.next().first.unique, 20u);
  ask_interrupt(16);
  const auto [header, bytes] = kernel_.next();
  EXPECT_EQ(header.unique, 16u);
  EXPECT_EQ(header.error, -EINTR);
  store_->release_reads();
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(kernel_.next().second, "hello");
  }
  kernel_.unmount();
}

TEST_F(FuseSession, WhatIsInMemoryIsReadHoweverManyWait) {
  begin_and_open(2);
  kernel_.ask(request_bytes(Opcode::kLookup, kRootNode, with_nul("here"), 4));
  const uint64_t here = value_of_bytes<EntryOut>(kernel_.next().second).node;
  kernel_.ask(request_bytes(Opcode::kOpen, here, bytes_of_value(OpenIn{}), 6));
  const uint64_t handle = value_of_bytes<OpenOut>(kernel_.next().second).handle;
  store_->hold_reads();
  ask_read(10);
  wait_until_held(1);
  ask_read(12);  // waits
  kernel_.ask(request_bytes(Opcode::kRead, here, read_body(handle, 0, 100), 14));
  const auto [answer, bytes] = kernel_.next();
  EXPECT_EQ(answer.unique, 14u);
  EXPECT_EQ(bytes, "hello");
  store_->release_reads();
  EXPECT_EQ(kernel_.next().first.unique, 10u);
  EXPECT_EQ(kernel_.next().first.unique, 12u);
}

TEST_F(FuseSession, WhatThisProgramAsksIsRefusedAndNeverWaits) {
  begin_and_open(2);
  store_->hold_reads();
  ask_read(10);
  wait_until_held(1);
  std::string own = request_bytes(Opcode::kRead, node_, read_body(handle_, 0, 100), 12);
  auto header = value_of_bytes<InHeader>(own);
  header.pid = static_cast<uint32_t>(::gettid());
  own.replace(0, sizeof(header), bytes_of_value(header));
  kernel_.ask(own);
  const auto [answer, bytes] = kernel_.next();
  EXPECT_EQ(answer.unique, 12u);
  EXPECT_EQ(answer.error, -ELOOP);
  store_->release_reads();
  EXPECT_EQ(kernel_.next().second, "hello");
  kernel_.unmount();
}

TEST_F(FuseSession, AnExceptionIsAnAnswer) {
  for (const std::string name : {"heavy", "strange"}) {
    ASSERT_TRUE(storage::write_now(*memory_, name, std::as_bytes(std::span(name))).ok());
  }
  begin_and_open(2);
  const uint64_t heavy = open("heavy");
  const uint64_t strange = open("strange");
  for (int i = 0; i < 2; ++i) {
    kernel_.ask(request_bytes(Opcode::kRead, 0, read_body(heavy, 0, 100), 10));
    EXPECT_EQ(kernel_.next().first.error, -ENOMEM);
    kernel_.ask(request_bytes(Opcode::kRead, 0, read_body(strange, 0, 100), 12));
    EXPECT_EQ(kernel_.next().first.error, -EIO);
  }
  store_->hold_reads();  // and where all threads are busy
  ask_read(14);
  wait_until_held(1);
  kernel_.ask(request_bytes(Opcode::kRead, 0, read_body(heavy, 0, 100), 16));
  EXPECT_EQ(kernel_.next().first.error, -ENOMEM);
  store_->release_reads();
  EXPECT_EQ(kernel_.next().second, "hello");
  kernel_.unmount();
  EXPECT_TRUE(session_->wait().ok());
}

TEST_F(FuseSession, OneThreadIsEnoughWhereTheSystemHasNoMore) {
  begin(8);
  has_thread_ = false;
  kernel_.ask(request_bytes(Opcode::kInit, 0, init_body(), 1));
  EXPECT_EQ(kernel_.next().first.error, 0);
  const uint64_t handle = open("a");
  kernel_.ask(request_bytes(Opcode::kRead, 0, read_body(handle, 0, 100), 8));
  EXPECT_EQ(kernel_.next().second, "hello");
  kernel_.unmount();
}

TEST_F(FuseSession, EndsWhatIsUnderWayWithTheMount) {
  begin_and_open(3);
  store_->hold_reads();
  ask_read(10);
  wait_until_held(1);
  kernel_.unmount();
  store_->release_reads();
  EXPECT_TRUE(session_->wait().ok());
  EXPECT_TRUE(session_->wait_for(kLong));
}

}  // namespace
}  // namespace forebay::fuse
