// What the error of a sample names: the file its input came from, and the operator that failed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <span>
#include <stdexcept>

#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/files.h"
#include "forebay/pipeline/testing/operators.h"

namespace forebay::pipeline {
namespace {

using ::testing::EndsWith;
using testing::FileFolder;
using ::testing::HasSubstr;
using testing::replace_operator;

constexpr int64_t kBroken = 5;  // a position

Status fail_at_broken(operators::Sample& sample) {
  if (sample.identity().position == kBroken) {
    return data_loss("it is broken");
  }
  sample.forward(0, sample.input(0));
  return ok_status();
}

int add_node(Graph* graph, std::string op, std::string name, std::vector<Edge> inputs,
             std::map<std::string, Value> constants = {}, Device device = Device::kCpu) {
  Node node;
  node.op = std::move(op);
  node.name = std::move(name);
  node.inputs = std::move(inputs);
  node.constants = std::move(constants);
  node.device = device;
  const auto added = graph->add(std::move(node));
  EXPECT_TRUE(added.ok()) << added.status();
  return *added;
}

/// The first error of the first batch.
ErrorContext error_of(const std::shared_ptr<const Plan>& plan, SessionOptions options = {}) {
  options.refuses_unequal_readers = false;
  auto session = Session::create(plan, std::move(options));
  EXPECT_TRUE(session.ok()) << session.status();
  EXPECT_FALSE((*session)->run().ok());
  EXPECT_GE((*session)->errors().count(), 1u);
  return (*session)->errors().errors()[0].context;
}

class ProvenanceTest : public ::testing::Test {
 protected:
  /// Two readers, of different files in different order, and an operator "work" on the output of one of them.
  std::shared_ptr<const Plan> two_readers(int worked_on, bool through_function = false) {
    Graph graph;
    const int first = add_node(&graph, "readers.file", "first", {}, {{"files", many_.files()}});
    const int second = add_node(&graph, "readers.file", "second", {}, {{"files", few_.files()}});
    Edge from{worked_on == 0 ? first : second, 0};
    if (through_function) {
      function_ = add_node(&graph, std::string(kHostFunction), "function", {from});
      from = {function_, 0};
    }
    const int work = add_node(&graph, "copy", "work", {from});
    EXPECT_TRUE(graph.set_outputs({{work, 0}, {first, 0}, {second, 0}}).ok());
    auto plan = Plan::compile(graph, {.batch_size = 8});
    EXPECT_TRUE(plan.ok()) << plan.status();
    replace_operator(**plan, "work", fail_at_broken);
    return *plan;
  }

  FileFolder many_{12};
  FileFolder few_{3};
  int function_ = -1;
};

TEST_F(ProvenanceTest, OfAnErrorIsTheReaderItsInputCameFrom) {
  const ErrorContext of_first = error_of(two_readers(0));
  EXPECT_EQ(of_first.origin.object, many_.files()[5]);
  EXPECT_EQ(of_first.sample_index, 5);
  const ErrorContext of_second = error_of(two_readers(1));
  EXPECT_EQ(of_second.origin.object, few_.files()[2]);
  EXPECT_EQ(of_second.sample_index, 2);
  EXPECT_EQ(of_second.position, kBroken);
  EXPECT_EQ(of_second.operator_name, "work");
}

TEST_F(ProvenanceTest, GoesThroughFunctions) {
  struct Same final : HostFunction {
    Status run(std::span<FunctionSample> samples) override {
      for (FunctionSample& sample : samples) {
        sample.outputs = sample.inputs;
      }
      return ok_status();
    }
  };
  const auto plan = two_readers(0, true);
  EXPECT_EQ(error_of(plan, {.functions = {{function_, std::make_shared<Same>()}}}).origin.object,
            many_.files()[5]);
}

TEST_F(ProvenanceTest, OfAFileThatCannotBeReadIsItself) {
  const auto plan = two_readers(0);
  few_.remove(1);
  const ErrorContext error = error_of(plan, {});
  EXPECT_EQ(error.origin.object, few_.files()[1]);
  EXPECT_EQ(error.operator_name, "second");
  EXPECT_EQ(error.sample_index, 1);
}

TEST_F(ProvenanceTest, OfAnErrorOnABatchIsTheSampleThatTheOperatorNames) {
  Graph graph;
  const int first = add_node(&graph, "readers.file", "first", {}, {{"files", many_.files()}});
  const int second = add_node(&graph, "readers.file", "second", {}, {{"files", few_.files()}});
  const std::vector<int64_t> indices{0, 1, 2, 3, 4, 99, 6, 7};
  const int work = add_node(&graph, "permute_batch", "work", {{second, 0}}, {{"indices", indices}});
  ASSERT_TRUE(graph.set_outputs({{first, 0}, {work, 0}}).ok());
  const auto session =
      Session::create(*Plan::compile(graph, {.batch_size = 8}), {.refuses_unequal_readers = false});
  const Status status = (*session)->run().status();
  const ErrorContext error = context_of(status).value_or(ErrorContext());
  EXPECT_EQ(error.position, kBroken) << status;
  EXPECT_EQ(error.sample_index, 2) << status;
  EXPECT_EQ(error.origin.object, few_.files()[2]) << status;
  EXPECT_EQ(error.operator_name, "work") << status;
  EXPECT_THAT(std::string(message(status)),
              EndsWith("operator 'work': indices[5] is 99, and the batch has 8 samples"));
}

TEST_F(ProvenanceTest, OfADeliveredSampleIsTheFirstReader) {
  Graph graph;
  const int first = add_node(&graph, "readers.file", "first", {}, {{"files", many_.files()}});
  const int second = add_node(&graph, "readers.file", "second", {}, {{"files", few_.files()}});
  ASSERT_TRUE(graph.set_outputs({{first, 0}, {second, 0}}).ok());
  const auto session =
      Session::create(*Plan::compile(graph, {.batch_size = 4}), {.refuses_unequal_readers = false});
  const auto delivery = (*session)->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  for (const DeliveredSample& sample : delivery->samples) {
    EXPECT_EQ(sample.identity.origin.object, many_.files()[sample.identity.sample_index]);
  }
}

/// Writes one byte on a device; its work may fail at the broken sample.
class DeviceOperator final : public operators::Operator {
 public:
  explicit DeviceOperator(bool fails) : fails_(fails) {}
  Status run(operators::Sample&) const override { return internal_error("only on devices"); }
  bool runs_on_devices() const override { return true; }
  Status output_specs(const operators::Sample&, std::span<tensor::TensorSpec> specs) const override {
    specs[0] = {{1}, tensor::DType::kUint8, {}};
    return ok_status();
  }
  Status launch(std::span<operators::Sample> group, operators::LaunchQueue& queue) const override {
    for (operators::Sample& sample : group) {
      const bool fails_now = fails_ && sample.identity().position == kBroken;
      FOREBAY_RETURN_IF_ERROR(queue.launch("test", work, 1, fails_now));
    }
    return ok_status();
  }

 private:
  static void work(const void* fails_now, int64_t) {
    if (*static_cast<const bool*>(fails_now)) {
      throw std::runtime_error("it is broken");
    }
  }

  bool fails_;
};

TEST_F(ProvenanceTest, OfAnErrorOnADeviceIsTheCallThatFailed) {
  const std::map<std::string, Value> kToFloat{{"dtype", static_cast<int64_t>(tensor::DType::kFloat)}};
  Graph graph;
  const int reader = add_node(&graph, "readers.file", "reader", {}, {{"files", many_.files()}});
  const int there = add_node(&graph, std::string(kCopyToDevice), "there", {{reader, 0}});
  const int one = add_node(&graph, "cast", "one", {{there, 0}}, kToFloat, Device::kGpu);
  const int two = add_node(&graph, "cast", "two", {{one, 0}}, kToFloat, Device::kGpu);
  const int back = add_node(&graph, std::string(kCopyToHost), "back", {{two, 0}});
  ASSERT_TRUE(graph.set_outputs({{back, 0}}).ok());
  const auto plan = *Plan::compile(graph, {.batch_size = 8, .has_device = true});
  replace_operator(*plan, "one", std::make_shared<DeviceOperator>(true));
  replace_operator(*plan, "two", std::make_shared<DeviceOperator>(false));
  const ErrorContext error = error_of(plan, {.device = *memory::SimulatedDevice::create({.seed = 1})});
  EXPECT_EQ(error.operator_name, "one");
  EXPECT_EQ(error.origin.object, many_.files()[5]);
}

}  // namespace
}  // namespace forebay::pipeline
