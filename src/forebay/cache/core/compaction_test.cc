// Many small objects in a small cache: what goes gives its space back, though blocks are shared.
#include <gtest/gtest.h>

#include <cerrno>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/base/sanitizers.h"
#include "forebay/base/system_error.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/core_workload.h"
#include "forebay/cache/testing/faulty_files.h"
#include "forebay/storage/testing/object_store_test_base.h"

namespace forebay::cache {
namespace {

constexpr int kPart = kIsSanitized ? 4 : 1;  // of a cache that is four times as large
constexpr uint64_t kQuota = (4 << 20) / kPart;
constexpr int kSmallObjects = 12'000 / kPart;
constexpr size_t kSmallBytes = 300;

CacheOptions small_quota(const TemporaryDirectory& directory,
                         std::shared_ptr<FileSystem> files = host_files()) {
  CacheOptions options = small_cache(directory / "cache", std::move(files));
  options.directories.front().quota_bytes = kQuota;
  options.segment_bytes /= kPart;
  return options;
}

/// Reads objects in a random order, and brings those that are not there. Returns the part that was there.
double read_at_random(CacheCore& core, int reads, uint64_t seed) {
  int hits = 0;
  for (int i = 0; i < reads; ++i) {
    const int number = static_cast<int>(mix64(seed, static_cast<uint64_t>(i)) % kSmallObjects);
    const std::optional<std::string> found = get_range(core, number, {0, kSmallBytes});
    if (found) {
      EXPECT_EQ(*found, content_of(number, kSmallBytes)) << number;
      ++hits;
    } else {
      put_whole(core, number, kSmallBytes);
    }
    if (i % 64 == 0) {
      core.flush();
    }
  }
  core.flush();
  return hits / static_cast<double>(reads);
}

TEST(Compaction, ManySmallObjectsKeepTheirPartOfASmallCache) {
  const TemporaryDirectory directory;
  const std::shared_ptr<CacheCore> core = *CacheCore::open(small_quota(directory));
  for (int i = 0; i < kSmallObjects; ++i) {
    put_whole(*core, i, kSmallBytes);
  }
  core->flush();
  const uint64_t filled = core->statistics().entries;
  read_at_random(*core, 3 * kSmallObjects, 1);
  const double hits = read_at_random(*core, kSmallObjects, 2);
  const CacheStatistics statistics = core->statistics();
  EXPECT_GT(statistics.entries, filled * 7 / 10);
  EXPECT_GT(hits, 0.4);
  EXPECT_GT(statistics.moved_bytes, 0U);
  EXPECT_LE(statistics.disk_bytes, kQuota);
  core->close();
}

TEST(Compaction, WhatWasMovedIsThereAfterARestart) {
  const TemporaryDirectory directory;
  std::shared_ptr<CacheCore> core = *CacheCore::open(small_quota(directory));
  read_at_random(*core, 3 * kSmallObjects, 3);
  EXPECT_GT(core->statistics().moved_bytes, 0U);
  const uint64_t entries = core->statistics().entries;
  core->close();
  core = *CacheCore::open(small_quota(directory));
  EXPECT_GE(core->statistics().entries, entries * 9 / 10);
  for (int i = 0; i < kSmallObjects; ++i) {
    const std::optional<std::string> found = get_range(*core, i, {0, kSmallBytes});
    EXPECT_TRUE(!found || *found == content_of(i, kSmallBytes)) << i;
  }
  EXPECT_EQ(core->statistics().damaged, 0U);
  core->close();
}

// A view keeps its bytes where they are, whatever goes around them.
TEST(Compaction, WhatSomebodyLooksAtStaysWhereItIs) {
  const TemporaryDirectory directory;
  const std::shared_ptr<CacheCore> core = *CacheCore::open(small_quota(directory));
  std::vector<std::pair<int, storage::ReadBytes>> views;
  for (int i = 0; i < kSmallObjects; ++i) {
    put_whole(*core, i, kSmallBytes);
  }
  core->flush();
  for (int i = 0; i < kSmallObjects; i += 40) {
    if (auto view = core->find(numbered_object(i), {0, kSmallBytes}).bytes) {
      views.emplace_back(i, *std::move(view));
    }
  }
  ASSERT_GT(views.size(), 20U);
  read_at_random(*core, 2 * kSmallObjects, 4);
  for (const auto& [number, view] : views) {
    EXPECT_EQ(storage::text_of(view), content_of(number, kSmallBytes)) << number;
  }
  views.clear();
  read_at_random(*core, kSmallObjects, 5);
  EXPECT_LE(core->statistics().disk_bytes, kQuota);
  core->close();
}

TEST(Compaction, AnErrorOfTheDiskCostsEntriesAndNeverGivesWrongBytes) {
  for (const WritePoint point :
       {WritePoint::kWriteEntry, WritePoint::kPunchEntry, WritePoint::kCreateSegment}) {
    const TemporaryDirectory directory;
    const auto files = std::make_shared<FaultyFiles>();
    const std::shared_ptr<CacheCore> core = *CacheCore::open(small_quota(directory, files));
    int changes = 0;
    files->set_hook([&](WritePoint at, ChangePhase) {
      return at == point && ++changes % 100 == 99 ? errno_status(EIO, "disk") : ok_status();
    });
    read_at_random(*core, 2 * kSmallObjects, 6);
    core->close();
  }
}

TEST(Compaction, TheNumberOfEntriesIsBounded) {
  const TemporaryDirectory directory;
  CacheOptions options = small_quota(directory);
  options.most_entries = 100;
  std::shared_ptr<CacheCore> core = *CacheCore::open(options);
  for (int i = 0; i < 1000; ++i) {
    put_whole(*core, i, kSmallBytes);
  }
  EXPECT_EQ(core->statistics().entries, 100U);
  core->close();
  options.most_entries = 50;
  core = *CacheCore::open(options);
  EXPECT_LE(core->statistics().entries, 50U);
  core->close();
}

}  // namespace
}  // namespace forebay::cache
