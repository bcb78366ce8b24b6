// Samples whose bytes a store has in memory: they are used where they lie, and belong to the store.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/memory/copy.h"
#include "forebay/pipeline/session/session.h"
#include "forebay/pipeline/testing/operators.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/stores/store_registry.h"
#include "forebay/storage/testing/threads_store.h"

namespace forebay::pipeline {
namespace {

constexpr int kResidentFiles = 6;
constexpr size_t kFileBytes = 100'000;

/// Has only objects with an even number in memory, as far as leases go.
class HalfResidentStore final : public storage::ForwardingStore {
 public:
  explicit HalfResidentStore(std::shared_ptr<storage::ObjectStore> inner)
      : ForwardingStore(std::move(inner)) {}

  void read(storage::ReadRequest request, const storage::CallContext& context,
            storage::ReadCallback done) override {
    ++(request.only_resident ? leases_ : reads_);
    if (request.only_resident && request.key.back() % 2 != 0) {
      done(failed_precondition("{}: not in memory", request.key));
      return;
    }
    inner().read(std::move(request), context, std::move(done));
  }

  int leases() const { return leases_; }
  int reads() const { return reads_; }

 private:
  std::atomic<int> leases_{0};
  std::atomic<int> reads_{0};
};

/// A function's input is overwritten, as a user's function may do.
class OverwritingFunction final : public HostFunction {
 public:
  Status run(std::span<FunctionSample> samples) override {
    for (FunctionSample& sample : samples) {
      sample.outputs = {*tensor::Tensor::scalar<int64_t>(*static_cast<const char*>(sample.inputs[0].data()))};
      std::fill_n(static_cast<char*>(sample.inputs[0].mutable_data()), sample.inputs[0].size_bytes(), '#');
    }
    return ok_status();
  }
};

class ResidentTest : public ::testing::Test {
 protected:
  ResidentTest() {
    for (int i = 0; i < kResidentFiles; ++i) {
      const std::string content = content_of(i);
      EXPECT_TRUE(storage::write_now(*memory_, std::to_string(i), std::as_bytes(std::span(content))).ok());
    }
    mount(memory_);
  }
  ~ResidentTest() override { EXPECT_TRUE(storage::default_registry().unmount("mem://resident/").ok()); }

  static std::string content_of(int file) {
    return std::string(kFileBytes + static_cast<size_t>(file), static_cast<char>('a' + file));
  }
  static void mount(std::shared_ptr<storage::ObjectStore> store) {
    storage::default_registry().unmount("mem://resident/").IgnoreError();
    storage::default_registry().mount("mem://resident/", std::move(store));
  }

  static Edge add_reader(Graph* graph) {
    std::vector<std::string> paths;
    for (int i = 0; i < kResidentFiles; ++i) {
      paths.push_back("mem://resident/" + std::to_string(i));
    }
    Node reader;
    reader.op = "readers.file";
    reader.constants["files"] = std::move(paths);
    return {*graph->add(reader), 0};
  }
  static Edge add(Graph* graph, const std::string& op, Edge input,
                  std::map<std::string, Value> constants = {}) {
    Node node;
    node.op = op;
    node.name = op + "_here";
    node.inputs = {input};
    node.constants = std::move(constants);
    return {*graph->add(node), 0};
  }

  static std::unique_ptr<Session> open(const std::shared_ptr<const Plan>& plan, SessionOptions options = {}) {
    options.num_threads = 2;
    auto session = Session::create(plan, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }

  /// A graph that gives each file's first byte.
  static std::shared_ptr<const Plan> first_bytes() {
    Graph graph;
    const Edge first = add(&graph, "cast", add_reader(&graph), {{"dtype", int64_t{0}}});
    EXPECT_TRUE(graph.set_outputs({first}).ok());
    auto plan = *Plan::compile(graph, {.batch_size = kResidentFiles});
    testing::replace_operator(*plan, "cast_here", [](operators::Sample& sample) -> Status {
      FOREBAY_ASSIGN_OR_RETURN(auto out, sample.output(0, {{1}, tensor::DType::kUint8, {}}));
      *out.as<uint8_t>() = *static_cast<const uint8_t*>(sample.input(0).data());
      return ok_status();
    });
    return plan;
  }
  static std::string text_of(const tensor::Tensor& tensor) {
    return {static_cast<const char*>(tensor.data()), tensor.size_bytes()};
  }
  static std::string all_of(const Delivery& delivery) {
    std::string text;
    for (const tensor::Tensor& sample : delivery.outputs[0].samples()) {
      text += text_of(sample);
    }
    return text;
  }

  const std::shared_ptr<storage::MemoryStore> memory_ = std::make_shared<storage::MemoryStore>();
};

TEST_F(ResidentTest, NothingIsCopied) {
  const auto session = open(first_bytes());
  const uint64_t copied = memory::bytes_copied();
  const auto delivery = session->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  EXPECT_EQ(all_of(*delivery), "abcdef");
  EXPECT_LT(memory::bytes_copied() - copied, kFileBytes);
}

TEST_F(ResidentTest, WhatLiesInMemoryTakesNoneOfTheSessionsMemory) {
  const auto session = open(first_bytes(), {.memory_limit_bytes = kFileBytes / 2});
  const auto delivery = session->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  EXPECT_EQ(all_of(*delivery), "abcdef");
}

TEST_F(ResidentTest, WhatDoesNotIsReadAndReserved) {
  const auto half = std::make_shared<HalfResidentStore>(memory_);
  for (const bool is_far : {false, true}) {
    mount(is_far ? std::shared_ptr<storage::ObjectStore>(std::make_shared<storage::ThreadsStore>(half))
                 : half);
    const auto session = open(first_bytes());
    const int leases = half->leases();
    const int reads = half->reads();
    const auto delivery = session->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    EXPECT_EQ(all_of(*delivery), "abcdef");
    session->close();
    ASSERT_TRUE(session->await_end().ok());
    EXPECT_GE(half->leases() - leases, kResidentFiles);
    EXPECT_GE(half->reads() - reads, kResidentFiles / 2);
  }
  mount(half);
  const auto session = open(first_bytes(), {.memory_limit_bytes = kFileBytes / 2});
  EXPECT_EQ(session->run().status().code(), StatusCode::kResourceExhausted);
}

TEST_F(ResidentTest, ALeaseThatFailsOtherwiseIsTheSamplesError) {
  EXPECT_TRUE(storage::remove_now(*memory_, "3").ok());
  const auto session = open(first_bytes());
  const Status status = session->run().status();
  EXPECT_EQ(status.code(), StatusCode::kNotFound) << status;
  EXPECT_THAT(std::string(message(status)), ::testing::HasSubstr("mem://3"));
}

TEST_F(ResidentTest, WhatUsersAreGivenTheyMayWriteTo) {
  for (const std::string between : {"", "copy"}) {  // copy gives the memory of its input
    Graph graph;
    Edge out = add_reader(&graph);
    out = between.empty() ? out : add(&graph, between, out);
    ASSERT_TRUE(graph.set_outputs({out}).ok());
    const auto session = open(*Plan::compile(graph, {.batch_size = kResidentFiles}));
    for (int epoch = 0; epoch < 3; ++epoch) {
      const auto delivery = session->run();
      ASSERT_TRUE(delivery.ok()) << delivery.status();
      for (int i = 0; i < kResidentFiles; ++i) {
        const tensor::Tensor& sample = delivery->outputs[0][i];
        EXPECT_EQ(text_of(sample), content_of(i));
        std::fill_n(static_cast<char*>(sample.mutable_data()), sample.size_bytes(), '#');
      }
    }
  }
}

TEST_F(ResidentTest, FunctionsOfUsersMayWriteToTheirInputs) {
  Graph graph;
  Node function;
  function.op = kHostFunction;
  function.inputs = {add_reader(&graph)};
  const int node = *graph.add(function);
  ASSERT_TRUE(graph.set_outputs({{node, 0}}).ok());
  const auto session = open(*Plan::compile(graph, {.batch_size = kResidentFiles}),
                            {.functions = {{node, std::make_shared<OverwritingFunction>()}}});
  for (int epoch = 0; epoch < 3; ++epoch) {
    const auto delivery = session->run();
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    for (int i = 0; i < kResidentFiles; ++i) {
      EXPECT_EQ(*delivery->outputs[0][i].view().as<int64_t>(), 'a' + i);
    }
  }
}

}  // namespace
}  // namespace forebay::pipeline
