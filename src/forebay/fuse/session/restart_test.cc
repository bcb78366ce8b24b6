// A mount's second process, after the first was killed: the tables, and a session on the same device.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <cerrno>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/testing/rounds.h"
#include "forebay/fuse/session/session.h"
#include "forebay/fuse/testing/kernel.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::fuse {
namespace {

constexpr std::chrono::seconds kUntilAgreed(60);

FileDescriptor same(const FileDescriptor& file) {
  return FileDescriptor(::fcntl(file.get(), F_DUPFD_CLOEXEC, 0));
}

FileDescriptor new_state() {
  Result<FileDescriptor> made = KeptState::make_file({.line = {.id = 3, .path = "/mnt"}, .mounted_ns = 4711});
  EXPECT_TRUE(made.ok());
  return made.ok() ? *std::move(made) : FileDescriptor();
}

storage::ObjectStat version_of(const std::string& key, const std::string& version) {
  return {.key = key, .size_bytes = key.size(), .modified_ns = 5, .version = version};
}

/// What a table says of its nodes.
std::vector<std::string> told(const InodeTable& table) {
  std::set<std::string> records;
  table.frozen([&](const InodeTable::PutAll& put_all) {
    put_all([&](std::string_view record) { records.emplace(record); });
  });
  return {records.begin(), records.end()};
}

TEST(FuseRestart, AnInodeTableIsAsItWas) {
  const FileDescriptor file = new_state();
  std::vector<std::string> wanted;
  uint64_t gone = 0;
  {
    const Result<KeptState::Opened> kept = KeptState::open(same(file));
    ASSERT_TRUE(kept.ok());
    InodeTable table({}, &kept->state->log());
    const uint64_t first = table.look_up(false, version_of("a", "1"))->id;
    table.look_up(false, version_of("a", "1"));
    table.note_version(first, false);
    const uint64_t second = table.look_up(false, version_of("a", "2"))->id;
    table.note_version(second, true);
    table.look_up(true, {.key = "folder/", .modified_ns = 1});
    table.look_up(true, {.key = "folder/", .modified_ns = 2});
    const uint64_t outdated = table.look_up(false, version_of("b", "1"))->id;
    table.note_outdated(outdated);
    const uint64_t forgotten = table.look_up(false, version_of("c", "1"))->id;
    table.forget(forgotten, 1);
    gone = table.look_up(false, version_of("d", "1"))->id;
    table.forget(gone, 1);
    wanted = told(table);
  }
  Result<KeptState::Opened> kept = KeptState::open(same(file));
  ASSERT_TRUE(kept.ok());
  EXPECT_EQ(kept->state->mount().mounted_ns, 4711);
  InodeTable table({}, &kept->state->log(), &kept->restored);
  EXPECT_EQ(told(table), wanted);
  EXPECT_GT(table.look_up(false, version_of("new", "1"))->id, gone);
  EXPECT_EQ(table.look_up(false, version_of("a", "2"))->stat.version, "2");
}

TEST(FuseRestart, LookupsThatAreForgottenTakeNoMemory) {
  const uint64_t lookups = rounds(100'000, 1'000'000);
  const std::shared_ptr<storage::MemoryStore> store = std::make_shared<storage::MemoryStore>();
  ASSERT_TRUE(storage::write_now(*store, "a", std::as_bytes(std::span("hello", 5))).ok());
  const FileDescriptor file = new_state();
  const Result<KeptState::Opened> kept = KeptState::open(same(file));
  FileSystemOptions options;
  options.store = store;
  options.kept = kept->state;
  FileSystem files(std::move(options));
  KeptReplies replies;
  const std::string lookup = request_bytes(Opcode::kLookup, kRootNode, with_nul("a"));
  const Result<Request> asked = decode_request(std::as_bytes(std::span(lookup)));
  int64_t most_bytes = 0;
  for (uint64_t i = 0; i < lookups; ++i) {
    files.answer(*asked, {}, replies, steady_clock().now_ns());
    const uint64_t node = value_of_bytes<EntryOut>(replies.answers[2].bytes).node;
    const std::string body = bytes_of_value(ForgetIn{.lookups = 1});
    const std::string forget = request_bytes(Opcode::kForget, node, body);
    files.answer(*decode_request(std::as_bytes(std::span(forget))), {}, replies, steady_clock().now_ns());
    if (i % 1000 == 0) {
      most_bytes = std::max(most_bytes, kept->state->log().bytes());
    }
  }
  EXPECT_LT(most_bytes, 1 << 20);
  EXPECT_EQ(files.nodes(), 1u);
}

/// A store, a kernel, and what two processes have of them.
class RestartedSession : public testing::Test {
 protected:
  RestartedSession() {
    ::signal(SIGPIPE, SIG_IGN);  // of a socket, which /dev/fuse is not
    for (const std::string name : {"a", "folder/b", "folder/c"}) {
      EXPECT_TRUE(storage::write_now(*memory_, name, std::as_bytes(std::span(name))).ok());
    }
    device_ = kernel_.take_device();
  }
  ~RestartedSession() override {
    store_->release_reads();
    kernel_.unmount();
    device_ = FileDescriptor();
  }

  /// The next process. What the one before has left is as after a kill.
  void start(uint64_t unnoted_requests = 0) {
    Result<KeptState::Opened> kept = KeptState::open(same(state_));
    ASSERT_TRUE(kept.ok()) << message(kept.status());
    FileSystemOptions options;
    options.store = store_;
    options.kept = kept->state;
    files_ = std::make_shared<FileSystem>(std::move(options), &kept->restored);
    session_ = std::make_unique<Session>(
        files_, same(device_), SessionOptions{.kept = kept->state, .unnoted_requests = unnoted_requests});
  }
  /// Ends a session while the mount is there, by a word that none understands.
  void stop() {
    kernel_.ask(request_bytes(Opcode::kInit, 0, init_body(kMajor, 30), 1));
    EXPECT_EQ(kernel_.next().first.error, -EPROTO);
    session_.reset();
  }
  /// What a kernel offers that sends again what was taken, or not.
  void agree(bool has_resend) {
    const uint32_t flags2 = has_resend ? uint32_t{kHasResend >> 32} : 0;
    kernel_.ask(request_bytes(
        Opcode::kInit, 0,
        bytes_of_value(InitIn{.major = kMajor, .minor = 45, .max_readahead = 131072, .flags = ~0u}) +
            bytes_of_value(InitInExtension{flags2}) + std::string(44, '\0'),
        1));
    const auto out = value_of_bytes<InitOut>(kernel_.next().second);
    EXPECT_EQ(out.flags2, flags2);
  }
  uint64_t look_up(uint64_t folder, const std::string& name) {
    kernel_.ask(request_bytes(Opcode::kLookup, folder, with_nul(name), 2));
    return value_of_bytes<EntryOut>(kernel_.next().second).node;
  }
  uint64_t open(Opcode opcode, uint64_t node) {
    kernel_.ask(request_bytes(opcode, node, bytes_of_value(OpenIn{}), 4));
    return value_of_bytes<OpenOut>(kernel_.next().second).handle;
  }
  void expect_resend() {
    const OutHeader said = kernel_.next().first;
    EXPECT_EQ(said.unique, 0u);
    EXPECT_EQ(said.error, static_cast<int32_t>(Notification::kResend));
    EXPECT_EQ(said.bytes, sizeof(OutHeader));
  }
  void wait_until_reads(size_t reads) const {
    while (store_->held_reads() < reads) {
      std::this_thread::yield();  // until the test's deadline
    }
  }

  std::shared_ptr<storage::MemoryStore> memory_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<storage::FaultInjectingStore> store_ =
      std::make_shared<storage::FaultInjectingStore>(memory_);
  SocketKernel kernel_;
  FileDescriptor device_;
  FileDescriptor state_ = new_state();
  std::shared_ptr<FileSystem> files_;
  std::unique_ptr<Session> session_;
};

TEST_F(RestartedSession, AnswersWhatTheKernelHasFromTheOneBefore) {
  start();
  expect_resend();  // which is understood or not: nothing is agreed yet
  agree(true);
  const uint64_t file = look_up(kRootNode, "a");
  const uint64_t folder = look_up(kRootNode, "folder");
  const uint64_t file_handle = open(Opcode::kOpen, file);
  const uint64_t closed = open(Opcode::kOpen, file);
  const uint64_t folder_handle = open(Opcode::kOpenDirectory, folder);
  kernel_.ask(request_bytes(Opcode::kRelease, file, bytes_of_value(ReleaseIn{.handle = closed}), 6));
  kernel_.next();
  stop();
  start();
  EXPECT_TRUE(session_->wait_until_ready(kUntilAgreed).ok());
  expect_resend();
  kernel_.ask(request_bytes(Opcode::kRead, file, read_body(file_handle, 0, 100), 10 | kSentAgain));
  const auto [header, bytes] = kernel_.next();
  EXPECT_EQ(header.unique, 10 | kSentAgain);
  EXPECT_EQ(bytes, "a");
  kernel_.ask(request_bytes(Opcode::kReadDirectory, folder, read_body(folder_handle, 3, 4096), 12));
  const std::vector<SeenEntry> entries = seen_entries(kernel_.next().second, false);
  ASSERT_EQ(entries.size(), 1u);
  EXPECT_EQ(entries[0].name, "c") << "it goes on behind what was read";
  EXPECT_EQ(files_->nodes(), 3u);
  EXPECT_EQ(files_->open_files(), 1u);
  EXPECT_EQ(files_->open_directories(), 1u);
}

TEST_F(RestartedSession, FailsWhatWasUnderWayWhereTheKernelDoesNotSendItAgain) {
  start();
  expect_resend();
  agree(false);
  const uint64_t file = look_up(kRootNode, "a");
  const uint64_t handle = open(Opcode::kOpen, file);
  store_->hold_reads();
  kernel_.ask(request_bytes(Opcode::kRead, file, read_body(handle, 0, 100), 10));
  wait_until_reads(1);
  const std::unique_ptr<Session> first = std::move(session_);
  start(2);
  for (const uint64_t unique : {10, 6, 8, 10, 12, 14}) {  // and what may have been taken and not noted
    OutHeader header = kernel_.next().first;
    while (header.unique <
           6) {  // was answered, which the first had not noted yet: a kernel hears no second one
      header = kernel_.next().first;
    }
    EXPECT_EQ(header.unique, unique);
    EXPECT_EQ(header.error, -EIO);
  }
  store_->release_reads();
  EXPECT_EQ(kernel_.next().first.unique, 10u) << "of the first, which lives on here";
  kernel_.unmount();
}

TEST_F(RestartedSession, RefusesWhatWasSentAgainToOneThatDied) {
  start();
  expect_resend();
  agree(true);
  const uint64_t file = look_up(kRootNode, "a");
  const uint64_t handle = open(Opcode::kOpen, file);
  const std::string read = read_body(handle, 0, 100);
  const std::string deadly = request_bytes(Opcode::kRead, file, read, 10 | kSentAgain);
  store_->hold_reads();
  kernel_.ask(deadly);
  wait_until_reads(1);
  const std::unique_ptr<Session> first = std::move(session_);
  Result<KeptState::Opened> kept = KeptState::open(same(state_));  // as after its death
  ASSERT_TRUE(kept.ok());
  FileSystemOptions options;
  options.store = memory_;
  auto files = std::make_shared<FileSystem>(std::move(options), &kept->restored);
  SocketKernel other;  // without the first one, which lives on here
  Session session(files, other.take_device(), {.kept = kept->state, .refuses_what_was_fatal = true});
  EXPECT_EQ(other.next().first.error, static_cast<int32_t>(Notification::kResend));
  other.ask(deadly);
  EXPECT_EQ(other.next().first.error, -EIO);
  other.ask(request_bytes(Opcode::kRead, file, read, 12 | kSentAgain));
  EXPECT_EQ(other.next().second, "a") << "of which none has died";
  other.unmount();
  EXPECT_TRUE(session.wait().ok());
  EXPECT_TRUE(kept->state->under_way().empty());
  store_->release_reads();
  kernel_.next();
  kernel_.unmount();
}

}  // namespace
}  // namespace forebay::fuse
