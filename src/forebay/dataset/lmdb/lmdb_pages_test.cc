#include "forebay/dataset/lmdb/lmdb_pages.h"

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <mutex>
#include <span>
#include <vector>

namespace forebay::dataset {
namespace {

constexpr uint64_t kRemotePageBytes = 4096;
constexpr uint64_t kRemoteReadNs = 2'000'000;

/// A long file of pages that hold their numbers, read as slowly as from a store across a network.
class RemotePages final : public ByteSource {
 public:
  explicit RemotePages(SteppedClock& clock) : clock_(clock) {}

  uint64_t size_bytes() const override { return uint64_t{1} << 30; }
  Status read(uint64_t offset_bytes, MutableBytes destination) const override {
    clock_.advance_ns(kRemoteReadNs);
    std::unique_lock lock(mutex_);
    ++reads_;
    bytes_ += destination.size();
    reached_.notify_all();
    const bool is_reached =
        reached_.wait_for(lock, std::chrono::minutes(1), [&] { return reads_ >= awaited_; });
    lock.unlock();
    for (uint64_t at = 0; at + kRemotePageBytes <= destination.size(); at += kRemotePageBytes) {
      const uint64_t number = (offset_bytes + at) / kRemotePageBytes;
      std::memcpy(destination.data() + at, &number, sizeof(number));
    }
    return is_reached ? ok_status() : internal_error("{} reads never began", awaited_);
  }

  /// From now on no read ends before so many more have begun.
  void await(int reads) {
    const std::lock_guard lock(mutex_);
    awaited_ = reads_ + reads;
  }
  uint64_t bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
  }

 private:
  SteppedClock& clock_;
  mutable std::mutex mutex_;
  mutable std::condition_variable reached_;
  mutable int reads_ = 0;
  mutable uint64_t bytes_ = 0;
  int awaited_ = 0;
};

/// Pages `step` pages apart, the first of them last, as a walk leaves them to be asked for.
std::vector<uint64_t> pages_apart(uint64_t step, size_t count) {
  std::vector<uint64_t> pages;
  for (size_t i = count; i > 0; --i) {
    pages.push_back(1000 + i * step);
  }
  return pages;
}

class LmdbPagesTest : public ::testing::Test {
 protected:
  LmdbPagesTest() { EXPECT_EQ(number_at(0, {}), 0); }  // and it was slow

  uint64_t number_at(uint64_t page, std::span<const uint64_t> next) {
    const Result<Bytes> bytes = pages_.at(page, next);
    EXPECT_TRUE(bytes.ok()) << bytes.status();
    uint64_t number = 0;
    std::memcpy(&number, bytes.ok() ? bytes->data() : nullptr, sizeof(number));
    return number;
  }
  /// Asks for all of them in their order, and gives how much is read for the first.
  uint64_t walk(std::vector<uint64_t> left) {
    const uint64_t before = file_.bytes();
    uint64_t of_first = 0;
    while (!left.empty()) {
      const uint64_t page = left.back();
      left.pop_back();
      EXPECT_EQ(number_at(page, left), page);
      of_first = of_first == 0 ? file_.bytes() - before : of_first;
    }
    return of_first;
  }

  SteppedClock clock_;
  RemotePages file_{clock_};
  LmdbPages pages_{file_, kRemotePageBytes, clock_};
};

TEST_F(LmdbPagesTest, RemotePagesAreReadSideBySide) {
  file_.await(5);
  EXPECT_EQ(walk(pages_apart(1000, 20)), 20 * kRemotePageBytes);
}

TEST_F(LmdbPagesTest, NeighboursAreReadWithWhatLiesBetween) {
  EXPECT_EQ(walk(pages_apart(3, 20)), (19 * 3 + 1) * kRemotePageBytes);
}

TEST_F(LmdbPagesTest, NotTooMuchIsReadAtOnce) {
  const uint64_t bytes = walk(pages_apart(64, 256));
  EXPECT_LE(bytes, 16 << 20);
  EXPECT_GT(bytes, 14 << 20);
}

TEST_F(LmdbPagesTest, PagesMayComeInAnyOrderAndTwice) {
  EXPECT_EQ(walk({1064, 1003, 1128, 1003, 1000, 1192}), 193 * kRemotePageBytes);
}

}  // namespace
}  // namespace forebay::dataset
