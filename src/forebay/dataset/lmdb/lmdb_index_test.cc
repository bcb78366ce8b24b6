#include "forebay/dataset/lmdb/lmdb_index.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/dataset/testing/key_value_files.h"

namespace forebay::dataset {
namespace {

/// Answers as slowly as a store across a network, several reads at a time.
class RemoteBytes final : public ByteSource {
 public:
  explicit RemoteBytes(const std::string& content) : bytes_(std::as_bytes(std::span(content))) {}

  uint64_t size_bytes() const override { return bytes_.size_bytes(); }
  Status read(uint64_t offset_bytes, MutableBytes destination) const override {
    ++reads;
    most_at_once = std::max<int>(most_at_once, ++under_way_);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
    --under_way_;
    return bytes_.read(offset_bytes, destination);
  }

  mutable std::atomic<int> reads{0};
  mutable std::atomic<int> most_at_once{0};

 private:
  const MemoryByteSource bytes_;
  mutable std::atomic<int> under_way_{0};
};

/// Values that lie in pages of their own, so that leaves are far apart.
std::string spread_database() {
  std::vector<std::pair<std::string, std::string>> items;
  for (int i = 0; i < 2000; ++i) {
    items.emplace_back("key " + std::to_string(10000 + i), std::string(70'000, static_cast<char>(i)));
  }
  return testing::lmdb_file_of(items);
}

TEST(LmdbIndex, FindsTheSameInFarLeaves) {
  const std::string file = spread_database();
  const MemoryByteSource near(std::as_bytes(std::span(file)));
  const Result<LmdbScan> expected = scan_lmdb(near, "near.mdb");
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_EQ(expected->values.size(), 2000);
  const RemoteBytes far(file);
  size_t taken = 0;
  const Result<LmdbScan> found =
      scan_lmdb(far, "far.mdb", [&](std::span<const LmdbValue> values) { taken += values.size(); });
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(taken, 2000);
  ASSERT_EQ(found->values.size(), 2000);
  for (size_t i = 0; i < found->values.size(); ++i) {
    EXPECT_EQ(found->values[i].offset_bytes, expected->values[i].offset_bytes);
    EXPECT_EQ(found->values[i].size_bytes, expected->values[i].size_bytes);
  }
  EXPECT_LE(far.most_at_once.load(), 16);
}

TEST(LmdbIndex, ReadsFarNeighboursAsOne) {
  std::vector<std::pair<std::string, std::string>> items;
  for (int i = 0; i < 5000; ++i) {
    items.emplace_back("key " + std::to_string(10000 + i), "a short value");
  }
  const std::string file = testing::lmdb_file_of(items);
  const RemoteBytes far(file);
  const Result<LmdbScan> found = scan_lmdb(far, "far.mdb");
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->values.size(), 5000);
  EXPECT_LT(far.reads.load(), 8);
}

TEST(LmdbIndex, AFailedReadEndsTheScan) {
  class Cut final : public ByteSource {
   public:
    explicit Cut(const std::string& content) : bytes_(std::as_bytes(std::span(content))) {}
    uint64_t size_bytes() const override { return bytes_.size_bytes(); }
    Status read(uint64_t offset_bytes, MutableBytes destination) const override {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      const bool is_cut = offset_bytes > 1'000'000 && offset_bytes < 100'000'000;
      return is_cut ? unavailable("the wire is cut") : bytes_.read(offset_bytes, destination);
    }

   private:
    const MemoryByteSource bytes_;
  };
  const std::string file = spread_database();
  EXPECT_EQ(scan_lmdb(Cut(file), "far.mdb").status().code(), StatusCode::kUnavailable);
}

}  // namespace
}  // namespace forebay::dataset
