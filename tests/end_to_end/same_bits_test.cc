// A sample is a function of (data set, graph, seed, epoch, position) and of nothing else.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "child_process.h"
#include "data_set.h"
#include "forebay/base/byte_source.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::end_to_end {
namespace {

constexpr int kImages = 45;
constexpr size_t kSamples = 100;  // more than two epochs

/// The next samples, at least `count`, cut to that.
std::vector<SampleHash> take(pipeline::Session& session, size_t count) {
  std::vector<SampleHash> samples;
  while (samples.size() < count) {
    const auto delivery = session.run();
    EXPECT_TRUE(delivery.ok()) << delivery.status();
    if (!delivery.ok()) {
      break;
    }
    const std::vector<SampleHash> batch = hashes_of(*delivery);
    samples.insert(samples.end(), batch.begin(), batch.end());
  }
  samples.resize(std::min(samples.size(), count));
  return samples;
}

std::vector<SampleHash> take(Pipeline& pipe, size_t count) {
  return take(pipe.session(), count);
}

class SameBitsTest : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder_ = new TemporaryFolder;
    files_ = new std::vector<std::string>(write_files(*folder_, small_images(kImages)));
    JobOptions plain;
    plain.pipeline.batch_size = 1;
    plain.pipeline.num_threads = 1;
    plain.pipeline.prefetch_queue_depth = 1;
    plain.pipeline.fuse = false;
    expected_ = new std::vector<SampleHash>(take(*open(plain), kSamples));
  }
  static void TearDownTestSuite() {
    delete expected_;
    delete files_;
    delete folder_;
  }

  static std::unique_ptr<Pipeline> open(const JobOptions& options) {
    auto opened = open_job(files_input(*files_), options);
    EXPECT_TRUE(opened.ok()) << opened.status();
    return *std::move(opened);
  }

  static std::vector<SampleHash> expected_from(size_t begin, size_t count) {
    return {expected_->begin() + begin, expected_->begin() + begin + count};
  }

  static inline TemporaryFolder* folder_;
  static inline std::vector<std::string>* files_;
  static inline std::vector<SampleHash>* expected_;
};

TEST_F(SameBitsTest, OneToEightThreads) {
  for (int threads = 1; threads <= 8; ++threads) {
    JobOptions options;
    options.pipeline.num_threads = threads;
    EXPECT_EQ(take(*open(options), kSamples), *expected_) << threads << " threads";
  }
}

TEST_F(SameBitsTest, AnyPrefetchDepthAndBatchSize) {
  for (const int batch_size : {1, 3, 16, 64}) {
    for (const int depth : {1, 2, 7}) {
      JobOptions options;
      options.pipeline.batch_size = batch_size;
      options.pipeline.prefetch_queue_depth = depth;
      options.pipeline.num_threads = 4;
      EXPECT_EQ(take(*open(options), kSamples), *expected_) << batch_size << " a batch, depth " << depth;
    }
  }
}

TEST_F(SameBitsTest, FusedOrNotAndWithEveryIntermediateReturned) {
  for (const bool fuse : {false, true}) {
    for (const bool returns_everything : {false, true}) {
      JobOptions options;
      options.pipeline.fuse = fuse;
      options.returns_everything = returns_everything;
      EXPECT_EQ(take(*open(options), kSamples), *expected_) << fuse << returns_everything;
    }
  }
}

TEST_F(SameBitsTest, UnderAnyMemoryLimit) {
  for (const uint64_t limit : {500'000, 1'000'000, 10'000'000}) {
    JobOptions options;
    options.pipeline.memory_limit_bytes = limit;
    options.pipeline.num_threads = 4;
    options.pipeline.prefetch_queue_depth = 4;
    const auto pipe = open(options);
    EXPECT_EQ(take(*pipe, kSamples), *expected_) << limit;
    EXPECT_LE(pipe->session().budget().peak_working_bytes(), limit);
  }
}

// Many sizes between "hardly one sample" and "nearly all": parking, forcing and evicting in every mixture.
TEST_F(SameBitsTest, UnderTightMemoryLimitsNothingHangsOrShifts) {
  for (uint64_t limit = 250'000; limit < 2'000'000; limit += 70'000) {
    JobOptions options;
    options.pipeline.memory_limit_bytes = limit;
    options.pipeline.num_threads = 8;
    options.pipeline.prefetch_queue_depth = 6;
    options.pipeline.batch_size = 4;
    options.pipeline.on_error = pipeline::OnError::kSkip;
    const auto pipe = open(options);
    std::vector<SampleHash> delivered;
    for (size_t batch = 0; batch < kSamples / 4; ++batch) {
      const auto delivery = pipe->run();
      if (!delivery.ok()) {
        EXPECT_EQ(delivery.status().code(), StatusCode::kResourceExhausted) << delivery.status();
        continue;
      }
      for (const SampleHash& sample : hashes_of(*delivery)) {
        delivered.push_back(sample);
      }
    }
    std::erase_if(delivered, [](const SampleHash& sample) {
      return std::ranges::find(*expected_, sample) != expected_->end();
    });
    EXPECT_LE(delivered.size(), pipe->session().errors().count()) << "samples that differ are stand-ins";
    EXPECT_LE(pipe->session().budget().peak_working_bytes(), limit);
  }
}

TEST_F(SameBitsTest, BatchOperatorsUnderMemoryLimits) {
  std::vector<std::vector<SampleHash>> all;
  for (const uint64_t limit : {0, 500'000, 700'000, 900'000, 1'200'000}) {
    JobOptions options;
    options.pipeline.memory_limit_bytes = limit;
    options.pipeline.num_threads = 8;
    options.pipeline.prefetch_queue_depth = 6;
    options.permutes = true;
    all.push_back(take(*open(options), kSamples));
    EXPECT_EQ(all.back(), all.front()) << limit;
  }
}

TEST_F(SameBitsTest, ResumedAtEachDeliveredBatch) {
  constexpr size_t kBatch = 8;
  JobOptions options;
  options.pipeline.prefetch_queue_depth = 3;
  const auto first = open(options);
  for (size_t delivered = 0; (delivered + 2) * kBatch <= kSamples; ++delivered) {
    const std::string state = first->session().state();
    EXPECT_LT(state.size(), 1024u);
    JobOptions other;
    other.pipeline.batch_size = 5;
    const auto second = open(other);
    ASSERT_TRUE(second->session().restore(state).ok());
    EXPECT_EQ(take(*second, kBatch), expected_from(delivered * kBatch, kBatch));
    take(*first, kBatch);
  }
}

TEST_F(SameBitsTest, ResumedAfterTheProcessWasKilled) {
  constexpr size_t kBatch = 8;
  for (const int delivered : {1, 4, 7}) {
    const std::string list = folder_->write("list.txt", [] {
      std::string lines;
      for (size_t i = 0; i < files_->size(); ++i) {
        lines += (*files_)[i] + " " + std::to_string(i) + "\n";
      }
      return lines;
    }());
    ChildProcess child({FOREBAY_JOB_PROCESS, "--list", list, "--prints-state", "1", "--batches", "1000000"});
    std::string state;
    for (int batch = 0; batch < delivered;) {
      const std::optional<std::string> line = child.read_line();
      ASSERT_TRUE(line.has_value());
      if (line->starts_with("state ")) {
        state = line->substr(6);
        ++batch;
      }
    }
    child.kill();
    JobOptions options;
    auto resumed = open_job({"readers.file", {{"file_list", list}}}, options);
    ASSERT_TRUE(resumed.ok()) << resumed.status();
    const Status restored = (*resumed)->session().restore(state);
    ASSERT_TRUE(restored.ok()) << restored << state;
    EXPECT_EQ(take(**resumed, kBatch), expected_from(delivered * kBatch, kBatch));
  }
}

TEST_F(SameBitsTest, RanksTogether) {
  std::vector<SampleHash> epoch = expected_from(0, kImages);
  std::ranges::sort(epoch);
  for (const int64_t world : {1, 2, 3, 8}) {
    std::vector<SampleHash> together;
    for (int64_t rank = 0; rank < world; ++rank) {
      JobOptions options;
      options.shard_id = rank;
      options.num_shards = world;
      options.pipeline.batch_size = 3;
      const auto mine = take(*open(options), (rank + 1) * kImages / world - rank * kImages / world);
      together.insert(together.end(), mine.begin(), mine.end());
    }
    std::ranges::sort(together);
    EXPECT_EQ(together, epoch) << world << " ranks";
  }
}

TEST_F(SameBitsTest, ReplayGivesTheDeliveredSample) {
  const auto pipe = open({});
  take(*pipe, 80);
  const auto delivery = pipe->run();
  ASSERT_TRUE(delivery.ok());
  for (size_t i = 0; i < delivery->samples.size(); ++i) {
    const auto& identity = delivery->samples[i].identity;
    const auto again = pipe->session().replay(identity.epoch, identity.position);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_TRUE(std::ranges::equal((*again)[0].bytes(), delivery->outputs[0][static_cast<int>(i)].bytes()));
  }
}

class ResumeReadsTest : public ::testing::Test {
 protected:
  static constexpr size_t kBatch = 8;
  static constexpr size_t kDepth = 2;

  ResumeReadsTest() {
    storage::default_registry().mount("mem://end_to_end/", store_);
    for (int i = 0; i < kImages; ++i) {
      const std::string key = std::to_string(i) + ".jpg";
      const std::string image = small_image(i);
      EXPECT_TRUE(storage::write_now(*store_, key, std::as_bytes(std::span(image))).ok());
      files_.push_back("mem://end_to_end/" + key);
    }
  }
  ~ResumeReadsTest() override { EXPECT_TRUE(storage::default_registry().unmount("mem://end_to_end/").ok()); }

  /// A session on an engine of its own: when both are gone, nothing reads any more.
  struct Running {
    std::shared_ptr<engine::Engine> engine =
        std::make_shared<engine::Engine>(engine::EngineOptions{.workers = 2});
    std::unique_ptr<pipeline::Session> session;
    ~Running() {
      session.reset();
      engine->shutdown();
    }
  };

  std::unique_ptr<Running> open() {
    auto pipe = open_job(files_input(files_), {});
    EXPECT_TRUE(pipe.ok()) << pipe.status();
    pipeline::PlanOptions plan_options;
    plan_options.batch_size = kBatch;
    auto plan = pipeline::Plan::compile((*pipe)->graph(), plan_options);
    EXPECT_TRUE(plan.ok()) << plan.status();
    auto running = std::make_unique<Running>();
    pipeline::SessionOptions options;
    options.engine = running->engine;
    options.num_threads = 2;
    options.prefetch_depth = kDepth;
    auto session = pipeline::Session::create(*plan, options);
    EXPECT_TRUE(session.ok()) << session.status();
    running->session = *std::move(session);
    return running;
  }

  std::shared_ptr<storage::FaultInjectingStore> store_ =
      std::make_shared<storage::FaultInjectingStore>(std::make_shared<storage::MemoryStore>());
  std::vector<std::string> files_;
};

TEST_F(ResumeReadsTest, NothingBeforeItsPosition) {
  const std::vector<SampleHash> stream = take(*open()->session, 13 * kBatch);
  for (const size_t delivered : {1, 3, 5, 8}) {
    std::string state;
    {
      const auto until = open();
      take(*until->session, delivered * kBatch);
      state = until->session->state();
    }
    store_->forget_reads();
    const auto resumed = open();
    ASSERT_TRUE(resumed->session->restore(state).ok());
    EXPECT_EQ(resumed->session->state(), state);
    EXPECT_EQ(store_->read_count(), 0u);
    const std::vector<SampleHash> rest = take(*resumed->session, 2 * kBatch);
    EXPECT_EQ(rest, (std::vector<SampleHash>{stream.begin() + delivered * kBatch,
                                             stream.begin() + (delivered + 2) * kBatch}));
    std::map<std::string, int> allowed;
    for (size_t i = delivered * kBatch; i < (delivered + 2 + kDepth) * kBatch; ++i) {
      ++allowed[std::to_string(stream[i].sample_index) + ".jpg"];
    }
    for (const auto& read : store_->reads()) {
      EXPECT_GE(--allowed[read.key], 0) << read.key << " was read though its turn is over";
    }
  }
}

}  // namespace
}  // namespace forebay::end_to_end
