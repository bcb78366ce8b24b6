// Sessions over remote shards whose samples are still being found.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/base/testing/gate.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/text_of.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/testing/hooked_store.h"

namespace forebay::pipeline {
namespace {

constexpr int kTarShards = 4;
constexpr int kEachShardHas = 5;
constexpr int kShardSamples = kTarShards * kEachShardHas;
constexpr int kGrowingBatch = 3;  // the last one of an epoch goes on in the next

using GrowingContents = std::vector<std::pair<int64_t, std::string>>;  // epoch and text of each sample

/// Which shard is held back. A scan that nobody waits for may end after its test.
struct HeldShard {
  void hold(const std::string& held) {
    const MutexLock lock(mutex);
    key = held;
  }
  void pass(const std::string& read) {
    {
      const MutexLock lock(mutex);
      if (read != key) {
        return;
      }
    }
    gate.pass();
  }

  forebay::testing::Gate gate;
  Mutex mutex;
  std::string key FOREBAY_GUARDED_BY(mutex);
};

class GrowingTest : public ::testing::Test {
 protected:
  GrowingTest() {
    for (int shard = 0; shard < kTarShards; ++shard) {
      std::vector<std::pair<std::string, std::string>> members;
      for (int i = 0; i < kEachShardHas; ++i) {
        members.emplace_back(std::to_string(i) + ".txt", std::to_string(shard * kEachShardHas + i));
      }
      put(shard, dataset::testing::tar_archive(members));
    }
    store_->before_read = [held = held_](const storage::ReadRequest& request) { held->pass(request.key); };
    storage::default_registry().mount("mem://growing/", store_);
  }
  ~GrowingTest() override {
    held_->gate.open();
    EXPECT_TRUE(storage::default_registry().unmount("mem://growing/").ok());
  }

  void put(int shard, const std::string& content) {
    EXPECT_TRUE(
        storage::write_now(*inner_, std::to_string(shard) + ".tar", std::as_bytes(std::span(content))).ok());
  }
  /// A plan of its own opens the shards anew.
  static std::shared_ptr<const Plan> plan(std::map<std::string, Value> more = {}) {
    std::vector<std::string> paths;
    for (int shard = 0; shard < kTarShards; ++shard) {
      paths.push_back("mem://growing/" + std::to_string(shard) + ".tar");
    }
    Node reader;
    reader.op = "readers.webdataset";
    reader.name = "reader";
    reader.constants = std::move(more);
    reader.constants["paths"] = paths;
    reader.constants["ext"] = std::vector<std::string>{"txt"};
    Graph graph;
    EXPECT_TRUE(graph.set_outputs({{*graph.add(reader), 0}}).ok());
    return *Plan::compile(graph, {.batch_size = kGrowingBatch});
  }
  static std::unique_ptr<Session> open(const std::shared_ptr<const Plan>& plan,
                                       OnError on_error = OnError::kRaise) {
    auto session = Session::create(plan, {.num_threads = 2, .on_error = on_error});
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }
  static GrowingContents run(Session& session, int batches) {
    GrowingContents contents;
    for (int i = 0; i < batches; ++i) {
      const Result<Delivery> delivery = session.run();
      EXPECT_TRUE(delivery.ok()) << delivery.status();
      for (size_t at = 0; delivery.ok() && at < delivery->samples.size(); ++at) {
        contents.emplace_back(delivery->samples[at].identity.epoch,
                              text_of(delivery->outputs[0][static_cast<int>(at)]));
      }
    }
    return contents;
  }
  /// In their order, epoch after epoch.
  static GrowingContents expected(int batches) {
    GrowingContents contents;
    for (int k = 0; k < batches * kGrowingBatch; ++k) {
      contents.emplace_back(k / kShardSamples, std::to_string(k % kShardSamples));
    }
    return contents;
  }

  const std::shared_ptr<storage::MemoryStore> inner_ = std::make_shared<storage::MemoryStore>();
  const std::shared_ptr<storage::HookedStore> store_ = std::make_shared<storage::HookedStore>(inner_);
  const std::shared_ptr<HeldShard> held_ = std::make_shared<HeldShard>();
};

TEST_F(GrowingTest, BatchesComeBeforeAllSamplesAreKnown) {
  held_->hold("2.tar");
  const std::unique_ptr<Session> session = open(plan());
  const int early = 2 * kEachShardHas / kGrowingBatch;
  GrowingContents contents = run(*session, early);
  held_->gate.open();
  constexpr int kRest = 20;  // into the third epoch
  const GrowingContents rest = run(*session, kRest);
  contents.insert(contents.end(), rest.begin(), rest.end());
  EXPECT_EQ(contents, expected(early + kRest));
  EXPECT_EQ(session->reader_meta("reader")->epoch_size, uint64_t{kShardSamples});
}

// Whichever shards are known when, the stream is that of a session which knows all from the beginning.
TEST_F(GrowingTest, ShardByShardBatchesComeOnceTheFirstShardsAreKnown) {
  constexpr int kBatches = 15;  // into the third epoch
  for (const int64_t ranks : {1, 2, 4}) {
    for (int64_t rank = 0; rank < ranks; ++rank) {
      const std::map<std::string, Value> order = {
          {"shuffle", std::string("shard_first")}, {"num_shards", ranks}, {"shard_id", rank}};
      const GrowingContents expected = run(*open(plan(order), OnError::kSkip), kBatches);
      const std::string last = expected[kShardSamples / ranks - 1].second;
      const bool has_one_shard =
          std::stoi(last) / kEachShardHas == std::stoi(expected[0].second) / kEachShardHas;
      held_->hold(has_one_shard ? "" : std::to_string(std::stoi(last) / kEachShardHas) + ".tar");
      const std::unique_ptr<Session> session = open(plan(order));
      GrowingContents contents = run(*session, kEachShardHas / kGrowingBatch);
      held_->gate.open();
      const GrowingContents rest = run(*session, kBatches - kEachShardHas / kGrowingBatch);
      contents.insert(contents.end(), rest.begin(), rest.end());
      EXPECT_EQ(contents, expected) << rank << " of " << ranks;
      held_->hold("");
      held_->gate.close();
    }
  }
}

TEST_F(GrowingTest, ShardByShardAnEmptyShardIsPassedOver) {
  for (int shard = 0; shard < kTarShards; ++shard) {
    put(shard, dataset::testing::tar_archive({}));
    const std::map<std::string, Value> order = {{"shuffle", std::string("shard_first")}};
    const GrowingContents expected = run(*open(plan(order), OnError::kSkip), 9);
    EXPECT_EQ(run(*open(plan(order)), 9), expected);
    put(shard, dataset::testing::tar_archive({{"0.txt", std::to_string(shard)}}));
  }
}

// What is said of a sample, too, does not depend on what is known when.
TEST_F(GrowingTest, ShardByShardSamplesHaveNoIndex) {
  const std::map<std::string, Value> order = {{"shuffle", std::string("shard_first")}};
  for (const OnError on_error : {OnError::kRaise, OnError::kSkip}) {
    const std::unique_ptr<Session> session = open(plan(order), on_error);
    const Result<Delivery> delivery = session->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    EXPECT_EQ(delivery->samples[0].identity.sample_index, -1);
  }
}

TEST_F(GrowingTest, AnEpochIsPaddedWhereItEnds) {
  held_->hold("2.tar");
  const std::unique_ptr<Session> session = open(plan({{"pad_last_batch", true}}));
  GrowingContents contents = run(*session, 3);
  held_->gate.open();
  constexpr int kBatchesAnEpoch = (kShardSamples + kGrowingBatch - 1) / kGrowingBatch;
  const GrowingContents rest = run(*session, 2 * kBatchesAnEpoch - 3);
  contents.insert(contents.end(), rest.begin(), rest.end());
  GrowingContents padded;
  for (int epoch = 0; epoch < 2; ++epoch) {
    for (int k = 0; k < kBatchesAnEpoch * kGrowingBatch; ++k) {
      padded.emplace_back(epoch, std::to_string(std::min(k, kShardSamples - 1)));
    }
  }
  EXPECT_EQ(contents, padded);
}

TEST_F(GrowingTest, AnotherSessionOfThePlanTakesPartOrWaits) {
  held_->hold("1.tar");
  const std::shared_ptr<const Plan> shared = plan();
  const std::unique_ptr<Session> first = open(shared);
  const std::unique_ptr<Session> second = open(shared);
  EXPECT_EQ(run(*second, 1), expected(1));
  EXPECT_EQ(run(*first, 1), expected(1));
  std::future<Result<dataset::ReaderMeta>> meta =
      std::async(std::launch::async, [&] { return first->reader_meta("reader"); });
  held_->gate.open();
  EXPECT_EQ(meta.get()->epoch_size, uint64_t{kShardSamples});
  EXPECT_EQ(run(*open(shared, OnError::kSkip), 9), expected(9));
}

TEST_F(GrowingTest, ASessionThatGoesOnKnowsAllSamples) {
  std::string state;
  {
    const std::unique_ptr<Session> session = open(plan());
    EXPECT_EQ(run(*session, 4), expected(4));
    state = session->state();
  }
  held_->hold("1.tar");
  const std::unique_ptr<Session> session = open(plan());
  std::future<Status> restored = std::async(std::launch::async, [&] { return session->restore(state); });
  held_->gate.open();
  const Status status = restored.get();
  ASSERT_TRUE(status.ok()) << status;
  const GrowingContents all = expected(16);
  EXPECT_EQ(run(*session, 12), GrowingContents(all.begin() + 4 * kGrowingBatch, all.end()));
}

TEST_F(GrowingTest, AnErrorOfTheScanIsThatOfTheBatchesBehindIt) {
  put(3, dataset::testing::tar_archive({{"0.jpg", "no text"}}));
  held_->hold("3.tar");
  const std::unique_ptr<Session> session = open(plan({{"missing_component_behavior", "error"}}));
  EXPECT_EQ(run(*session, 2), expected(2));
  held_->gate.open();
  EXPECT_EQ(session->reader_meta("reader").status().code(), StatusCode::kInvalidArgument);
  Status status;
  for (int i = 0; i < kShardSamples && status.ok(); ++i) {
    status = session->run().status();
  }
  EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
}

TEST_F(GrowingTest, AnErrorBeforeTheFirstSampleIsOneOfOpening) {
  put(0, dataset::testing::tar_archive({{"0.jpg", "no text"}}));
  const std::shared_ptr<const Plan> refused = plan({{"missing_component_behavior", "error"}});
  EXPECT_EQ(Session::create(refused, {}).status().code(), StatusCode::kInvalidArgument);
  put(0, dataset::testing::tar_archive({{"0.txt", "0"}}));
  EXPECT_EQ(run(*open(refused), 1).front().second, "0");  // an error is not remembered
}

TEST_F(GrowingTest, ASessionThatWaitsCanBeClosed) {
  held_->hold("1.tar");
  std::unique_ptr<Session> session = open(plan());
  EXPECT_EQ(run(*session, 1), expected(1));
  std::future<Status> waits = std::async(std::launch::async, [&] { return session->run().status(); });
  session->close();
  EXPECT_FALSE(waits.get().ok());
  held_->gate.open();
  EXPECT_TRUE(session->await_end().ok());
}

TEST_F(GrowingTest, TheLastSessionOfAPlanEndsTheScanAndTheNextBeginsAnother) {
  held_->hold("1.tar");
  const std::shared_ptr<const Plan> shared = plan();
  const std::unique_ptr<Session> first = open(shared);
  const std::unique_ptr<Session> second = open(shared);
  first->close();
  EXPECT_TRUE(first->await_end().ok());  // the scan goes on
  EXPECT_EQ(run(*second, 1), expected(1));
  second->close();
  held_->gate.open();
  EXPECT_TRUE(second->await_end().ok());
  EXPECT_EQ(run(*open(shared), 9), expected(9));
}

TEST_F(GrowingTest, ASessionThatIsGivenUpEndsTheScan) {
  held_->hold("1.tar");
  std::unique_ptr<Session> session = open(plan());
  session->prefetch();
  session.reset();  // waits for nobody
  held_->gate.open();
}

}  // namespace
}  // namespace forebay::pipeline
