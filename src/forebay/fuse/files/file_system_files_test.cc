// FileSystem: what readers of files get.
#include <gtest/gtest.h>

#include <cerrno>
#include <string>
#include <thread>
#include <vector>

#include "forebay/fuse/testing/file_system_fixture.h"
#include "forebay/memory/copy.h"
#include "forebay/storage/testing/weak_store.h"

namespace forebay::fuse {
namespace {

using FuseFiles = FileSystemFixture;

/// Bytes of which no part is another one a few pages away.
std::string unlike_everywhere(size_t size) {
  std::string content(size, '\0');
  for (size_t i = 0; i < content.size(); ++i) {
    content[i] = static_cast<char>(i * 7 + i / 1000);
  }
  return content;
}

TEST_F(FuseFiles, ReadsAreViewsOfTheStore) {
  const std::string content(300'000, 'x');
  put("r/a", content);
  const OpenOut file = open(look_up(kRootNode, "a").node);
  const uint64_t copied = memory::bytes_copied();
  EXPECT_EQ(read(file.handle, 0, 131'072).bytes, content.substr(0, 131'072));
  EXPECT_EQ(read(file.handle, 262'144, 131'072).bytes, content.substr(262'144));
  EXPECT_EQ(memory::bytes_copied(), copied);
  EXPECT_EQ(read(file.handle, 300'000, 4096).bytes, "");
  EXPECT_EQ(read(file.handle, 1'000'000'000, 4096).bytes, "");
}

TEST_F(FuseFiles, TheKernelKeepsBytesOnceTheirVersionIsSure) {
  put("r/a", "hello");
  const EntryOut before = look_up(kRootNode, "a");
  EXPECT_EQ(before.attributes_valid_s, 1u) << "nothing was read yet";
  const OpenOut first = open(before.node);
  EXPECT_EQ(first.flags & kKeepCache, 0u);
  read(first.handle, 0, 10);
  EXPECT_NE(open(before.node).flags & kKeepCache, 0u);
  EXPECT_EQ(look_up(kRootNode, "a").attributes_valid_s, 86'400u);
}

TEST_F(FuseFiles, TheKernelKeepsNothingOfAVersionThatProvesNothing) {
  put("r/a", "hello");
  mount(std::make_shared<storage::WeakStore>(faulty_));
  const uint64_t node = look_up(kRootNode, "a").node;
  for (int i = 0; i < 2; ++i) {
    const OpenOut file = open(node);
    EXPECT_EQ(file.flags & kKeepCache, 0u);
    EXPECT_EQ(read(file.handle, 0, 10).bytes, "hello");
  }
  EXPECT_EQ(look_up(kRootNode, "a").attributes_valid_s, 1u);
}

TEST_F(FuseFiles, LargeFilesAreAskedForInWholePieces) {
  const std::string content = unlike_everywhere(2'500'000);
  put("r/large", content);
  const OpenOut file = open(look_up(kRootNode, "large").node);
  for (const auto& [offset, size] : std::vector<std::pair<uint64_t, uint32_t>>{{0, 4096},
                                                                               {1'000'000, 131'072},
                                                                               {1'048'576, 1'048'576},
                                                                               {1'048'575, 1'048'576},
                                                                               {2'490'000, 131'072}}) {
    replies_.parts_sent = 0;
    EXPECT_EQ(read(file.handle, offset, size).bytes, content.substr(offset, size)) << offset;
    EXPECT_LE(replies_.parts_sent, 2);
  }
  for (const auto& record : faulty_->reads()) {
    EXPECT_EQ(record.offset_bytes % (1 << 20), 0u);
    EXPECT_FALSE(record.if_version.empty());
  }
}

TEST_F(FuseFiles, AnAnswerIsNeverShort) {
  const std::string content = unlike_everywhere(6'000'000);
  put("r/large", content);
  const OpenOut file = open(look_up(kRootNode, "large").node);
  EXPECT_EQ(read(file.handle, 1000, 5'000'000).bytes, content.substr(1000, 5'000'000));
  EXPECT_EQ(read(file.handle, 1000, 1u << 30).bytes, content.substr(1000));
}

TEST_F(FuseFiles, AnOpenFileStaysAtItsVersion) {
  put("r/a", "first");
  const EntryOut before = look_up(kRootNode, "a");
  const OpenOut file = open(before.node);
  put("r/a", "second one");
  EXPECT_EQ(ask(Opcode::kOpen, before.node, bytes_of_value(OpenIn{})).error, 0) << "nobody is asked";
  EXPECT_EQ(read(file.handle, 0, 4096).error, ESTALE) << "the store has it no more, and never a mixture";
  EXPECT_EQ(ask(Opcode::kOpen, before.node, bytes_of_value(OpenIn{})).error, ESTALE) << "a new lookup is due";
  const EntryOut after = look_up(kRootNode, "a");
  EXPECT_NE(after.node, before.node);
  EXPECT_EQ(read(open(after.node).handle, 0, 4096).bytes, "second one");
  const auto attributes = value_of_bytes<AttributesOut>(ask(Opcode::kGetAttributes, before.node).bytes);
  EXPECT_EQ(attributes.attributes.size, 5u);
  EXPECT_EQ(attributes.attributes.inode, after.attributes.inode);
}

TEST_F(FuseFiles, ACallThatIsInterruptedEnds) {
  put("r/a", "x");
  const OpenOut file = open(look_up(kRootNode, "a").node);
  faulty_->hold_reads();
  KernelAnswer answer;
  std::thread reader([&] { answer = read(file.handle, 0, 10); });
  while (faulty_->held_reads() == 0) {
    std::this_thread::yield();  // until the test's deadline
  }
  stop_.request_stop();
  faulty_->release_reads();
  reader.join();
  EXPECT_EQ(answer.error, EINTR);
}

TEST_F(FuseFiles, PatienceCountsFromTheArrival) {
  put("r/a", "x");
  const std::string lookup = request_bytes(Opcode::kLookup, kRootNode, with_nul("a"), 5);
  const int64_t arrived_ns = steady_clock().now_ns() - FileSystemOptions().patience_ns;
  files_->answer(*decode_request(as_bytes_of(lookup)), {}, replies_, arrived_ns);
  EXPECT_EQ(replies_.answers[5].error, ETIMEDOUT);
}

TEST_F(FuseFiles, AStoreThatHoldsItsOwnMountIsNotWaitedFor) {
  std::string lookup = request_bytes(Opcode::kLookup, kRootNode, with_nul("a"), 5);
  auto header = value_of_bytes<InHeader>(lookup);
  header.pid = static_cast<uint32_t>(::gettid());
  lookup.replace(0, sizeof(header), bytes_of_value(header));
  const Request request = *decode_request(as_bytes_of(lookup));
  EXPECT_FALSE(files_->may_wait(request)) << "a queue would be a place to wait";
  files_->answer(request, {}, replies_, steady_clock().now_ns());
  EXPECT_EQ(replies_.answers[5].error, ELOOP);
}

TEST_F(FuseFiles, TenThousandOpenFilesAreClosedAgain) {
  constexpr int kFiles = 10'000;
  put("r/a", "x");
  const uint64_t node = look_up(kRootNode, "a").node;
  std::vector<uint64_t> handles;
  for (int i = 0; i < kFiles; ++i) {
    handles.push_back(open(node).handle);
  }
  EXPECT_EQ(files_->open_files(), size_t{kFiles});
  for (const uint64_t handle : handles) {
    ask(Opcode::kRelease, node, bytes_of_value(ReleaseIn{.handle = handle}));
  }
  EXPECT_EQ(files_->open_files(), 0u);
}

}  // namespace
}  // namespace forebay::fuse
