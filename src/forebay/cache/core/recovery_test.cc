// What an opened cache does with files that it finds.
#include "forebay/cache/core/recovery.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "forebay/base/system_error.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/testing/core_workload.h"
#include "forebay/cache/testing/faulty_files.h"

namespace forebay::cache {
namespace {

constexpr size_t kRecovered = (2 << 20) + 100;

TEST(CacheRecovery, FilesOfOthersAreLeftAlone) {
  const TemporaryDirectory directory;
  const std::string path = directory / "cache";
  const std::vector<std::string> others = {path + "/objects/thesis.txt", path + "/segments/0123456789abcde",
                                           path + "/segments/0123456789abcdeF", path + "/objects/a\nb"};
  std::filesystem::create_directories(path + "/objects");
  std::filesystem::create_directories(path + "/segments");
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

TEST(CacheRecovery, ALargeObjectThatHasExpiredLeavesTheDisk) {
  const TemporaryDirectory directory;
  uint32_t now_s = 1'000'000;
  CacheOptions options = small_cache(directory / "cache", host_files());
  options.unix_seconds = [&] { return now_s; };
  options.admission = {{.prefix = "s3://", .time_to_live_s = 60}};
  std::shared_ptr<CacheCore> core = *CacheCore::open(options);
  put_chunks(*core, 7, kRecovered);
  core->close();
  now_s += 60;
  core = *CacheCore::open(options);
  EXPECT_EQ(core->statistics().entries, 0u);
  EXPECT_TRUE(std::filesystem::is_empty(directory / "cache/objects"));
  put_chunks(*core, 7, kRecovered);
  EXPECT_EQ(get_range(*core, 7, {0, kRecovered}), content_of(7, kRecovered));
  core->close();
  core = *CacheCore::open(options);
  EXPECT_EQ(get_range(*core, 7, {0, kRecovered}), content_of(7, kRecovered));
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
