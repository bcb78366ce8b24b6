// Pipelines over a cache that follows their plans get the samples that they get without it, and each byte
// comes from the remote store once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "data_set.h"
#include "forebay/cache/cache.h"
#include "forebay/cache/store/cache_store.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::end_to_end {
namespace {

constexpr int kImages = 60;
constexpr size_t kEpochs = 3;

/// Objects that are not at hand; counts how often each is read.
class RemoteBucket final : public storage::ForwardingStore {
 public:
  explicit RemoteBucket(const std::shared_ptr<storage::MemoryStore>& bucket) : ForwardingStore(bucket) {}

  storage::StoreFeatures features() const override { return {}; }
  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override {
    {
      const MutexLock lock(mutex_);
      ++reads_[request.key];
    }
    ForwardingStore::read(std::move(request), context, std::move(done));
  }

  std::map<std::string, int> reads() const {
    const MutexLock lock(mutex_);
    return reads_;
  }

 private:
  mutable Mutex mutex_;
  std::map<std::string, int> reads_ FOREBAY_GUARDED_BY(mutex_);
};

class PlannedCacheTest : public ::testing::Test {
 protected:
  PlannedCacheTest() {
    const std::vector<std::string> images = small_images(kImages);
    for (int i = 0; i < kImages; ++i) {
      const std::string key = "image" + std::to_string(i);
      EXPECT_TRUE(storage::write_now(*bucket_, key, std::as_bytes(std::span(images[i]))).ok());
      bytes_ += images[i].size();
      files_.push_back("mem://planned/" + key);
    }
  }
  ~PlannedCacheTest() override { unmount(); }

  void mount(const std::shared_ptr<storage::ObjectStore>& store) {
    unmount();
    storage::default_registry().mount("mem://planned/", store);
    is_mounted_ = true;
  }
  void unmount() {
    if (is_mounted_) {
      EXPECT_TRUE(storage::default_registry().unmount("mem://planned/").ok());
    }
    is_mounted_ = false;
  }
  /// Counts from here on; a session that has been closed may still read what it had begun with.
  void count_anew() { far_ = std::make_shared<RemoteBucket>(bucket_); }
  std::shared_ptr<storage::ObjectStore> cached(uint64_t capacity_bytes) {
    Result<std::shared_ptr<cache::Cache>> cache = cache::Cache::open({.memory_bytes = capacity_bytes});
    EXPECT_TRUE(cache.ok()) << cache.status();
    return store_over(*cache, far_);
  }
  std::unique_ptr<Pipeline> open(int64_t seed) const {
    JobOptions options;
    options.pipeline.seed = seed;
    Result<std::unique_ptr<Pipeline>> job = open_job(files_input(files_), options);
    EXPECT_TRUE(job.ok()) << job.status();
    return *std::move(job);
  }
  static void take_batch(Pipeline& pipe, std::vector<SampleHash>* samples) {
    const auto delivery = pipe.session().run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    const std::vector<SampleHash> batch = hashes_of(*delivery);
    samples->insert(samples->end(), batch.begin(), batch.end());
  }
  /// What two jobs with orders of their own deliver, batch by batch in turn.
  std::vector<SampleHash> run_two() const {
    const std::unique_ptr<Pipeline> one = open(1);
    const std::unique_ptr<Pipeline> two = open(2);
    std::vector<SampleHash> samples;
    while (samples.size() < 2 * kEpochs * kImages && !HasFatalFailure()) {
      take_batch(*one, &samples);
      take_batch(*two, &samples);
    }
    return samples;
  }

  const std::shared_ptr<storage::MemoryStore> bucket_ = std::make_shared<storage::MemoryStore>();
  std::shared_ptr<RemoteBucket> far_ = std::make_shared<RemoteBucket>(bucket_);
  std::vector<std::string> files_;
  uint64_t bytes_ = 0;
  bool is_mounted_ = false;
};

TEST_F(PlannedCacheTest, ACacheThatHoldsTheDataReadsEachObjectOnce) {
  mount(far_);
  const std::vector<SampleHash> expected = run_two();
  const std::map<std::string, int> without = far_->reads();
  count_anew();
  mount(cached(2 * bytes_));
  EXPECT_EQ(run_two(), expected);
  const std::map<std::string, int> with = far_->reads();
  for (const auto& [key, reads] : without) {
    EXPECT_GE(reads, 6) << key;
    EXPECT_EQ(with.at(key), 1) << key;
  }
}

TEST_F(PlannedCacheTest, ASmallCacheGivesTheSameSamplesAndSparesReads) {
  mount(far_);
  const std::vector<SampleHash> expected = run_two();
  int without = 0;
  for (const auto& [key, reads] : far_->reads()) {
    without += reads;
  }
  count_anew();
  mount(cached(bytes_ / 3));
  EXPECT_EQ(run_two(), expected);
  int with = 0;
  for (const auto& [key, reads] : far_->reads()) {
    with += reads;
  }
  EXPECT_LT(with, without);
}

}  // namespace
}  // namespace forebay::end_to_end
