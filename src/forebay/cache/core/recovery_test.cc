// What an opened cache does with files that it finds.
#include "forebay/cache/core/recovery.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <utility>
#include <vector>

#include "forebay/base/system_error.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/core_workload.h"
#include "forebay/cache/testing/faulty_files.h"

namespace forebay::cache {
namespace {

constexpr size_t kRecovered = (2 << 20) + 100;

/// Object 7 is taken in, and is there when the cache is opened again.
void expect_kept(std::shared_ptr<CacheCore> core, const CacheOptions& options) {
  put_chunks(*core, 7, kRecovered);
  EXPECT_EQ(get_range(*core, 7, {0, kRecovered}), content_of(7, kRecovered));
  core->close();
  core = *CacheCore::open(options);
  EXPECT_EQ(get_range(*core, 7, {0, kRecovered}), content_of(7, kRecovered));
  core->close();
}

/// Whose entries live for a minute, by the clock at `now_s`.
CacheOptions expiring_cache(const std::string& path, std::shared_ptr<FileSystem> files,
                            const uint32_t* now_s) {
  CacheOptions options = small_cache(path, std::move(files));
  options.unix_seconds = [now_s] { return *now_s; };
  options.admission = {{.prefix = "s3://", .time_to_live_s = 60}};
  return options;
}

TEST(CacheRecovery, FilesOfOthersAreLeftAlone) {
  const TemporaryDirectory directory;
  const std::string path = directory / "cache";
  const std::vector<std::string> others = {path + "/objects/thesis.txt", path + "/segments/0123456789abcde",
                                           path + "/segments/0123456789abcdeF", path + "/objects/a\nb"};
  (*CacheCore::open(small_cache(path, host_files())))->close();
  for (const std::string& other : others) {
    std::ofstream(other) << "mine";
  }
  std::ofstream(path + "/segments/0123456789abcdef") << "a segment that is none";
  (*CacheCore::open(small_cache(path, host_files())))->close();
  for (const std::string& other : others) {
    EXPECT_TRUE(std::filesystem::exists(other)) << other;
  }
  EXPECT_FALSE(std::filesystem::exists(path + "/segments/0123456789abcdef"));
}

// A user names a folder that has something else in it, or that another cache has.
TEST(CacheRecovery, ADirectoryThatIsNotTheCachesIsNotTouched) {
  const TemporaryDirectory directory;
  const std::string path = directory / "cache";
  std::filesystem::create_directories(path + "/segments");
  std::ofstream(path + "/segments/0123456789abcdef") << "not a segment";
  const std::shared_ptr<CacheCore> core = *CacheCore::open(small_cache(path, host_files()));
  EXPECT_EQ(core->statistics().directories_off, 1U);
  core->close();
  EXPECT_TRUE(std::filesystem::exists(path + "/segments/0123456789abcdef"));
  EXPECT_FALSE(std::filesystem::exists(path + "/objects"));
}

/// Holes punched since keep_changes().
size_t holes_in(const FaultyFiles& files) {
  const std::vector<FaultyFiles::Change> changes = files.changes();
  return static_cast<size_t>(std::count_if(
      changes.begin(), changes.end(),
      [](const FaultyFiles::Change& change) { return change.kind == FaultyFiles::Change::Kind::kPunch; }));
}

// Who looks at bytes of an earlier run sees them as they were, and the cache has them all the same.
TEST(CacheRecovery, NoSpaceIsGivenBackUnderEarlierReaders) {
  const TemporaryDirectory directory;
  const auto files = std::make_shared<FaultyFiles>();
  CacheOptions options = small_cache(directory / "cache", files);
  options.directories.front().quota_bytes = 64 << 20;
  std::shared_ptr<CacheCore> core = *CacheCore::open(options);
  put_chunks(*core, 7, 8 << 20);
  for (int i = 100; i < 120; ++i) {
    put_whole(*core, i, 200'000);
  }
  core->flush();
  std::vector<FileDescriptor> tokens = *core->reader_tokens();
  ASSERT_EQ(tokens.size(), 1U);
  core->close();
  core = *CacheCore::open(options);
  EXPECT_EQ(core->statistics().entries, 28U);
  EXPECT_EQ(get_range(*core, 7, {0, 8 << 20}), content_of(7, 8 << 20));
  core->close();
  options.directories.front().quota_bytes = 10 << 20;  // so that something has to go
  files->keep_changes();
  core = *CacheCore::open(options);
  for (int i = 200; i < 210; ++i) {
    put_whole(*core, i, 200'000);
  }
  core->flush();
  const uint64_t entries = core->statistics().entries;
  EXPECT_LT(entries, 28U);
  EXPECT_GT(entries, 15U) << "not all goes, since that would give nothing back";
  EXPECT_EQ(holes_in(*files), 0U);
  tokens.clear();
  for (int i = 300; i < 310; ++i) {
    put_whole(*core, i, 200'000);
  }
  core->flush();
  EXPECT_GT(holes_in(*files), 0U);
  EXPECT_LE(core->statistics().disk_bytes, options.directories.front().quota_bytes);
  EXPECT_EQ(get_range(*core, 309, {0, 200'000}), content_of(309, 200'000));
  core->close();
}

// With small entries in one large segment, nothing goes as a whole.
TEST(CacheRecovery, OnceEarlierReadersHaveGoneTheCacheTakesInAgain) {
  const TemporaryDirectory directory;
  CacheOptions options = small_cache(directory / "cache", host_files());
  options.directories.front().quota_bytes = 8 << 20;
  options.segment_bytes = 64 << 20;
  std::shared_ptr<CacheCore> core = *CacheCore::open(options);
  int next = 0;
  const auto fill = [&] {
    for (int i = 0; i < 80; ++i) {
      put_whole(*core, next++, 200'000);
      core->flush();
    }
  };
  fill();
  std::vector<FileDescriptor> tokens = *core->reader_tokens();
  core->close();
  core = *CacheCore::open(options);
  fill();
  EXPECT_EQ(get_range(*core, next - 1, {0, 200'000}), std::nullopt) << "nothing more may go";
  EXPECT_LE(core->statistics().disk_bytes, (8 << 20) * 5 / 4);
  tokens.clear();
  fill();
  EXPECT_EQ(get_range(*core, next - 1, {0, 200'000}), content_of(next - 1, 200'000));
  EXPECT_LE(core->statistics().disk_bytes, 8 << 20);
  core->close();
}

TEST(CacheRecovery, ALargeObjectThatHasExpiredLeavesTheDisk) {
  const TemporaryDirectory directory;
  uint32_t now_s = 1'000'000;
  CacheOptions options = expiring_cache(directory / "cache", host_files(), &now_s);
  std::shared_ptr<CacheCore> core = *CacheCore::open(options);
  put_chunks(*core, 7, kRecovered);
  core->close();
  now_s += 60;
  core = *CacheCore::open(options);
  EXPECT_EQ(core->statistics().entries, 0u);
  EXPECT_TRUE(std::filesystem::is_empty(directory / "cache/objects"));
  expect_kept(std::move(core), options);
}

TEST(CacheRecovery, EachChunkExpiresInItsOwnTime) {
  const TemporaryDirectory directory;
  uint32_t now_s = 1'000'000;
  CacheOptions options = expiring_cache(directory / "cache", host_files(), &now_s);
  std::shared_ptr<CacheCore> core = *CacheCore::open(options);
  const std::string content = content_of(7, kRecovered);
  for (uint64_t start = 0; start < 2 * kChunkBytes; start += kChunkBytes) {
    core->insert(numbered_object(7), {.start_bytes = start, .object_bytes = kRecovered, .is_chunk = true},
                 bytes_from(content.substr(start, kChunkBytes)));
    core->flush();
    now_s += 40;
  }
  core->close();
  core = *CacheCore::open(options);
  EXPECT_EQ(get_range(*core, 7, {0, 1000}), std::nullopt);
  EXPECT_EQ(get_range(*core, 7, {kChunkBytes, 1000}), content.substr(kChunkBytes, 1000));
  now_s += 30;
  EXPECT_EQ(get_range(*core, 7, {kChunkBytes, 1000}), std::nullopt);
  core->close();
}

TEST(CacheRecovery, WhatCannotBeRemovedStaysInTheQuota) {
  const TemporaryDirectory directory;
  const auto files = std::make_shared<FaultyFiles>();
  uint32_t now_s = 1'000'000;
  CacheOptions options = expiring_cache(directory / "cache", files, &now_s);
  options.directories.front().quota_bytes = 64 << 20;
  std::shared_ptr<CacheCore> core = *CacheCore::open(options);
  put_chunks(*core, 7, kRecovered);
  const uint64_t held_bytes = core->statistics().disk_bytes;
  EXPECT_GE(held_bytes, kRecovered);
  now_s += 60;
  files->set_hook([](WritePoint, ChangePhase) { return errno_status(EIO, "the disk"); });
  for (uint64_t start = 0; start < kRecovered; start += kChunkBytes) {
    EXPECT_EQ(get_range(*core, 7, {start, 1}), std::nullopt);
  }
  core->flush();
  EXPECT_EQ(core->statistics().entries, 0u);
  EXPECT_EQ(core->statistics().disk_bytes, held_bytes);
  files->set_hook(nullptr);
  expect_kept(std::move(core), options);
}

TEST(CacheRecovery, WhatASegmentCannotGiveBackStaysInTheQuota) {
  constexpr int kEntries = 6;
  const TemporaryDirectory directory;
  const auto files = std::make_shared<FaultyFiles>();
  uint32_t now_s = 1'000'000;
  const CacheOptions options = expiring_cache(directory / "cache", files, &now_s);
  const std::shared_ptr<CacheCore> core = *CacheCore::open(options);
  for (int number = 1; number <= kEntries; ++number) {
    put_whole(*core, number, 100'000);
  }
  core->flush();
  const uint64_t held_bytes = core->statistics().disk_bytes;
  EXPECT_GT(held_bytes, (kEntries - 1) * 100'000u);
  now_s += 60;
  files->set_hook([](WritePoint, ChangePhase) { return errno_status(EIO, "the disk"); });
  for (int number = 1; number <= kEntries; ++number) {
    EXPECT_EQ(get_range(*core, number, {0, 1}), std::nullopt);
  }
  core->flush();
  EXPECT_EQ(core->statistics().entries, 0u);
  EXPECT_EQ(core->statistics().disk_bytes, held_bytes);
  core->close();
}

// A process that is out of descriptors or memory for a moment says nothing about the disk.
TEST(CacheRecovery, WhatTheProcessLacksIsNoFaultOfTheDisk) {
  for (const int error : {EMFILE, ENFILE, ENOMEM}) {
    const TemporaryDirectory directory;
    const auto files = std::make_shared<FaultyFiles>();
    std::shared_ptr<CacheCore> core = *CacheCore::open(small_cache(directory / "cache", files));
    put_whole(*core, 1, 1000);
    core->close();
    core = *CacheCore::open(small_cache(directory / "cache", files));
    files->fail_reads(errno_status(error, "open"));
    EXPECT_EQ(get_range(*core, 1, {0, 1000}), std::nullopt);
    files->fail_reads(ok_status());
    EXPECT_EQ(core->statistics().damaged, 0u);
    EXPECT_EQ(get_range(*core, 1, {0, 1000}), content_of(1, 1000));
    files->set_hook([&](WritePoint, ChangePhase) { return errno_status(error, "open"); });
    put_whole(*core, 2, 1000);
    core->flush();
    files->set_hook(nullptr);
    EXPECT_EQ(get_range(*core, 2, {0, 1000}), std::nullopt);
    EXPECT_EQ(core->statistics().directories_off, 0u);
    put_whole(*core, 2, 1000);
    core->flush();
    EXPECT_EQ(get_range(*core, 2, {0, 1000}), content_of(2, 1000));
    core->close();
  }
}

// An error of the system says nothing about what a file holds.
TEST(CacheRecovery, NoFileIsRemovedBecauseItCannotBeRead) {
  for (const int error : {EIO, EACCES, EMFILE, ESTALE}) {
    const TemporaryDirectory directory;
    const auto files = std::make_shared<FaultyFiles>();
    std::shared_ptr<CacheCore> core = *CacheCore::open(small_cache(directory / "cache", files));
    put_whole(*core, 1, 1000);
    put_chunks(*core, 7, kRecovered);
    core->close();
    files->fail_reads(errno_status(error, "read"));
    core = *CacheCore::open(small_cache(directory / "cache", files));
    EXPECT_EQ(get_range(*core, 1, {0, 1000}), std::nullopt);
    EXPECT_EQ(get_range(*core, 7, {0, kRecovered}), std::nullopt);
    core->close();
    files->fail_reads(ok_status());
    core = *CacheCore::open(small_cache(directory / "cache", files));
    EXPECT_EQ(get_range(*core, 1, {0, 1000}), content_of(1, 1000)) << error;
    EXPECT_EQ(get_range(*core, 7, {0, kRecovered}), content_of(7, kRecovered)) << error;
    core->close();
  }
}

TEST(CacheRecovery, ADirectoryThatCannotBeWrittenToIsServed) {
  const TemporaryDirectory directory;
  const auto files = std::make_shared<FaultyFiles>();
  std::shared_ptr<CacheCore> core = *CacheCore::open(small_cache(directory / "cache", files));
  put_whole(*core, 1, 1000);
  put_chunks(*core, 7, kRecovered);
  core->close();
  const Status refusal = errno_status(EROFS, "a disk for reading only");
  files->refuse_writing(refusal);
  files->set_hook([&](WritePoint, ChangePhase) { return refusal; });
  for (int run = 0; run < 2; ++run) {
    core = *CacheCore::open(small_cache(directory / "cache", files));
    EXPECT_EQ(get_range(*core, 1, {0, 1000}), content_of(1, 1000));
    EXPECT_EQ(get_range(*core, 7, {0, kRecovered}), content_of(7, kRecovered));
    put_whole(*core, 2, 1000);
    core->flush();
    EXPECT_EQ(core->statistics().directories_off, 1u);
    EXPECT_EQ(get_range(*core, 7, {0, kRecovered}), content_of(7, kRecovered));
    core->close();
  }
}

}  // namespace
}  // namespace forebay::cache
