// What the kernel hears of files that it may serve itself: when the mount begins, and when one is opened.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <memory>
#include <set>
#include <string>
#include <utility>

#include "forebay/base/units.h"
#include "forebay/fuse/files/file_system.h"
#include "forebay/fuse/session/session.h"
#include "forebay/fuse/testing/kernel.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::fuse {
namespace {

/// Has every object whole in a file, as a cache has.
class FiledStore final : public storage::ForwardingStore {
 public:
  explicit FiledStore(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override {
    if (!request.wants_file) {
      inner().read(std::move(request), context, std::move(done));
      return;
    }
    ++asked;
    EXPECT_TRUE(request.only_resident && request.offset_bytes == 0 && request.object_bytes);
    inner().read(std::move(request), context,
                 [this, done = std::move(done)](Result<storage::ReadBytes> whole) mutable {
                   if (whole.ok() && has_files) {
                     whole->file =
                         std::make_shared<const FileDescriptor>(::open("/dev/null", O_RDONLY | O_CLOEXEC));
                     whole->has_weak_version = has_weak_versions;
                   }
                   done(std::move(whole));
                 });
  }

  bool has_files = true;
  bool has_weak_versions = false;
  int asked = 0;
};

class AgreeingKernel final : public BackingKernel {
 public:
  Result<uint32_t> open_backing(const FileDescriptor&) override {
    open.insert(41);
    return 41;
  }
  void close_backing(uint32_t number) override { open.erase(number); }

  std::set<uint32_t> open;
};

class FusePassthrough : public testing::Test {
 protected:
  FusePassthrough() {
    put("large", 3 * kMiB);
    put("small", kMiB);
    FileSystemOptions options;
    options.store = store_;
    files_ = std::make_shared<FileSystem>(std::move(options));
    files_->backing_files().begin(&backing_);
  }
  void put(const std::string& key, size_t bytes) {
    const std::string content(bytes, 'x');
    EXPECT_TRUE(storage::write_now(*memory_, key, std::as_bytes(std::span(content))).ok());
  }
  std::string ask(Opcode opcode, uint64_t node, std::string_view body) {
    const std::string message = request_bytes(opcode, node, body, ++unique_);
    files_->answer(*decode_request(std::as_bytes(std::span(message))), {}, replies_, steady_clock().now_ns());
    EXPECT_EQ(replies_.answers[unique_].error, 0);
    return replies_.answers[unique_].bytes;
  }
  OpenOut open(std::string_view name) {
    const auto entry = value_of_bytes<EntryOut>(ask(Opcode::kLookup, kRootNode, with_nul(name)));
    return value_of_bytes<OpenOut>(ask(Opcode::kOpen, entry.node, bytes_of_value(OpenIn{})));
  }
  void release(const OpenOut& opened) {
    ask(Opcode::kRelease, 0, bytes_of_value(ReleaseIn{.handle = opened.handle}));
  }

  std::shared_ptr<storage::MemoryStore> memory_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<FiledStore> store_ = std::make_shared<FiledStore>(memory_);
  AgreeingKernel backing_;
  std::shared_ptr<FileSystem> files_;
  KeptReplies replies_;
  uint64_t unique_ = 10;
};

TEST_F(FusePassthrough, ALargeFileThatIsWholeIsServedByTheKernel) {
  const OpenOut first = open("large");
  EXPECT_EQ(first.flags, uint32_t{kOpenBacking} | kNoFlush);
  EXPECT_EQ(first.backing_id, 41);
  const OpenOut second = open("large");
  EXPECT_EQ(second.backing_id, 41);
  EXPECT_EQ(store_->asked, 1);
  release(first);
  EXPECT_EQ(backing_.open.size(), 1u);
  release(second);
  EXPECT_TRUE(backing_.open.empty());
}

TEST_F(FusePassthrough, OthersAskThisProgram) {
  EXPECT_EQ(open("small").flags & kOpenBacking, 0u);
  EXPECT_EQ(store_->asked, 0) << "it lies among others in a segment";
  store_->has_weak_versions = true;
  const OpenOut weak = open("large");
  EXPECT_EQ(weak.flags & kOpenBacking, 0u);
  EXPECT_EQ(weak.backing_id, 0);
  release(weak);
  store_->has_files = false;
  EXPECT_EQ(open("large").flags & kOpenBacking, 0u);
  EXPECT_TRUE(backing_.open.empty());
}

TEST_F(FusePassthrough, AnOpenThatNobodyHearsOfIsNone) {
  const auto entry = value_of_bytes<EntryOut>(ask(Opcode::kLookup, kRootNode, with_nul("large")));
  replies_.is_heard = false;
  const std::string message = request_bytes(Opcode::kOpen, entry.node, bytes_of_value(OpenIn{}), 99);
  files_->answer(*decode_request(std::as_bytes(std::span(message))), {}, replies_, steady_clock().now_ns());
  EXPECT_TRUE(backing_.open.empty());
  EXPECT_EQ(files_->backing_files().size(), 0u);
}

constexpr uint32_t kPassthrough2 = kPassthrough >> 32;

/// What a session answers when a mount begins.
InitOut agreed(const std::shared_ptr<FileSystem>& files, uint32_t flags2, bool may_pass_through) {
  SocketKernel kernel;
  Session session(files, kernel.take_device(), {.may_pass_through = may_pass_through});
  const std::string body = bytes_of_value(InitIn{.major = kMajor, .minor = 45, .flags = ~0u}) +
                           bytes_of_value(InitInExtension{flags2}) + std::string(44, '\0');
  kernel.ask(request_bytes(Opcode::kInit, 0, body, 1));
  const auto out = value_of_bytes<InitOut>(kernel.next().second);
  kernel.unmount();
  return out;
}

TEST_F(FusePassthrough, ItIsAgreedUponWhereBothCan) {
  const InitOut both = agreed(files_, kPassthrough2 | 1u, true);
  EXPECT_NE(both.flags & kInitExtended, 0u);
  EXPECT_EQ(both.flags2, kPassthrough2);
  EXPECT_EQ(both.max_stack_depth, 1u);
  for (const InitOut& out : {agreed(files_, 1u, true), agreed(files_, kPassthrough2, false)}) {
    EXPECT_EQ(out.flags2, 0u);
    EXPECT_EQ(out.max_stack_depth, 0u);
  }
  EXPECT_EQ(open("large").backing_id, 0) << "the mount has gone";
}

// A socket is no device: as where the kernel refuses.
TEST_F(FusePassthrough, WhereTheKernelRefusesFilesAreReadAsOthersAre) {
  ::signal(SIGPIPE, SIG_IGN);
  SocketKernel kernel;
  Session session(files_, kernel.take_device(), {.may_pass_through = true});
  const std::string body = bytes_of_value(InitIn{.major = kMajor, .minor = 45, .flags = ~0u}) +
                           bytes_of_value(InitInExtension{kPassthrough2}) + std::string(44, '\0');
  kernel.ask(request_bytes(Opcode::kInit, 0, body, 1));
  ASSERT_EQ(kernel.next().first.error, 0);
  kernel.ask(request_bytes(Opcode::kLookup, kRootNode, with_nul("large"), 2));
  const uint64_t node = value_of_bytes<EntryOut>(kernel.next().second).node;
  kernel.ask(request_bytes(Opcode::kOpen, node, bytes_of_value(OpenIn{}), 3));
  const auto opened = value_of_bytes<OpenOut>(kernel.next().second);
  EXPECT_EQ(opened.flags & kOpenBacking, 0u);
  kernel.ask(request_bytes(Opcode::kRead, node, read_body(opened.handle, 0, 100), 4));
  EXPECT_EQ(kernel.next().second, std::string(100, 'x'));
  kernel.unmount();
}

}  // namespace
}  // namespace forebay::fuse
