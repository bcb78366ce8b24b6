// Readers whose operator decodes what the source has read: what is kept of it while memory is short, what it
// takes, and where it shows in a trace.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <optional>
#include <set>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/base/trace/trace.h"
#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/operators.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::pipeline {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

constexpr int kSounds = 4;    // of a batch
constexpr int kFiles = 16;    // more than are read ahead of the first batch
constexpr int kChannels = 8;  // which are mixed down
constexpr int64_t kSoundFrames = 20000;
constexpr uint64_t kRecordBytes = kSoundFrames * 2 * kChannels;

/// Has nothing in memory, and counts the reads of files that are named by numbers.
class FarStore final : public storage::ForwardingStore {
 public:
  explicit FarStore(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override {
    if (request.only_resident) {
      done(failed_precondition("{}: not in memory", request.key));
      return;
    }
    if (request.key == "m.json") {
      inner().read(std::move(request), context, std::move(done));
      return;
    }
    const size_t file = std::stoul(request.key);
    ++reads_[file];
    for (Read& read : to_begin(file, {std::move(request), context, std::move(done)})) {
      inner().read(std::move(read.request), read.context, std::move(read.done));
    }
  }

  /// Reads of the first batch's sounds take until this file is asked for.
  void hold_until(size_t file) {
    const MutexLock lock(mutex_);
    last_ = file;
  }

  int reads(size_t file) const { return reads_[file]; }

 private:
  struct Read {
    storage::ReadRequest request;
    storage::CallContext context;
    storage::ReadCallback done;
  };

  std::vector<Read> to_begin(size_t file, Read read) {
    const MutexLock lock(mutex_);
    const bool is_held = last_ && file < std::min<size_t>(*last_, kSounds);
    std::vector<Read> reads;
    if (is_held) {
      held_.push_back(std::move(read));
      return reads;
    }
    if (file == last_) {
      reads.swap(held_);
      last_.reset();
    }
    reads.push_back(std::move(read));
    return reads;
  }

  std::array<std::atomic<int>, kFiles> reads_{};
  Mutex mutex_;
  std::optional<size_t> last_ FOREBAY_GUARDED_BY(mutex_);
  std::vector<Read> held_ FOREBAY_GUARDED_BY(mutex_);
};

/// Silence, in eight channels of 16 bits, at 1000 Hz.
std::string silent_wav(int64_t frames) {
  const auto number = [](uint64_t value, size_t width) {
    return std::string(reinterpret_cast<const char*>(&value), width);
  };
  const std::string samples(static_cast<size_t>(frames) * 2 * kChannels, '\0');
  const std::string inside = "WAVEfmt " + number(16, 4) + number(1, 2) + number(kChannels, 2) +
                             number(1000, 4) + number(2000 * kChannels, 4) + number(2 * kChannels, 2) +
                             number(16, 2) + "data" + number(samples.size(), 4) + samples;
  return "RIFF" + number(inside.size(), 4) + inside;
}

using Refusals = std::array<int, kSounds>;

/// Decodes as the operator that it stands for, but is refused memory so many times for each sound of the
/// first batch. What is refused when nothing else runs and holds memory fails for good.
class RefusedAtFirst final : public operators::Operator {
 public:
  RefusedAtFirst(std::shared_ptr<const operators::Operator> inner, uint64_t limit_bytes, Refusals refusals)
      : inner_(std::move(inner)), limit_bytes_(limit_bytes), refusals_(refusals) {}

  Status run(operators::Sample& sample) const override {
    const auto position = static_cast<size_t>(sample.identity().position);
    if (position < kSounds && calls_[position]++ < refusals_[position]) {
      return sample.reserve(limit_bytes_);
    }
    return inner_->run(sample);
  }
  operators::Scope scope() const override { return inner_->scope(); }
  bool decodes_records() const override { return true; }
  Result<std::shared_ptr<dataset::Source>> open_source(const dataset::OrderOptions& order) const override {
    return inner_->open_source(order);
  }
  Result<dataset::OrderOptions> order_options(uint64_t seed, int64_t batch_size) const override {
    return inner_->order_options(seed, batch_size);
  }

 private:
  const std::shared_ptr<const operators::Operator> inner_;
  const uint64_t limit_bytes_;
  const Refusals refusals_;
  mutable std::array<std::atomic<int>, kSounds> calls_{};
};

class DecodedRecordTest : public ::testing::Test {
 protected:
  DecodedRecordTest() { storage::default_registry().mount("mem://sounds/", store_); }
  ~DecodedRecordTest() override { EXPECT_TRUE(storage::default_registry().unmount("mem://sounds/").ok()); }

  void put(const std::string& name, const std::string& content) {
    EXPECT_TRUE(storage::write_now(*memory_, name, std::as_bytes(std::span(content))).ok());
  }

  void put_sounds() {
    std::string manifest;
    for (int i = 0; i < kFiles; ++i) {
      put(std::to_string(i), silent_wav(kSoundFrames));
      manifest += R"({"audio_filepath": ")" + std::to_string(i) + "\"}\n";
    }
    put("m.json", manifest);
  }

  static Node reader_of_speech(const std::string& name, int64_t max_bytes = 1 << 30) {
    Node reader;
    reader.op = "readers.nemo_asr";
    reader.name = name;
    reader.constants["manifest_filepaths"] = std::vector<std::string>{"mem://sounds/m.json"};
    reader.constants["dtype"] = static_cast<int64_t>(tensor::DType::kInt16);
    reader.constants["max_bytes"] = max_bytes;
    reader.constants["read_text"] = false;
    reader.constants["read_sample_rate"] = false;
    return reader;
  }

  static std::shared_ptr<const Plan> plan_of_speech(int64_t max_bytes = 1 << 30) {
    Graph graph;
    EXPECT_TRUE(graph.set_outputs({{*graph.add(reader_of_speech("speech", max_bytes)), 0}}).ok());
    auto plan = Plan::compile(graph, {.batch_size = kSounds});
    EXPECT_TRUE(plan.ok()) << plan.status();
    return *plan;
  }

  static void refuse_at_first(const Plan& plan, uint64_t limit_bytes, Refusals refusals) {
    const Action& last = plan.sources().back();
    testing::replace_operator(plan, last.name,
                              std::make_shared<RefusedAtFirst>(last.op, limit_bytes, refusals));
  }

  /// Ended when it goes: what it still reads ahead would come to the next test's store, of the same name.
  struct End {
    void operator()(Session* session) const {
      session->close();
      EXPECT_TRUE(session->await_end().ok());
      delete session;
    }
  };
  using OpenSession = std::unique_ptr<Session, End>;

  static OpenSession open(const std::shared_ptr<const Plan>& plan, uint64_t limit_bytes, int threads = 2,
                          int depth = 2) {
    SessionOptions options{.memory_limit_bytes = limit_bytes};
    options.num_threads = threads;
    options.prefetch_depth = depth;
    auto session = Session::create(plan, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return OpenSession(session->release());
  }

  const std::shared_ptr<storage::MemoryStore> memory_ = std::make_shared<storage::MemoryStore>();
  const std::shared_ptr<FarStore> store_ = std::make_shared<FarStore>(memory_);
};

TEST_F(DecodedRecordTest, IsNotReadAgainWhereMemoryIsRefused) {
  put_sounds();
  constexpr uint64_t kLimit = 64 << 20;
  const auto plan = plan_of_speech();
  refuse_at_first(*plan, kLimit, {1, 1, 1, 1});
  const auto session = open(plan, kLimit);
  const auto delivery = session->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  for (int i = 0; i < kSounds; ++i) {
    EXPECT_EQ(delivery->outputs[0][i].shape(), (tensor::Shape{kSoundFrames}));
    EXPECT_EQ(store_->reads(static_cast<size_t>(i)), 1);
  }
}

// All records of a batch come before one is decoded, and there is no room for that beside all of them.
TEST_F(DecodedRecordTest, IsGivenBackWhereTheOldestNeedsItsMemory) {
  put_sounds();
  constexpr uint64_t kLimit = 1300 << 10;
  static_assert(kSounds * kRecordBytes < kLimit && 3 * kRecordBytes + (700 << 10) > kLimit);
  store_->hold_until(kSounds - 1);
  const auto session = open(plan_of_speech(), kLimit, 1, 1);
  for (int batch = 0; batch + 1 < kFiles / kSounds; ++batch) {  // the last one is read ahead
    const auto delivery = session->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    EXPECT_EQ(delivery->outputs[0].samples().size(), kSounds);
  }
  EXPECT_EQ(store_->reads(0), 1) << "the oldest keeps its own";
  EXPECT_GE(store_->reads(kSounds - 1), 2);
}

// Many threads, and batches ahead: whatever happens first, the next batch comes.
TEST_F(DecodedRecordTest, IsNeverKeptFromWhoeverIsNext) {
  put_sounds();
  constexpr uint64_t kLimit = 1300 << 10;
  const auto session = open(plan_of_speech(), kLimit, 4, 3);
  for (int batch = 0; batch < 2 * kFiles / kSounds; ++batch) {
    const auto delivery = session->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
  }
}

// The second batch is done before the first one's records come. The oldest is refused once more when it runs
// alone: what the others of its batch keep is given back, but no finished work.
TEST_F(DecodedRecordTest, IsGivenBackBeforeWhatIsFinished) {
  put_sounds();
  constexpr uint64_t kLimit = 64 << 20;
  const auto plan = plan_of_speech();
  refuse_at_first(*plan, kLimit, {2, 1, 1, 1});
  store_->hold_until(2 * kSounds - 1);
  const auto session = open(plan, kLimit, 1, 2);
  for (int batch = 0; batch < 2; ++batch) {
    const auto delivery = session->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
  }
  EXPECT_EQ(store_->reads(0), 1);
  EXPECT_EQ(store_->reads(1), 2);
  EXPECT_EQ(store_->reads(kSounds), 1);
  EXPECT_EQ(store_->reads(2 * kSounds - 1), 1);
}

// Each of two readers' records can be decoded, but not with the other's beside it.
TEST_F(DecodedRecordTest, IsGivenBackWhereAnEarlierReaderNeedsItsMemory) {
  put_sounds();
  Graph graph;
  const auto first = graph.add(reader_of_speech("first"));
  const auto second = graph.add(reader_of_speech("second"));
  ASSERT_TRUE(graph.set_outputs({{*first, 0}, {*second, 0}}).ok());
  const auto plan = Plan::compile(graph, {.batch_size = 1});
  ASSERT_TRUE(plan.ok()) << plan.status();
  constexpr uint64_t kLimit = 4 * kRecordBytes - 10'000;  // no read fits beside what three samples keep
  static_assert(2 * kRecordBytes + (704 << 10) > kLimit, "the decoder's own memory");
  refuse_at_first(**plan, kLimit, {1, 0, 0, 0});
  const auto session = open(*plan, kLimit, 1);
  for (int batch = 0; batch < kFiles; ++batch) {
    const auto delivery = session->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
  }
}

TEST_F(DecodedRecordTest, APartOfALongSoundTakesWhatThePartTakes) {
  constexpr uint64_t kLimit = 1200 << 10;
  put("0", silent_wav(10 * kSoundFrames));
  ASSERT_GT(10 * kRecordBytes, kLimit);
  std::string manifest;
  for (int i = 0; i < kFiles; ++i) {
    manifest += R"({"audio_filepath": "0", "duration": 1, "offset": )" + std::to_string(i) + "}\n";
  }
  put("m.json", manifest);
  const auto session = open(plan_of_speech(), kLimit);
  const auto delivery = session->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  EXPECT_EQ(delivery->outputs[0][0].shape(), (tensor::Shape{1000}));
}

// Eight channels are mixed down to one.
TEST_F(DecodedRecordTest, ItsLimitCountsWhatIsHeld) {
  put_sounds();
  constexpr int64_t kHeldBytes = kSoundFrames * 2;
  EXPECT_TRUE(open(plan_of_speech(kHeldBytes), 0)->run().ok());
  const Status status = open(plan_of_speech(kHeldBytes - 1), 0)->run().status();
  EXPECT_THAT(std::string(message(status)), HasSubstr("in each of 1 channels takes more than 39999 bytes"));
}

TEST_F(DecodedRecordTest, DecodingIsInTheTrace) {
  put_sounds();
  const auto session = open(plan_of_speech(), 0);
  process_trace().start();
  const auto delivery = session->run();
  process_trace().stop();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  std::set<std::string> decoded;
  for (const TraceSpan& span : process_trace().spans()) {
    if (std::string_view(span.category) == "operator" && span.name == "speech") {
      decoded.insert(span.arguments);
    }
  }
  process_trace().clear();
  EXPECT_THAT(decoded, Contains(R"({"position":0,"epoch":0})"));
  EXPECT_THAT(decoded, Contains(R"({"position":3,"epoch":0})"));
}

}  // namespace
}  // namespace forebay::pipeline
