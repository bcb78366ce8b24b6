// What the sessions of one plan share.
#include "forebay/pipeline/plan/plan.h"

#include <gtest/gtest.h>

#include <atomic>

#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/files.h"
#include "forebay/pipeline/testing/operators.h"

namespace forebay::pipeline {
namespace {

/// A reader that counts how often its data set is opened, and first fails as often as it is told.
class CountedReader final : public operators::Operator {
 public:
  CountedReader(std::shared_ptr<const operators::Operator> reader, int failures)
      : reader_(std::move(reader)), failures_(failures) {}
  operators::Scope scope() const override { return operators::Scope::kSource; }
  int num_outputs() const override { return reader_->num_outputs(); }
  Status run(operators::Sample& sample) const override { return reader_->run(sample); }
  Result<dataset::OrderOptions> order_options(uint64_t seed, int64_t batch_size) const override {
    return reader_->order_options(seed, batch_size);
  }
  Result<std::shared_ptr<dataset::Source>> open_source(const dataset::OrderOptions& order) const override {
    if (opened_++ < failures_) {
      return unavailable("not yet");
    }
    return reader_->open_source(order);
  }
  int opened() const { return opened_; }

 private:
  const std::shared_ptr<const operators::Operator> reader_;
  const int failures_;
  mutable std::atomic<int> opened_{0};
};

TEST(Plan, OpensADataSetOnceForAllSessions) {
  const testing::FileFolder folder(5);
  Graph graph;
  Node node;
  node.op = "readers.file";
  node.name = "reader";
  node.constants = {{"files", folder.files()}};
  ASSERT_TRUE(graph.set_outputs({{*graph.add(node), 0}}).ok());
  const auto plan = *Plan::compile(graph, {.batch_size = 2});
  const auto reader = std::make_shared<CountedReader>(plan->sources()[0].op, 1);
  testing::replace_operator(*plan, "reader", reader);
  EXPECT_EQ(Session::create(plan, {}).status().code(), StatusCode::kUnavailable);
  for (int session = 0; session < 3; ++session) {
    const auto opened = Session::create(plan, {});
    ASSERT_TRUE(opened.ok()) << opened.status();
    EXPECT_TRUE((*opened)->run().ok());
  }
  EXPECT_EQ(reader->opened(), 2);
}

}  // namespace
}  // namespace forebay::pipeline
