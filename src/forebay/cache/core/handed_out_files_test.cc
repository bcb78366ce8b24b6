// Files of large objects that others were given: what they see of them stays, whatever the cache does
// meanwhile.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/disk/object_file.h"
#include "forebay/cache/files/mapped_file.h"
#include "forebay/cache/testing/core_workload.h"
#include "forebay/cache/testing/faulty_files.h"

namespace forebay::cache {
namespace {

constexpr size_t kHandedOutBytes = (2 << 20) + 100;

class HandedOutFilesTest : public ::testing::Test {
 protected:
  HandedOutFilesTest() { open(); }
  ~HandedOutFilesTest() override { close(); }
  void open() { core_ = *CacheCore::open(small_cache(directory_ / "cache", files_)); }
  void close() {
    if (core_) {
      std::exchange(core_, nullptr)->close();
    }
  }
  /// As the kernel has a file open that it was given.
  FileDescriptor open_as_others() {
    const storage::ReadBytes whole = whole_with_file(*core_, 7, kHandedOutBytes);
    return whole.file ? FileDescriptor(::fcntl(whole.file->get(), F_DUPFD_CLOEXEC, 0)) : FileDescriptor();
  }
  static std::string content_in(const FileDescriptor& file) {
    std::string content(kHandedOutBytes + 1, '\0');
    const ssize_t got = ::pread(file.get(), content.data(), content.size(), 0);
    content.resize(static_cast<size_t>(std::max<ssize_t>(got, 0)));
    return content;
  }
  /// More than there is room for.
  void fill(int first) {
    for (int number = first; number < first + 20; ++number) {
      put_chunks(*core_, number, 1 << 20);
    }
    core_->flush();
  }
  size_t punched() const {
    size_t count = 0;
    for (const FaultyFiles::Change& change : files_->changes()) {
      count +=
          change.kind == FaultyFiles::Change::Kind::kPunch && change.path.find(path_) != std::string::npos;
    }
    return count;
  }
  void note_file() {
    for (const auto& entry : std::filesystem::directory_iterator(directory_ / "cache/objects")) {
      path_ = entry.path().extension() == ".records" ? path_ : entry.path().filename().string();
    }
    files_->keep_changes();
  }

  const TemporaryDirectory directory_;
  const std::shared_ptr<FaultyFiles> files_ = std::make_shared<FaultyFiles>();
  std::shared_ptr<CacheCore> core_;
  std::string path_;  // of the object's content
};

TEST_F(HandedOutFilesTest, AViewOfAWholeObjectHasItsFile) {
  put_chunks(*core_, 7, kHandedOutBytes);
  const FileDescriptor file = open_as_others();
  ASSERT_TRUE(file.is_valid());
  EXPECT_EQ(content_in(file), content_of(7, kHandedOutBytes));
  EXPECT_EQ(::fcntl(file.get(), F_GETFL) & O_ACCMODE, O_RDONLY);
  storage::ReadBytes part = *core_->find(numbered_object(7), {0, kHandedOutBytes - 1}).bytes;
  core_->add_file(numbered_object(7), &part);
  EXPECT_EQ(part.file, nullptr);
  put_whole(*core_, 8, 1000);
  core_->flush();
  EXPECT_EQ(whole_with_file(*core_, 8, 1000).file, nullptr) << "it lies among others in a segment";
}

TEST_F(HandedOutFilesTest, WhileItsViewLivesNothingOfItGoes) {
  put_chunks(*core_, 7, kHandedOutBytes);
  {
    const storage::ReadBytes whole = whole_with_file(*core_, 7, kHandedOutBytes);
    const storage::ReadBytes second = whole_with_file(*core_, 7, kHandedOutBytes);
    ASSERT_TRUE(whole.file && second.file);
    fill(100);
    EXPECT_EQ(content_in(*whole.file), content_of(7, kHandedOutBytes));
    EXPECT_EQ(get_range(*core_, 7, {0, kHandedOutBytes}), content_of(7, kHandedOutBytes))
        << "others find it, too";
  }
  fill(200);
  EXPECT_EQ(get_range(*core_, 7, {0, kHandedOutBytes}), std::nullopt);
  EXPECT_EQ(core_->statistics().pinned_bytes, 0u);
}

// What users pinned stays so.
TEST_F(HandedOutFilesTest, AfterItsViewHasGoneAPinHolds) {
  close();
  CacheOptions options = small_cache(directory_ / "cache", files_);
  options.admission = {{.prefix = "s3://bucket/7", .retention = {.is_pinned = true}}};
  options.most_pinned_bytes = 3 << 20;
  core_ = *CacheCore::open(options);
  put_chunks(*core_, 7, kHandedOutBytes);
  whole_with_file(*core_, 7, kHandedOutBytes);
  fill(100);
  EXPECT_EQ(get_range(*core_, 7, {0, kHandedOutBytes}), content_of(7, kHandedOutBytes));
}

// Programs map files and close them; only the kernel knows of that.
TEST_F(HandedOutFilesTest, OneThatIsOpenOrMappedGoesAsAWhole) {
  for (const bool is_mapped : {false, true}) {
    put_chunks(*core_, 7, kHandedOutBytes);
    note_file();
    FileDescriptor file = open_as_others();
    const Result<MappedFile> mapped = MappedFile::map(file.get(), kHandedOutBytes, 0, "others");
    ASSERT_TRUE(mapped.ok());
    if (is_mapped) {
      file = {};
    }
    fill(100);
    EXPECT_FALSE(std::filesystem::exists(directory_ / "cache/objects/" + path_)) << is_mapped;
    EXPECT_EQ(punched(), 0u) << is_mapped;
    const std::string content = content_of(7, kHandedOutBytes);
    EXPECT_TRUE(std::ranges::equal(mapped->bytes(), std::as_bytes(std::span(content)))) << is_mapped;
    EXPECT_LE(core_->statistics().disk_bytes, 4u << 20);
    put_chunks(*core_, 7, kHandedOutBytes);  // in another file
    EXPECT_EQ(get_range(*core_, 7, {0, kHandedOutBytes}), content_of(7, kHandedOutBytes)) << is_mapped;
  }
}

TEST_F(HandedOutFilesTest, OneThatIsClosedAgainGoesChunkByChunk) {
  put_chunks(*core_, 7, kHandedOutBytes);
  note_file();
  { const FileDescriptor file = open_as_others(); }
  put_chunks(*core_, 8, kHandedOutBytes);
  core_->flush();
  EXPECT_GT(punched(), 0u);
  EXPECT_TRUE(std::filesystem::exists(directory_ / "cache/objects/" + path_));
}

// The process that was given it lives on when the cache's has ended.
TEST_F(HandedOutFilesTest, TheNextOwnerKnowsOfIt) {
  put_chunks(*core_, 7, kHandedOutBytes);
  note_file();
  const FileDescriptor file = open_as_others();
  close();
  open();
  fill(100);
  EXPECT_FALSE(std::filesystem::exists(directory_ / "cache/objects/" + path_));
  EXPECT_EQ(punched(), 0u);
  EXPECT_EQ(content_in(file), content_of(7, kHandedOutBytes));
}

TEST_F(HandedOutFilesTest, WhatCannotBeMarkedIsNotHandedOut) {
  put_chunks(*core_, 7, kHandedOutBytes);
  files_->set_hook([](WritePoint point, ChangePhase) {
    return point == WritePoint::kMarkHandedOut ? errno_status(ENOSPC, "disk") : ok_status();
  });
  EXPECT_EQ(whole_with_file(*core_, 7, kHandedOutBytes).file, nullptr);
  files_->set_hook(nullptr);
  EXPECT_NE(whole_with_file(*core_, 7, kHandedOutBytes).file, nullptr);
}

}  // namespace
}  // namespace forebay::cache
