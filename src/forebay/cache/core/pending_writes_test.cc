// Entries that go before they are written: their space and memory are free at once.
#include <gtest/gtest.h>

#include <semaphore>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/policy/policies.h"
#include "forebay/cache/testing/core_workload.h"
#include "forebay/cache/testing/faulty_files.h"

namespace forebay::cache {
namespace {

constexpr size_t kPendingBytes = 100'000;

/// A cache whose disk does not end its first write before it is told to.
class PendingWritesTest : public ::testing::Test {
 protected:
  PendingWritesTest() {
    CacheOptions options = small_cache(directory_ / "cache", files_);
    options.make_policy = lru_policy();
    core_ = *CacheCore::open(options);
  }
  ~PendingWritesTest() override {
    let_go();
    core_->close();
  }

  /// The first change from now on waits until let_go(). Returns once it has begun.
  void hold_disk() {
    files_->set_hook([this, is_first = true](WritePoint, ChangePhase) mutable {
      if (std::exchange(is_first, false)) {
        begun_.release();
        go_on_.acquire();
      }
      return ok_status();
    });
  }
  void let_go() {
    if (!std::exchange(is_let_go_, true)) {
      go_on_.release(100);
    }
  }
  std::optional<std::string> get(int number, size_t bytes) { return get_range(*core_, number, {0, bytes}); }

  TemporaryDirectory directory_;
  std::shared_ptr<FaultyFiles> files_ = std::make_shared<FaultyFiles>();
  std::counting_semaphore<> begun_{0};
  std::counting_semaphore<> go_on_{0};
  bool is_let_go_ = false;
  std::shared_ptr<CacheCore> core_;
};

TEST_F(PendingWritesTest, AVictimThatWaitsToBeWrittenMakesRoomAtOnce) {
  hold_disk();
  put_whole(*core_, 0, kPendingBytes);
  begun_.acquire();
  for (int i = 1; i <= 200; ++i) {  // the cache holds some forty
    put_whole(*core_, i, kPendingBytes);
    ASSERT_EQ(get(i, kPendingBytes), content_of(i, kPendingBytes)) << i;
    ASSERT_LE(core_->statistics().disk_bytes, 4u << 20) << i;
    ASSERT_LE(core_->statistics().memory_bytes, 4u << 20) << i;
  }
  const CacheStatistics held = core_->statistics();
  EXPECT_EQ(held.bypasses, 0u);
  EXPECT_GE(held.entries, 35u);
  EXPECT_LE(held.evictions, 200 - held.entries + 1);
  let_go();
  core_->flush();
  EXPECT_EQ(core_->statistics().memory_bytes, 0u);
  for (int i = 200; i > 165; --i) {
    EXPECT_EQ(get(i, kPendingBytes), content_of(i, kPendingBytes)) << i;
  }
}

TEST_F(PendingWritesTest, WhatIsNotWrittenAnyMoreKeepsNoMemory) {
  hold_disk();
  put_whole(*core_, 0, kPendingBytes);
  begun_.acquire();
  storage::ReadBytes bytes = bytes_from(content_of(1, kPendingBytes));
  const std::weak_ptr<const void> owner = bytes.owner;
  core_->insert(numbered_object(1), {.object_bytes = kPendingBytes}, std::move(bytes));
  ASSERT_FALSE(owner.expired());
  for (int i = 2; i <= 100; ++i) {
    put_whole(*core_, i, kPendingBytes);
  }
  EXPECT_TRUE(owner.expired());
}

TEST_F(PendingWritesTest, AChunkThatWasNeverWrittenMayComeAgainAtOnce) {
  constexpr size_t kLarge = (2 << 20) + 100;
  const std::string content = content_of(7, kLarge);
  const auto put_chunk = [&](uint64_t start) {
    core_->insert(numbered_object(7), {.start_bytes = start, .object_bytes = kLarge, .is_chunk = true},
                  bytes_from(content.substr(start, kChunkBytes)));
  };
  hold_disk();
  put_chunk(0);
  begun_.acquire();
  put_chunk(kChunkBytes);
  for (int i = 1; i <= 60; ++i) {
    put_whole(*core_, i, kPendingBytes);
  }
  EXPECT_EQ(get_range(*core_, 7, {kChunkBytes, kChunkBytes}), std::nullopt);
  put_chunk(kChunkBytes);
  EXPECT_EQ(get_range(*core_, 7, {kChunkBytes, kChunkBytes}), content.substr(kChunkBytes, kChunkBytes));
  let_go();
  core_->flush();
  EXPECT_EQ(get_range(*core_, 7, {kChunkBytes, kChunkBytes}), content.substr(kChunkBytes, kChunkBytes));
}

TEST_F(PendingWritesTest, WhatIsLeftIsThereAfterARestart) {
  hold_disk();
  put_whole(*core_, 0, kPendingBytes);
  begun_.acquire();
  for (int i = 1; i <= 150; ++i) {
    put_whole(*core_, i, kPendingBytes + static_cast<size_t>(i));  // neighbours share blocks
  }
  let_go();
  core_->close();
  core_ = *CacheCore::open(small_cache(directory_ / "cache", host_files()));
  EXPECT_GE(core_->statistics().entries, 35u);
  for (int i = 1; i <= 150; ++i) {
    const size_t bytes = kPendingBytes + static_cast<size_t>(i);
    const std::optional<std::string> found = get(i, bytes);
    EXPECT_TRUE(found ? *found == content_of(i, bytes) : i < 116) << i;
  }
}

}  // namespace
}  // namespace forebay::cache
