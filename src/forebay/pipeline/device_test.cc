// Graphs that cross to a device and back, on the simulated one: whatever its schedule, the bits are those of
// the CPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

#include "forebay/pipeline/session.h"
#include "forebay/pipeline/testing/files.h"

namespace forebay::pipeline {
namespace {

using testing::FileFolder;
using ::testing::HasSubstr;

// bytes -> float -> [device: negative -> cast -> ] -> host: added to a random number
Graph arithmetic_graph(const FileFolder& folder, bool on_device) {
  Graph graph;
  Node reader;
  reader.op = "readers.file";
  reader.constants = {{"files", folder.files()}, {"random_shuffle", true}};
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

std::vector<std::string> results(const Graph& graph, std::shared_ptr<memory::SimulatedDevice> device,
                                 int threads) {
  PlanOptions plan_options;
  plan_options.batch_size = 5;
  plan_options.has_device = device != nullptr;
  auto plan = Plan::compile(graph, plan_options);
  EXPECT_TRUE(plan.ok()) << plan.status();
  SessionOptions options;
  options.num_threads = threads;
  options.device = std::move(device);
  auto session = Session::create(*plan, std::move(options));
  std::vector<std::string> all;
  for (int batch = 0; batch < 4; ++batch) {
    auto delivery = (*session)->run();
    EXPECT_TRUE(delivery.ok()) << delivery.status();
    for (const tensor::Tensor& sample : delivery->outputs[0].samples()) {
      all.emplace_back(static_cast<const char*>(sample.data()), sample.size_bytes());
    }
  }
  return all;
}

TEST(Device, SameBitsAsTheHostForAnySchedule) {
  FileFolder folder(17);
  const std::vector<std::string> expected = results(arithmetic_graph(folder, false), nullptr, 2);
  const Graph graph = arithmetic_graph(folder, true);
  for (uint64_t seed = 0; seed < 30; ++seed) {
    auto device = memory::SimulatedDevice::create({.seed = seed, .queues = 3, .eager = seed % 2 == 0});
    ASSERT_TRUE(device.ok()) << device.status();
    EXPECT_EQ(results(graph, *device, 1 + static_cast<int>(seed % 3)), expected) << "seed " << seed;
  }
}

TEST(Device, WhatIsReplayedIsReady) {
  FileFolder folder(17);
  const Graph graph = arithmetic_graph(folder, true);
  for (uint64_t seed = 0; seed < 10; ++seed) {
    SessionOptions options;
    options.device = *memory::SimulatedDevice::create({.seed = seed, .queues = 3, .eager = seed % 2 == 0});
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
  }
}

TEST(Device, NothingStaysOnTheDevice) {
  FileFolder folder(17);
  auto device = memory::SimulatedDevice::create({.seed = 1});
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
