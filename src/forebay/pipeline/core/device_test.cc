// Graphs that cross to a device and back, on the simulated one: whatever its schedule, the bits are those of
// the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "forebay/operators/device_launch.h"
#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/files.h"
#include "forebay/pipeline/testing/operators.h"

namespace forebay::pipeline {
namespace {

using memory::SimulatedDevice;
using testing::FileFolder;
using ::testing::HasSubstr;
using testing::replace_operator;

// bytes -> float -> [device: negative -> cast -> ] -> host: added to a random number
Graph arithmetic_graph(const FileFolder& folder, bool on_device, int64_t shards = 1) {
  Graph graph;
  Node reader;
  reader.op = "readers.file";
  reader.constants = {{"files", folder.files()}, {"random_shuffle", true}, {"num_shards", shards}};
  Edge data{*graph.add(reader), 0};
  Node uniform;
  uniform.op = "random.uniform";
  const Edge angle{*graph.add(uniform), 0};
  const auto add = [&](std::string op, std::map<std::string, Value> constants, Device device) {
    Node node;
    node.op = std::move(op);
    node.constants = std::move(constants);
    node.inputs = {data};
    node.device = device;
    const auto added = graph.add(node);
    EXPECT_TRUE(added.ok()) << added.status();
    data = {*added, 0};
  };
  const Device device = on_device ? Device::kGpu : Device::kCpu;
  if (on_device) {
    add(std::string(kCopyToDevice), {}, Device::kCpu);
  }
  add("cast", {{"dtype", static_cast<int64_t>(tensor::DType::kFloat)}}, device);
  add("cast", {{"dtype", static_cast<int64_t>(tensor::DType::kInt32)}}, device);
  if (on_device) {
    add(std::string(kCopyToHost), {}, Device::kCpu);
  }
  Node sum;
  sum.op = "_arithmetic";
  sum.constants = {{"op", std::string("add")}};
  sum.inputs = {data, angle};
  const auto added = graph.add(sum);
  EXPECT_TRUE(added.ok()) << added.status();
  EXPECT_TRUE(graph.set_outputs({{*added, 0}}).ok());
  return graph;
}

std::vector<std::string> results(const Graph& graph, std::shared_ptr<SimulatedDevice> device, int threads,
                                 std::shared_ptr<engine::Engine> engine = nullptr) {
  PlanOptions plan_options;
  plan_options.batch_size = 5;
  plan_options.has_device = device != nullptr;
  auto plan = Plan::compile(graph, plan_options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  SessionOptions options;
  options.num_threads = threads;
  options.device = std::move(device);
  options.engine = std::move(engine);
  auto session = Session::create(*plan, std::move(options));
  std::vector<std::string> all;
  for (int batch = 0; batch < 4; ++batch) {
    auto delivery = (*session)->run();
    EXPECT_TRUE(delivery.ok()) << delivery.status();
    for (const tensor::Tensor& sample : delivery->outputs[0].samples()) {
      all.emplace_back(static_cast<const char*>(sample.data()), sample.size_bytes());
    }
  }
  (*session)->close();
  EXPECT_TRUE((*session)->await_end().ok());
  return all;
}

TEST(Device, SameBitsAsTheHostForAnySchedule) {
  FileFolder folder(17);
  const std::vector<std::string> expected = results(arithmetic_graph(folder, false), nullptr, 2);
  const Graph graph = arithmetic_graph(folder, true);
  for (uint64_t seed = 0; seed < 30; ++seed) {
    auto device = SimulatedDevice::create({.seed = seed, .queues = 3, .eager = seed % 2 == 0});
    ASSERT_TRUE(device.ok()) << device.status();
    EXPECT_EQ(results(graph, *device, 1 + static_cast<int>(seed % 3)), expected) << "seed " << seed;
  }
}

TEST(Device, WhatIsReplayedIsReady) {
  FileFolder folder(17);
  const Graph graph = arithmetic_graph(folder, true);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SessionOptions options;
    options.device = *SimulatedDevice::create({.seed = seed, .queues = 3, .eager = seed % 2 == 0});
    auto session = *Session::create(*Plan::compile(graph, {.batch_size = 5, .has_device = true}), options);
    const auto delivery = session->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    for (size_t i = 0; i < delivery->samples.size(); ++i) {
      const operators::SampleIdentity& identity = delivery->samples[i].identity;
      const auto again = session->replay(identity.epoch, identity.position);
      ASSERT_TRUE(again.ok()) << again.status();
      const tensor::Tensor& delivered = delivery->outputs[0][static_cast<int>(i)];
      ASSERT_EQ((*again)[0].spec(), delivered.spec());
      EXPECT_EQ(std::memcmp((*again)[0].data(), delivered.data(), delivered.size_bytes()), 0)
          << "seed " << seed;
    }
    session->close();
    EXPECT_TRUE(session->await_end().ok());
  }
}

TEST(Device, WhatAnotherRankReadsCanBeReplayed) {
  FileFolder folder(8);
  const auto replayed = [&](bool on_device) {
    const Graph graph = arithmetic_graph(folder, on_device, 2);
    SessionOptions options;
    options.device = on_device ? *SimulatedDevice::create({.queues = 3}) : nullptr;
    const auto session = *Session::create(*Plan::compile(graph, {.has_device = on_device}), options);
    std::vector<std::string> all;
    for (int64_t position = 0; position < 8; ++position) {
      const auto outputs = session->replay(0, position);
      EXPECT_TRUE(outputs.ok()) << outputs.status();
      all.emplace_back(static_cast<const char*>((*outputs)[0].data()), (*outputs)[0].size_bytes());
    }
    session->close();
    EXPECT_TRUE(session->await_end().ok());
    return all;
  };
  EXPECT_EQ(replayed(true), replayed(false));
}

/// Tasks run on the test's thread when it steps, and the device works only when it is waited for.
class SteppedDevice : public ::testing::Test {
 protected:
  static constexpr size_t kBatch = 5;
  static constexpr size_t kOnDevice = kBatch * 4;  // actions of a batch of the arithmetic graph

  std::unique_ptr<Session> open() {
    auto plan = Plan::compile(arithmetic_graph(folder_, true), {.batch_size = kBatch, .has_device = true});
    SessionOptions options;
    options.prefetch_depth = 1;
    options.engine = engine_;
    options.device = device_;
    return *Session::create(*plan, std::move(options));
  }

  // What a closed session has left on the queues: the engine has no workers that would see to it.
  void TearDown() override {
    EXPECT_TRUE(device_->synchronize().ok());
    while (engine_->step()) {
    }
  }

  FileFolder folder_{17};
  std::shared_ptr<SimulatedDevice> device_ = *SimulatedDevice::create({.eager = false});
  std::shared_ptr<engine::Engine> engine_ =
      std::make_shared<engine::Engine>(engine::EngineOptions{.workers = 0});
};

TEST_F(SteppedDevice, SamplesGiveTheirWorkerBackWhileTheDeviceWorks) {
  const auto session = open();
  session->prefetch();
  size_t most = 0;
  while (engine_->step()) {
    most = std::max(most, device_->pending());
  }
  EXPECT_EQ(most, kOnDevice) << "the whole batch is on the device before anybody waits for it";
}

TEST_F(SteppedDevice, ClosingWaitsForNothingAndMemoryIsHeldUntilTheDeviceIsDone) {
  for (const bool is_destroyed : {false, true}) {
    auto session = open();
    session->prefetch();
    while (device_->pending() < kOnDevice) {
      ASSERT_TRUE(engine_->step());
    }
    session->close();
    EXPECT_GT(session->budget().working_bytes(), 0u);
    if (is_destroyed) {
      session.reset();
    }
    EXPECT_EQ(device_->pending(), kOnDevice);
    EXPECT_GT(device_->bytes_in_use(), 0u);
    while (engine_->step()) {
    }
    EXPECT_EQ(engine_->pending_tasks(), 0u);
    EXPECT_EQ(device_->pending(), 0u);
    EXPECT_EQ(device_->bytes_in_use(), 0u);
    if (session != nullptr) {
      EXPECT_EQ(session->budget().working_bytes(), 0u);
    }
  }
}

TEST_F(SteppedDevice, ShutdownWithWorkOnTheDeviceLeavesNothing) {
  const auto session = open();
  session->prefetch();
  while (device_->pending() < kOnDevice) {
    ASSERT_TRUE(engine_->step());
  }
  engine_->shutdown();
  EXPECT_EQ(device_->pending(), 0u);
  EXPECT_FALSE(session->run().ok());
}

TEST_F(SteppedDevice, SamplesWaitForEachOthersMemoryOnTheDevice) {
  const std::vector<std::string> expected = results(arithmetic_graph(folder_, false), nullptr, 1);
  device_ =
      *SimulatedDevice::create({.memory_bytes = 4096, .eager = false});  // enough for five samples at once
  EXPECT_EQ(results(arithmetic_graph(folder_, true), device_, 1, engine_), expected);
  while (engine_->step()) {
  }
  EXPECT_EQ(device_->bytes_in_use(), 0u);
  EXPECT_EQ(results(arithmetic_graph(folder_, true), device_, 3), expected);
}

TEST_F(SteppedDevice, AQueueThatFailsIsAnErrorOfItsSamplesAndOfNoLaterSession) {
  const std::vector<std::string> expected = results(arithmetic_graph(folder_, false), nullptr, 1);
  device_->fail_calls(memory::DriverCall::kWait, unavailable("the bus is gone"));
  {
    const auto session = open();
    EXPECT_THAT(std::string(message(session->run().status())), HasSubstr("the bus is gone"));
    EXPECT_THAT(session->errors().errors()[0].context.operator_name, HasSubstr("cpu"));
    EXPECT_GT(device_->bytes_in_use(), 0u) << "nobody knows whether the device still uses it";
  }
  device_->fail_calls(memory::DriverCall::kWait, ok_status());
  EXPECT_EQ(results(arithmetic_graph(folder_, true), device_, 1, engine_), expected);
}

TEST_F(SteppedDevice, AQueueWithoutPointsIsWaitedForToItsEnd) {
  device_->fail_calls(memory::DriverCall::kRecord, unavailable("no points"));
  const auto session = open();
  EXPECT_TRUE(session->run().ok());
}

// Writes one byte: the sample's position, or the tensor argument, which the host reads.
struct WriteByte final : operators::Operator {
  explicit WriteByte(bool echoes) : echoes(echoes) {}
  Status run(operators::Sample&) const override { return internal_error("only on devices"); }
  bool runs_on_devices() const override { return true; }
  Status output_specs(const operators::Sample&, std::span<tensor::TensorSpec> specs) const override {
    specs[0] = {{1}, tensor::DType::kUint8, {}};
    return ok_status();
  }
  Status launch(std::span<operators::Sample> group, operators::LaunchQueue& queue) const override {
    for (operators::Sample& sample : group) {
      const auto position = static_cast<uint8_t>(sample.identity().position + 1);
      const Arguments arguments{sample.result(0).mutable_data(),
                                echoes ? *sample.argument(0).view().as<uint8_t>() : position};
      FOREBAY_RETURN_IF_ERROR(queue.launch("write", write, 1, arguments));
    }
    return ok_status();
  }
  struct Arguments {
    void* out;
    uint8_t value;
  };
  static void write(const void* arguments, int64_t) {
    const auto* given = static_cast<const Arguments*>(arguments);
    *static_cast<uint8_t*>(given->out) = given->value;
  }
  const bool echoes;
};

TEST_F(SteppedDevice, WhatTheHostReadsForALaunchHasComeFromTheDevice) {
  Graph graph;
  const auto add = [&](std::string op, std::string name, std::vector<Edge> inputs,
                       std::map<std::string, Value> constants = {}, Device device = Device::kCpu) -> Edge {
    return {*graph.add({.op = std::move(op),
                        .name = std::move(name),
                        .device = device,
                        .inputs = std::move(inputs),
                        .constants = std::move(constants)}),
            0};
  };
  const std::map<std::string, Value> to_float{{"dtype", static_cast<int64_t>(tensor::DType::kFloat)}};
  const Edge reader = add("readers.file", "reader", {}, {{"files", folder_.files()}});
  const Edge there = add(std::string(kCopyToDevice), "there", {reader});
  const Edge first = add("cast", "first", {there}, to_float, Device::kGpu);
  const Edge seen = add(std::string(kCopyToHost), "seen", {first});
  const Edge second = add("cast", "second", {there}, to_float, Device::kGpu);
  const Edge back = add(std::string(kCopyToHost), "back", {second});
  ASSERT_TRUE(graph.set_outputs({seen, back}).ok());
  const auto plan = *Plan::compile(graph, {.batch_size = kBatch, .has_device = true});
  replace_operator(*plan, "first", std::make_shared<WriteByte>(false));
  replace_operator(*plan, "second", std::make_shared<WriteByte>(true));
  std::map<std::string, Action*> actions;
  for (const Action& action : plan->phases()[0].steps[0].actions) {
    actions[action.name] = const_cast<Action*>(&action);  // the test made the plan
  }
  actions["second"]->arguments = {actions["seen"]->outputs[0]};
  SessionOptions options;
  options.engine = engine_;
  options.device = device_;
  const auto session = *Session::create(plan, options);
  const auto delivery = session->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  for (int i = 0; i < static_cast<int>(kBatch); ++i) {
    EXPECT_EQ(*delivery->outputs[1][i].view().as<uint8_t>(), i + 1);
  }
}

TEST(Device, NothingStaysOnTheDevice) {
  FileFolder folder(17);
  auto device = SimulatedDevice::create({.seed = 1});
  results(arithmetic_graph(folder, true), *device, 2);
  EXPECT_TRUE((*device)->synchronize().ok());
  EXPECT_EQ((*device)->pending(), 0u);
}

TEST(Device, WithoutOneAGpuOperatorIsAClearError) {
  FileFolder folder(3);
  const auto plan = Plan::compile(arithmetic_graph(folder, true), {});
  EXPECT_EQ(plan.status().code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(message(plan.status())), HasSubstr("no GPU back end"));
}

TEST(Device, AnOperatorWithoutADeviceSideIsRefusedByName) {
  FileFolder folder(3);
  Graph graph;
  Node reader;
  reader.op = "readers.file";
  reader.constants = {{"files", folder.files()}};
  const int read = *graph.add(reader);
  Node crossing;
  crossing.op = kCopyToDevice;
  crossing.inputs = {{read, 0}};
  const int crossed = *graph.add(crossing);
  Node shapes;
  shapes.op = "shapes";
  shapes.name = "extents";
  shapes.device = Device::kGpu;
  shapes.inputs = {{crossed, 0}};
  const int made = *graph.add(shapes);
  ASSERT_TRUE(graph.set_outputs({{made, 0}}).ok());
  PlanOptions options;
  options.has_device = true;
  const Status refused = Plan::compile(graph, options).status();
  EXPECT_EQ(refused.code(), StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(message(refused)), HasSubstr("extents"));
}

TEST(Device, CrossingsMustBeWritten) {
  FileFolder folder(3);
  Graph graph;
  Node reader;
  reader.op = "readers.file";
  reader.constants = {{"files", folder.files()}};
  const int read = *graph.add(reader);
  Node cast;
  cast.op = "cast";
  cast.constants = {{"dtype", static_cast<int64_t>(tensor::DType::kFloat)}};
  cast.device = Device::kGpu;
  cast.inputs = {{read, 0}};
  const int made = *graph.add(cast);
  ASSERT_TRUE(graph.set_outputs({{made, 0}}).ok());
  PlanOptions options;
  options.has_device = true;
  EXPECT_THAT(std::string(message(Plan::compile(graph, options).status())), HasSubstr(".gpu()"));
}

}  // namespace
}  // namespace forebay::pipeline
