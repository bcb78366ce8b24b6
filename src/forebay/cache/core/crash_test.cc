// Whatever happens to a disk or a process, no wrong byte comes from the cache.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <map>
#include <span>

#include "forebay/base/random/random.h"
#include "forebay/base/sanitizers.h"
#include "forebay/base/testing/fork_in_test.h"
#include "forebay/base/testing/rounds.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/base/testing/wait_for_child.h"
#include "forebay/base/units.h"
#include "forebay/cache/testing/core_workload.h"
#include "forebay/cache/testing/faulty_files.h"

namespace forebay::cache {
namespace {

using Place = std::pair<WritePoint, ChangePhase>;

/// Calls `at` with the running number of each change in each of its phases, from 1 on.
FaultyFiles::Hook counting_hook(std::function<Status(Place place, int number)> at) {
  return [at = std::move(at), counts = std::map<Place, int>()](WritePoint point, ChangePhase phase) mutable {
    const Place place = {point, phase};
    return at(place, ++counts[place]);
  };
}

std::shared_ptr<CacheCore> must_open(const CacheOptions& options) {
  Result<std::shared_ptr<CacheCore>> core = CacheCore::open(options);
  EXPECT_TRUE(core.ok()) << core.status();
  return *std::move(core);
}

/// How often the work passes each place.
std::map<Place, int> places_of_work() {
  const TemporaryDirectory directory;
  const auto files = std::make_shared<FaultyFiles>();
  std::map<Place, int> counts;
  files->set_hook(counting_hook([&](Place place, int number) {
    counts[place] = number;
    return ok_status();
  }));
  const std::shared_ptr<CacheCore> core = must_open(small_cache(directory / "cache", files));
  do_core_work(*core);
  core->close();
  return counts;
}

/// A child does the work and is killed at the place. False if it was not reached.
bool is_killed_at(const std::string& path, Place where, int number) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto files = std::make_shared<FaultyFiles>();
    files->set_hook(counting_hook([&](Place place, int count) {
      if (place == where && count == number) {
        ::kill(::getpid(), SIGKILL);
      }
      return ok_status();
    }));
    const std::shared_ptr<CacheCore> core = must_open(small_cache(path, files));
    do_core_work(*core);
    core->close();
    ::_exit(0);
  }
  int status = 0;
  EXPECT_EQ(wait_for_child(child, &status), child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

std::string what(const Place& place, int number) {
  return fmt::format("{}, phase {}, time {}", name_of(place.first), static_cast<int>(place.second), number);
}

TEST(CacheCrash, KilledAtAnyWriteItHoldsNoWrongByte) {
  FOREBAY_SKIP_UNLESS_CHILDREN_WORK();
  const std::map<Place, int> places = places_of_work();
  EXPECT_EQ(places.size(), 3u * kCachePoints);
  int found_in_all = 0;
  for (const auto& [place, times] : places) {
    for (const int number : {1, (times + 1) / 2}) {
      const TemporaryDirectory directory;
      ASSERT_TRUE(is_killed_at(directory / "cache", place, number)) << what(place, number);
      const std::shared_ptr<CacheCore> core = must_open(small_cache(directory / "cache", host_files()));
      int found = 0;
      EXPECT_EQ(wrong_bytes(*core, &found), "") << what(place, number);
      found_in_all += found;
      EXPECT_EQ(core->statistics().damaged, 0u) << what(place, number);
      do_core_work(*core);
      EXPECT_EQ(wrong_bytes(*core, &found), "") << what(place, number);
      EXPECT_GT(found, 10) << what(place, number);
      core->close();
    }
  }
  EXPECT_GT(found_in_all, 100);
}

/// Makes the changes in another directory, without those that were lost.
void replay(const std::vector<FaultyFiles::Change>& changes, const std::string& from, const std::string& to,
            RandomStream* random) {
  for (const FaultyFiles::Change& change : changes) {
    const std::string path = to + change.path.substr(from.size());
    if (random->coin(0.2f)) {
      continue;
    }
    if (change.kind == FaultyFiles::Change::Kind::kCreate) {
      std::ofstream(path).close();
      std::filesystem::resize_file(path, change.size_bytes);
    } else if (change.kind == FaultyFiles::Change::Kind::kRemove) {
      std::filesystem::remove(path);
    } else if (std::filesystem::exists(path)) {
      const uint64_t left_bytes = std::filesystem::file_size(path) - change.offset_bytes;  // a hole adds none
      std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
      file.seekp(static_cast<std::streamoff>(change.offset_bytes));
      file << (change.kind == FaultyFiles::Change::Kind::kWrite
                   ? change.bytes
                   : std::string(std::min(change.size_bytes, left_bytes), '\0'));
    }
  }
}

TEST(CacheCrash, AfterPowerLossItHoldsNoWrongByte) {
  const TemporaryDirectory directory;
  const auto files = std::make_shared<FaultyFiles>();
  files->keep_changes();
  const std::shared_ptr<CacheCore> core = must_open(small_cache(directory / "cache", files));
  do_core_work(*core);
  core->close();
  const std::vector<FaultyFiles::Change> changes = files->changes();
  int found_in_all = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const TemporaryDirectory after;
    must_open(small_cache(after / "cache", host_files()))->close();  // that it is a cache's was synced
    RandomStream random(seed, 1);
    // The power goes at any time.
    const size_t count = changes.size() - random.below(changes.size() / 2);
    replay({changes.begin(), changes.begin() + static_cast<std::ptrdiff_t>(count)}, directory / "cache",
           after / "cache", &random);
    const std::shared_ptr<CacheCore> again = must_open(small_cache(after / "cache", host_files()));
    int found = 0;
    EXPECT_EQ(wrong_bytes(*again, &found), "") << seed;
    found_in_all += found;
    again->close();
  }
  EXPECT_GT(found_in_all, 50);
}

void flip_bits(const std::string& path, RandomStream* random) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (!entry.is_regular_file() || entry.file_size() == 0) {
      continue;
    }
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    for (int flips = 0; flips < 3; ++flips) {
      // Half of the flips hit the beginning or the end, where headers and footers lie.
      const uint64_t size = entry.file_size();
      uint64_t at = random->below(size);
      if (random->coin(0.5f)) {
        at = random->coin(0.5f) ? random->below(std::min<uint64_t>(size, 200)) : size - 1 - random->below(64);
      }
      file.seekg(static_cast<std::streamoff>(at));
      const char byte = static_cast<char>(file.get() ^ (1 << random->below(8)));
      file.seekp(static_cast<std::streamoff>(at));
      file.put(byte);
    }
  }
}

TEST(CacheCrash, FlippedBitsAreNotServed) {
  uint64_t damaged = 0;
  for (uint64_t seed = 0; seed < 12; ++seed) {
    const TemporaryDirectory directory;
    const CacheOptions options = small_cache(directory / "cache", host_files());
    std::shared_ptr<CacheCore> core = must_open(options);
    do_core_work(*core);
    core->close();
    core.reset();
    RandomStream random(seed, 2);
    flip_bits(directory / "cache/segments", &random);
    flip_bits(directory / "cache/objects", &random);
    core = must_open(options);
    int found = 0;
    EXPECT_EQ(wrong_bytes(*core, &found), "") << seed;
    damaged += core->statistics().damaged;
    core->close();
  }
  EXPECT_GT(damaged, 0u);
}

TEST(CacheCrash, AFailingDiskIsNotWrittenToAnyMore) {
  constexpr std::array kErrors = {ENOSPC, EIO, EROFS};
  for (const int error : std::span(kErrors).first(kIsSanitized && !is_thorough() ? 1 : kErrors.size())) {
    for (int point = 0; point < kCachePoints; ++point) {
      const TemporaryDirectory directory;
      const auto files = std::make_shared<FaultyFiles>();
      const std::shared_ptr<CacheCore> core = must_open(small_cache(directory / "cache", files));
      files->set_hook([&](WritePoint at, ChangePhase phase) {
        return static_cast<int>(at) == point && phase == ChangePhase::kHalf ? errno_status(error, "disk")
                                                                            : ok_status();
      });
      do_core_work(*core);
      int found = 0;
      EXPECT_EQ(wrong_bytes(*core, &found), "") << error << " " << point;
      files->set_hook(nullptr);
      core->close();
    }
  }
}

/// A small cache whose disk and clock a test rules.
class CacheDiskTest : public ::testing::Test {
 protected:
  CacheDiskTest() { options_.clock = &clock_; }

  const TemporaryDirectory directory_;
  const std::shared_ptr<FaultyFiles> files_ = std::make_shared<FaultyFiles>();
  SteppedClock clock_;
  CacheOptions options_ = small_cache(directory_ / "cache", files_);
};

TEST_F(CacheDiskTest, AfterAnErrorADirectoryIsTriedAgainLater) {
  const std::shared_ptr<CacheCore> core = must_open(options_);
  put_whole(*core, 1, 1000);
  core->flush();
  files_->set_hook([](WritePoint, ChangePhase) { return errno_status(ENOSPC, "disk"); });
  put_whole(*core, 2, 1000);
  core->flush();
  EXPECT_EQ(core->statistics().directories_off, 1u);
  EXPECT_EQ(get_range(*core, 2, {0, 1000}), std::nullopt);
  EXPECT_EQ(get_range(*core, 1, {0, 1000}), content_of(1, 1000));
  put_whole(*core, 3, 1000);
  EXPECT_EQ(core->statistics().bypasses, 1u) << "not at once";
  clock_.advance_ns(kSecond);
  put_whole(*core, 4, 1000);  // fails again, so the next attempt comes later
  core->flush();
  files_->set_hook(nullptr);
  clock_.advance_ns(kSecond);
  put_whole(*core, 5, 1000);
  EXPECT_EQ(core->statistics().bypasses, 2u);
  clock_.advance_ns(kSecond);
  put_whole(*core, 6, 1000);
  core->flush();
  EXPECT_EQ(get_range(*core, 6, {0, 1000}), content_of(6, 1000));
  EXPECT_EQ(core->statistics().directories_off, 0u);
  core->close();
}

// Others fill the disk, and make room on it again.
TEST_F(CacheDiskTest, ADiskThatOthersHaveFilledIsLookedAtAgain) {
  constexpr uint64_t kLeastFree = 8 << 20;
  options_.directories[0].least_free_bytes = kLeastFree;
  files_->set_free_bytes(kLeastFree);
  const std::shared_ptr<CacheCore> core = must_open(options_);
  for (int number = 1; number < 5; ++number) {
    put_whole(*core, number, 1000);
  }
  EXPECT_EQ(core->statistics().bypasses, 4u);
  EXPECT_EQ(core->statistics().limit_bytes, 0u);
  files_->set_free_bytes(kLeastFree + options_.directories[0].quota_bytes);
  put_whole(*core, 5, 1000);
  EXPECT_EQ(core->statistics().bypasses, 5u) << "not each time";
  clock_.advance_ns(kSecond);
  put_whole(*core, 6, 1000);
  EXPECT_EQ(core->statistics().bypasses, 5u);
  EXPECT_EQ(core->statistics().limit_bytes, options_.directories[0].quota_bytes);
  core->flush();
  EXPECT_EQ(get_range(*core, 6, {0, 1000}), content_of(6, 1000));
  core->close();
}

TEST_F(CacheDiskTest, WhatCannotFitEvictsNothing) {
  options_.directories[0].least_free_bytes = 8 << 20;
  files_->set_free_bytes(10 << 20);
  const std::shared_ptr<CacheCore> core = must_open(options_);
  put_whole(*core, 1, 1000);
  core->flush();
  files_->set_free_bytes(0);  // others have filled it
  clock_.advance_ns(kSecond);
  put_whole(*core, 2, 1000);
  EXPECT_EQ(core->statistics().limit_bytes, 0u);
  EXPECT_EQ(core->statistics().evictions, 0u);
  EXPECT_EQ(get_range(*core, 1, {0, 1000}), content_of(1, 1000));
  core->close();
}

TEST_F(CacheDiskTest, ADirectoryThatIsOffCostsTheOthersNothing) {
  options_.directories.push_back(
      {.path = directory_ / "other", .quota_bytes = 4 << 20, .least_free_bytes = 0});
  const std::shared_ptr<CacheCore> core = must_open(options_);
  const std::string content = content_of(1, 4 << 20);
  const auto put_chunk = [&](uint64_t number) {
    core->insert(numbered_object(1),
                 {.start_bytes = number * kChunkBytes, .object_bytes = content.size(), .is_chunk = true},
                 bytes_from(content.substr(number * kChunkBytes, kChunkBytes)));
    core->flush();
  };
  put_chunk(0);
  for (int number = 2; number < 10; ++number) {
    put_whole(*core, number, 1000);  // where there is more room
  }
  core->flush();
  files_->set_hook([](WritePoint, ChangePhase) { return errno_status(EIO, "disk"); });
  put_chunk(1);
  files_->set_hook(nullptr);
  ASSERT_EQ(core->statistics().directories_off, 1u);
  put_chunk(2);
  put_chunk(3);
  EXPECT_EQ(core->statistics().evictions, 0u);
  core->close();
}

TEST(CacheCrash, FoldersThatSomebodyRemovesAreMadeAgain) {
  const TemporaryDirectory directory;
  SteppedClock clock;
  CacheOptions options = small_cache(directory / "cache", host_files());
  options.clock = &clock;
  const std::shared_ptr<CacheCore> core = must_open(options);
  std::filesystem::remove_all(directory / "cache/segments");
  put_whole(*core, 1, 1000);
  core->flush();
  EXPECT_EQ(get_range(*core, 1, {0, 1000}), std::nullopt);
  clock.advance_ns(kSecond);
  put_whole(*core, 2, 1000);
  core->flush();
  EXPECT_EQ(get_range(*core, 2, {0, 1000}), content_of(2, 1000));
  core->close();
}

// A user, or what keeps a disk clean, removes or cuts what the cache has.
TEST(CacheCrash, AFileThatSomebodyRemovesOrCutsIsFetchedAgain) {
  for (const bool is_cut : {false, true}) {
    for (const bool is_chunk : {false, true}) {
      const TemporaryDirectory directory;
      const std::string path = directory / "cache";
      std::shared_ptr<CacheCore> core = must_open(small_cache(path, host_files()));
      const auto put = [&] { is_chunk ? put_chunks(*core, 1, 2 << 20) : put_whole(*core, 1, 2000); };
      const uint64_t bytes = is_chunk ? 2 << 20 : 2000;
      put();
      core->close();
      core = must_open(small_cache(path, host_files()));
      for (const auto& file :
           std::filesystem::directory_iterator(path + (is_chunk ? "/objects" : "/segments"))) {
        is_cut ? std::filesystem::resize_file(file, 100) : void(std::filesystem::remove(file));
      }
      EXPECT_EQ(get_range(*core, 1, {0, bytes}), std::nullopt) << is_cut << is_chunk;
      put();
      core->flush();
      EXPECT_EQ(get_range(*core, 1, {0, bytes}), content_of(1, bytes)) << is_cut << is_chunk;
      core->close();
    }
  }
}

TEST(CacheCrash, AnUnreadableEntryIsAMiss) {
  const TemporaryDirectory directory;
  std::shared_ptr<CacheCore> core = must_open(small_cache(directory / "cache", host_files()));
  put_whole(*core, 1, 1000);
  core->close();
  core.reset();
  const auto files = std::make_shared<FaultyFiles>();
  core = must_open(small_cache(directory / "cache", files));
  files->fail_reads(errno_status(EIO, "disk"));
  EXPECT_EQ(get_range(*core, 1, {0, 1000}), std::nullopt);
  EXPECT_EQ(core->statistics().directories_off, 1u);
  core->close();
}

}  // namespace
}  // namespace forebay::cache
