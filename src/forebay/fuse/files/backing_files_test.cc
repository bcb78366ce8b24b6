#include "forebay/fuse/files/backing_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <cerrno>
#include <future>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace forebay::fuse {
namespace {

using storage::ReadBytes;

/// Numbers files, and knows which of them are open.
class NumberingKernel final : public BackingKernel {
 public:
  Result<uint32_t> open_backing(const FileDescriptor& file) override {
    EXPECT_TRUE(file.is_valid());
    if (error != 0) {
      return errno_status(error, "kernel");
    }
    open.insert(++last);
    return last;
  }
  void close_backing(uint32_t number) override { EXPECT_EQ(open.erase(number), 1u); }

  int error = 0;
  uint32_t last = 0;
  std::set<uint32_t> open;
};

class BackingFilesTest : public testing::Test {
 protected:
  BackingFilesTest() { files_.begin(&kernel_); }

  /// A file that is whole in the cache, with a lease that a test can watch.
  Result<ReadBytes> find() {
    ++finds_;
    auto owner = std::make_shared<const int>(0);
    lease_ = owner;
    ReadBytes whole = {.owner = std::move(owner)};
    whole.file = std::make_shared<const FileDescriptor>(::open("/dev/null", O_RDONLY | O_CLOEXEC));
    return whole;
  }
  std::unique_ptr<BackingFiles::Use> open_resident(uint64_t node) {
    return files_.open(node, [this] { return find(); });
  }
  std::unique_ptr<BackingFiles::Use> open_absent(uint64_t node) {
    return files_.open(node, []() -> Result<ReadBytes> { return failed_precondition("not in memory"); });
  }

  NumberingKernel kernel_;
  BackingFiles files_;
  std::weak_ptr<const int> lease_;
  int finds_ = 0;
};

TEST_F(BackingFilesTest, AllWhoOpenANodeAreServedByOneFile) {
  std::unique_ptr<BackingFiles::Use> first = open_resident(7);
  std::unique_ptr<BackingFiles::Use> second = open_absent(7);
  EXPECT_EQ(first->backing(), 1u);
  EXPECT_EQ(second->backing(), 1u);
  EXPECT_EQ(finds_, 1);
  EXPECT_EQ(open_resident(8)->backing(), 2u);
  EXPECT_EQ(kernel_.open, std::set<uint32_t>{1});
  EXPECT_EQ(files_.passed_through(), 3u);
  first.reset();
  EXPECT_FALSE(lease_.expired() && kernel_.open.empty());
  second.reset();
  EXPECT_TRUE(kernel_.open.empty());
  EXPECT_EQ(files_.size(), 0u);
}

TEST_F(BackingFilesTest, ItsLeaseEndsWithTheLastUse) {
  std::unique_ptr<BackingFiles::Use> first = open_resident(7);
  std::unique_ptr<BackingFiles::Use> second = open_resident(7);
  second.reset();
  EXPECT_FALSE(lease_.expired());
  first.reset();
  EXPECT_TRUE(lease_.expired());
  EXPECT_EQ(open_resident(7)->backing(), 2u) << "it is found anew";
}

// The kernel lets the two kinds of opens exclude each other.
TEST_F(BackingFilesTest, WhatIsOpenWithoutAFileStaysSoUntilAllHaveClosedIt) {
  std::unique_ptr<BackingFiles::Use> first = open_absent(7);
  EXPECT_EQ(first->backing(), 0u);
  std::unique_ptr<BackingFiles::Use> second = open_resident(7);
  EXPECT_EQ(second->backing(), 0u);
  EXPECT_EQ(finds_, 0);
  first.reset();
  EXPECT_EQ(open_resident(7)->backing(), 0u);
  second.reset();
  EXPECT_EQ(open_resident(7)->backing(), 1u);
}

TEST_F(BackingFilesTest, AKernelThatRefusesIsNotAskedAgain) {
  kernel_.error = EPERM;
  EXPECT_EQ(open_resident(7)->backing(), 0u);
  EXPECT_TRUE(lease_.expired());
  kernel_.error = 0;
  EXPECT_EQ(open_resident(7)->backing(), 0u);
  EXPECT_EQ(finds_, 1) << "nor is the store";
}

TEST_F(BackingFilesTest, WhatThereIsTooLittleOfMayBeThereAgain) {
  kernel_.error = ENFILE;
  EXPECT_EQ(open_resident(7)->backing(), 0u);
  kernel_.error = 0;
  EXPECT_EQ(open_resident(7)->backing(), 1u);
}

TEST_F(BackingFilesTest, BeforeTheKernelHasAgreedAndAfterTheMountHasGoneItServesNothing) {
  BackingFiles never;
  EXPECT_EQ(never.open(7, [this] { return find(); })->backing(), 0u);
  EXPECT_EQ(finds_, 0);
  const std::unique_ptr<BackingFiles::Use> open = open_resident(7);
  files_.end();
  EXPECT_TRUE(lease_.expired());
  EXPECT_EQ(open_resident(8)->backing(), 0u);
  EXPECT_EQ(open_resident(7)->backing(), 1u) << "the kernel knows it by that number";
}

TEST_F(BackingFilesTest, WhoOpensANodeWhileAnotherLooksForItsFileIsServedByThat) {
  std::promise<void> begun;
  std::promise<void> go_on;
  std::future<std::unique_ptr<BackingFiles::Use>> first = std::async(std::launch::async, [&] {
    return files_.open(7, [&] {
      begun.set_value();
      go_on.get_future().wait();
      return find();
    });
  });
  begun.get_future().wait();
  std::future<std::unique_ptr<BackingFiles::Use>> second =
      std::async(std::launch::async, [&] { return open_absent(7); });
  EXPECT_EQ(open_absent(8)->backing(), 0u) << "who opens another one does not wait";
  go_on.set_value();
  EXPECT_EQ(first.get()->backing(), 1u);
  const std::unique_ptr<BackingFiles::Use> use = second.get();  // either with it, or after it has gone
  EXPECT_LE(use->backing(), 1u);
}

}  // namespace
}  // namespace forebay::fuse
