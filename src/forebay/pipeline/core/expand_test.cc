// Operators that make many samples of one: their copies are made when they are needed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>

#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/files.h"
#include "forebay/pipeline/testing/operators.h"

namespace forebay::pipeline {
namespace {

using testing::FileFolder;

constexpr int64_t kCopyBytes = 100;

/// Makes as many copies as it is told, of kCopyBytes each: the number of the copy and a random number.
class Copies final : public operators::Operator {
 public:
  explicit Copies(int64_t count) : count_(count) {}
  operators::Scope scope() const override { return operators::Scope::kExpand; }
  Result<int64_t> expand_count(const operators::Sample&) const override { return count_; }
  Status run(operators::Sample& sample) const override {
    ++made_;
    FOREBAY_ASSIGN_OR_RETURN(auto out, sample.output(0, {{kCopyBytes}, tensor::DType::kUint8, {}}));
    std::fill_n(out.as<uint8_t>(), kCopyBytes, static_cast<uint8_t>(sample.identity().sub_position));
    out.as<uint8_t>()[0] = static_cast<uint8_t>(sample.random().next_u32());
    return ok_status();
  }
  int64_t made() const { return made_; }

 private:
  const int64_t count_;
  mutable std::atomic<int64_t> made_{0};
};

class ExpandTest : public ::testing::Test {
 protected:
  /// file -> `count` copies -> as floats
  std::shared_ptr<const Plan> plan(int64_t count, int batch_size) {
    Graph graph;
    Node reader;
    reader.op = "readers.file";
    reader.constants = {{"files", folder_.files()}, {"random_shuffle", true}};
    Node keep;
    keep.op = "keep";
    keep.name = "copies";
    keep.inputs = {{*graph.add(reader), 0}};
    keep.constants = {{"where", true}};
    Node cast;
    cast.op = "cast";
    cast.inputs = {{*graph.add(keep), 0}};
    cast.constants = {{"dtype", static_cast<int64_t>(tensor::DType::kInt16)}};
    EXPECT_TRUE(graph.set_outputs({{*graph.add(cast), 0}}).ok());
    auto plan = Plan::compile(graph, {.batch_size = batch_size, .seed = 11});
    EXPECT_TRUE(plan.ok()) << plan.status();
    copies_ = std::make_shared<Copies>(count);
    testing::replace_operator(**plan, "copies", copies_);
    return *plan;
  }

  static std::unique_ptr<Session> open(const std::shared_ptr<const Plan>& plan, int threads = 2,
                                       int depth = 2, uint64_t limit = 0) {
    SessionOptions options;
    options.num_threads = threads;
    options.prefetch_depth = depth;
    options.memory_limit_bytes = limit;
    auto session = Session::create(plan, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }

  static std::vector<std::string> take(Session& session, size_t samples) {
    std::vector<std::string> all;
    while (all.size() < samples) {
      const auto delivery = session.run();
      EXPECT_TRUE(delivery.ok()) << delivery.status();
      if (!delivery.ok()) {
        break;
      }
      for (const tensor::Tensor& sample : delivery->outputs[0].samples()) {
        all.emplace_back(static_cast<const char*>(sample.data()), sample.size_bytes());
      }
    }
    all.resize(std::min(all.size(), samples));
    return all;
  }

  FileFolder folder_{5};
  std::shared_ptr<Copies> copies_;
};

TEST_F(ExpandTest, MakesCopiesWhenTheyAreWanted) {
  constexpr int kBatch = 4;
  constexpr int kDepth = 2;
  const auto session = open(plan(1'000'000'000, kBatch), 2, kDepth);
  take(*session, 3 * kBatch);
  EXPECT_LE(copies_->made(), (3 + kDepth) * kBatch);
}

TEST_F(ExpandTest, GivesTheSameForAnyBatchSizeAndThreads) {
  const std::vector<std::string> expected = take(*open(plan(7, 1), 1, 1), 60);
  for (const int batch_size : {2, 5, 16}) {
    for (const int threads : {1, 3}) {
      EXPECT_EQ(take(*open(plan(7, batch_size), threads), 60), expected) << batch_size << ", " << threads;
    }
  }
}

TEST_F(ExpandTest, GoesOnBetweenTheCopiesOfASample) {
  const std::vector<std::string> expected = take(*open(plan(7, 1)), 60);
  for (int delivered = 0; delivered <= 30; delivered += 3) {
    const auto first = open(plan(7, 3));
    take(*first, static_cast<size_t>(delivered));
    const auto second = open(plan(7, 4));
    ASSERT_EQ(second->restore(first->state()), ok_status());
    EXPECT_EQ(take(*second, 12),
              std::vector<std::string>(expected.begin() + delivered, expected.begin() + delivered + 12))
        << delivered;
  }
}

TEST_F(ExpandTest, NeedsMemoryForTheCopiesUnderWayOnly) {
  constexpr int kBatch = 4;
  constexpr int kDepth = 3;
  constexpr int64_t kCopies = 400;
  const std::vector<std::string> expected = take(*open(plan(kCopies, kBatch)), 600);
  const uint64_t limit = (kDepth + 1) * kBatch * (kCopyBytes + 2 * kCopyBytes) + 400;
  ASSERT_LT(limit, kCopies * kCopyBytes);
  const auto session = open(plan(kCopies, kBatch), 4, kDepth, limit);
  EXPECT_EQ(take(*session, 600), expected);
  EXPECT_LE(session->budget().peak_working_bytes(), limit);
}

TEST_F(ExpandTest, ReplaysTheFirstCopy) {
  const auto session = open(plan(7, 7));
  const auto delivery = session->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  const operators::SampleIdentity& identity = delivery->samples[0].identity;
  const auto again = session->replay(identity.epoch, identity.position);
  ASSERT_TRUE(again.ok()) << again.status();
  const auto bytes_of = [](const tensor::Tensor& tensor) {
    return std::string(static_cast<const char*>(tensor.data()), tensor.size_bytes());
  };
  EXPECT_EQ(bytes_of((*again)[0]), bytes_of(delivery->outputs[0][0]));
}

}  // namespace
}  // namespace forebay::pipeline
