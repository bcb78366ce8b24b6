// The two files of a large object: what is in them, what they take, and what becomes of one without the
// other.
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/cache/disk/object_file.h"
#include "forebay/cache/testing/core_workload.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {
namespace {

constexpr size_t kOddBytes = (2 << 20) + 100;

class ObjectFilesTest : public ::testing::Test {
 protected:
  ~ObjectFilesTest() override { close(); }
  void open() { core_ = *CacheCore::open(small_cache(directory_ / "cache", host_files())); }
  void close() {
    if (core_) {
      std::exchange(core_, nullptr)->close();
    }
  }
  std::string objects() const { return directory_ / "cache/objects"; }
  std::vector<std::filesystem::path> files() const {
    std::vector<std::filesystem::path> paths;
    for (const auto& entry : std::filesystem::directory_iterator(objects())) {
      paths.push_back(entry.path());
    }
    std::ranges::sort(paths);
    return paths;
  }
  std::optional<std::string> get(size_t bytes) { return get_range(*core_, 7, {0, bytes}); }
  /// What all files of the cache take.
  uint64_t taken_bytes() const {
    uint64_t bytes = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_ / "cache")) {
      struct stat status {};
      if (entry.is_regular_file() && ::stat(entry.path().c_str(), &status) == 0) {
        bytes += static_cast<uint64_t>(status.st_blocks) * 512;
      }
    }
    return bytes;
  }

  const TemporaryDirectory directory_;
  std::shared_ptr<CacheCore> core_;
};

std::string content_in(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(ObjectFilesTest, TheContentFileHoldsTheObjectAndNothingElse) {
  open();
  put_chunks(*core_, 7, kOddBytes);
  const std::vector<std::filesystem::path> both = files();
  ASSERT_EQ(both.size(), 2u);
  EXPECT_EQ(both[1].string(), both[0].string() + std::string(kRecordFileSuffix));
  EXPECT_EQ(content_in(both[0]), content_of(7, kOddBytes));
  EXPECT_LT(std::filesystem::file_size(both[1]), 4096u);
}

// Decoders read up to 64 bytes behind what they are given. There is no page of a file behind its end.
TEST_F(ObjectFilesTest, ZerosCanBeReadBehindAnObjectOfAnySize) {
  open();
  for (const size_t bytes : {size_t{2} << 20, (size_t{2} << 20) - 1, (size_t{2} << 20) - 64, kOddBytes}) {
    put_chunks(*core_, 7, bytes);
    core_->flush();
    std::optional<storage::ReadBytes> whole = core_->find(numbered_object(7), {0, bytes}).bytes;
    ASSERT_TRUE(whole) << bytes;
    ASSERT_GE(whole->readable_behind, kZerosBehind) << bytes;
    const Bytes behind = {whole->bytes.data() + bytes, whole->readable_behind};
    EXPECT_TRUE(std::ranges::all_of(behind, [](std::byte each) { return each == std::byte{0}; })) << bytes;
    whole.reset();
    close();
    std::filesystem::remove_all(objects());
    open();
  }
}

TEST_F(ObjectFilesTest, OneWithoutTheOtherGoes) {
  for (const int gone : {0, 1}) {
    open();
    put_chunks(*core_, 7, kOddBytes);
    close();
    ASSERT_EQ(files().size(), 2u);
    std::filesystem::remove(files()[static_cast<size_t>(gone)]);
    open();
    EXPECT_TRUE(files().empty()) << gone;
    EXPECT_EQ(core_->statistics().entries, 0u);
    put_chunks(*core_, 7, kOddBytes);
    EXPECT_EQ(get(kOddBytes), content_of(7, kOddBytes));
    close();
    std::filesystem::remove_all(objects());
  }
}

// What a program read at the end of one that is longer would not be the object's.
TEST_F(ObjectFilesTest, ContentOfAnotherSizeGoes) {
  for (const size_t bytes : {kOddBytes - 1, kOddBytes + 1}) {
    open();
    put_chunks(*core_, 7, kOddBytes);
    close();
    std::filesystem::resize_file(files()[0], bytes);
    open();
    EXPECT_TRUE(files().empty()) << bytes;
    put_chunks(*core_, 7, kOddBytes);
    close();
    open();
    std::filesystem::resize_file(files()[0], bytes);  // while the cache has it, before it is mapped
    EXPECT_EQ(get(kOddBytes), std::nullopt) << bytes;
    close();
    std::filesystem::remove_all(objects());
  }
}

// One file had the records, and the content behind them.
TEST_F(ObjectFilesTest, AFileOfTheFormerFormatGoes) {
  open();
  close();
  const std::string path = objects() + "/0123456789abcdef0123456789abcdef.5";
  std::ofstream(path) << "FBOBJEC2";
  open();
  EXPECT_FALSE(std::filesystem::exists(path));
  put_chunks(*core_, 7, kOddBytes);
  EXPECT_TRUE(files()[0].string().ends_with(".6")) << "no name is given twice";
}

TEST_F(ObjectFilesTest, TheQuotaCountsTheBlocksOfBoth) {
  open();
  for (const int number : {7, 8, 9}) {
    put_chunks(*core_, number, kOddBytes);
  }
  core_->flush();
  constexpr uint64_t kOfTheDirectory = 4096;  // its lock
  EXPECT_EQ(core_->statistics().disk_bytes, taken_bytes() - kOfTheDirectory);
  close();
  open();
  EXPECT_EQ(core_->statistics().disk_bytes, taken_bytes() - kOfTheDirectory);
  close();
}

// The last block of an object is rarely full.
TEST_F(ObjectFilesTest, AChunkThatGoesLeavesNoBlock) {
  open();
  put_chunks(*core_, 7, kOddBytes);
  core_->flush();
  close();
  const uint64_t before = taken_bytes();
  {
    const auto records = *host_files()->open(files()[1].string(), true);
    const ObjectHeader header = [&] {
      std::array<std::byte, kObjectHeaderBytes> bytes;
      EXPECT_TRUE(records->read(0, bytes).ok());
      return *parse_object_header(bytes);
    }();
    ObjectFile object(host_files(), files()[0].string(), 0, header, /*exists=*/true);
    ASSERT_TRUE(object.punch(2 << 20).ok());
  }
  EXPECT_EQ(taken_bytes(), before - kFileBlockBytes);
  EXPECT_EQ(std::filesystem::file_size(files()[0]), kOddBytes);
  open();
  EXPECT_EQ(core_->statistics().entries, 2u);
}

}  // namespace
}  // namespace forebay::cache
