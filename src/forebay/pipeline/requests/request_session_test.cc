#include "forebay/pipeline/requests/request_session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <map>
#include <set>
#include <stdexcept>
#include <thread>

#include "forebay/pipeline/testing/operators.h"

namespace forebay::pipeline {
namespace {

using testing::FunctionOperator;
using ::testing::HasSubstr;

using Outputs = Result<std::vector<tensor::Tensor>>;

tensor::Tensor number_tensor(int64_t value, int64_t count = 1) {
  auto made = *tensor::Tensor::allocate({{count}, tensor::DType::kInt64, {}});
  std::fill_n(made.mutable_view().as<int64_t>(), count, value);
  return made;
}

int64_t number_in(const tensor::Tensor& tensor) {
  return *tensor.view().as<int64_t>();
}

/// An answer that can be waited for.
struct Awaited {
  std::promise<Outputs> promise;
  std::future<Outputs> future = promise.get_future();
};

class RequestSessionTest : public ::testing::Test {
 protected:
  /// "feed" -> "work", of type `op`; and a random number.
  std::shared_ptr<const Plan> plan(FunctionOperator::Function work = {}, std::string_view op = "copy",
                                   std::map<std::string, Value> constants = {}) {
    Graph graph;
    Node feed;
    feed.op = kExternalSource;
    feed.name = "feed";
    feed_ = *graph.add(feed);
    Node worker;
    worker.op = op;
    worker.name = "work";
    worker.inputs = {{feed_, 0}};
    worker.constants = std::move(constants);
    work_ = *graph.add(worker);
    Node uniform;
    uniform.op = "random.uniform";
    const int drawn = *graph.add(uniform);
    EXPECT_TRUE(graph.set_outputs({{work_, 0}, {drawn, 0}}).ok());
    PlanOptions options{.batch_size = 4, .seed = 7};
    if (work) {
      options.replaced_operators = {{"work", std::make_shared<FunctionOperator>(std::move(work))}};
    }
    auto made = Plan::compile(graph, options);
    EXPECT_TRUE(made.ok()) << made.status();
    return *made;
  }

  static std::unique_ptr<RequestSession> open(const std::shared_ptr<const Plan>& plan,
                                              SessionOptions options = {}, int most = 100) {
    options.num_threads = std::max(options.num_threads, 3);
    auto session = RequestSession::create(plan, std::move(options), most);
    EXPECT_TRUE(session.ok()) << session.status();
    return *std::move(session);
  }

  Request request(int64_t key, int64_t value = 0, int64_t deadline_ns = kNoDeadline) const {
    return {.key = key, .inputs = {{feed_, {number_tensor(value)}}}, .deadline_ns = deadline_ns};
  }

  static Outputs ask(RequestSession& session, Request request) {
    Awaited awaited;
    const Status taken = session.submit(
        std::move(request), [&](Outputs outputs) { awaited.promise.set_value(std::move(outputs)); });
    return taken.ok() ? awaited.future.get() : taken;
  }

  int feed_ = -1;
  int work_ = -1;
};

/// Requests whose number becomes a float on a device.
class DeviceRequestTest : public RequestSessionTest {
 protected:
  std::shared_ptr<const Plan> device_plan() {
    Graph graph;
    const auto add = [&graph](std::string_view op, const std::vector<Edge>& inputs,
                              Device device = Device::kCpu) -> Edge {
      Node node;
      node.op = op;
      node.inputs = inputs;
      node.device = device;
      if (op == "cast") {
        node.constants = {{"dtype", static_cast<int64_t>(tensor::DType::kFloat)}};
      }
      return {*graph.add(node), 0};
    };
    const Edge feed = add(kExternalSource, {});
    feed_ = feed.node;
    const Edge there = add(kCopyToDevice, {feed});
    const Edge cast = add("cast", {there}, Device::kGpu);
    EXPECT_TRUE(graph.set_outputs({add(kCopyToHost, {cast})}).ok());
    auto made = Plan::compile(graph, {.has_device = true});
    EXPECT_TRUE(made.ok()) << made.status();
    return *made;
  }

  std::shared_ptr<memory::SimulatedDevice> device_ = *memory::SimulatedDevice::create({.eager = false});
};

TEST_F(DeviceRequestTest, RequestsGoThroughTheDevice) {
  const auto session = open(device_plan(), {.device = device_});
  std::vector<Awaited> answers(40);
  for (int64_t key = 0; key < 40; ++key) {
    ASSERT_TRUE(
        session
            ->submit(request(key, 100 + key),
                     [&, key](Outputs outputs) { answers[key].promise.set_value(std::move(outputs)); })
            .ok());
  }
  for (int64_t key = 0; key < 40; ++key) {
    const Outputs outputs = answers[key].future.get();
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ(*(*outputs)[0].view().as<float>(), static_cast<float>(100 + key));
  }
  session->close();
  EXPECT_TRUE(session->await_end().ok());
}

TEST_F(DeviceRequestTest, ClosingAnswersAtOnceAndTheDeviceFinishesItsWork) {
  const auto engine = std::make_shared<engine::Engine>(engine::EngineOptions{.workers = 0});
  const auto session = open(device_plan(), {.engine = engine, .device = device_});
  std::vector<Status> answers;
  for (int64_t key = 0; key < 3; ++key) {
    ASSERT_TRUE(
        session->submit(request(key), [&](const Outputs& outputs) { answers.push_back(outputs.status()); })
            .ok());
  }
  constexpr size_t kOnDevice = 3 * 3;
  while (device_->pending() < kOnDevice) {
    ASSERT_TRUE(engine->step()) << "all requests are on the device before anybody waits for it";
  }
  session->close();
  ASSERT_EQ(answers.size(), 3u);
  EXPECT_EQ(answers[0].code(), StatusCode::kCancelled);
  EXPECT_EQ(device_->pending(), kOnDevice);
  while (engine->step()) {
  }
  EXPECT_EQ(answers.size(), 3u);
  EXPECT_EQ(engine->pending_tasks(), 0u);
  EXPECT_EQ(device_->bytes_in_use(), 0u);
}

TEST_F(RequestSessionTest, AKeyGivesTheSameBitsWhateverElseRuns) {
  const auto made = plan();
  std::map<int64_t, float> expected;
  const auto alone = open(made, {.num_threads = 1});
  for (int64_t key = 0; key < 40; ++key) {
    const Outputs outputs = ask(*alone, request(key, 100 + key));
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_EQ(number_in((*outputs)[0]), 100 + key);
    expected[key] = *(*outputs)[1].view().as<float>();
  }
  EXPECT_GT(std::set<float>({expected[0], expected[1], expected[2]}).size(), 1u);
  const auto session = open(made);
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int thread = 0; thread < 4; ++thread) {
    threads.emplace_back([&, thread] {
      for (int64_t i = 0; i < 40; ++i) {
        const int64_t key = (i * 7 + thread * 11) % 40;
        const Outputs outputs = ask(*session, request(key, 100 + key));
        wrong += !outputs.ok() || *(*outputs)[1].view().as<float>() != expected.at(key);
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

// A session of batches gives the samples of an epoch the positions 0, 1, ...
TEST_F(RequestSessionTest, AKeyIsAPosition) {
  struct Feed final : ExternalFeed {
    Result<std::vector<std::vector<tensor::Tensor>>> next(const FeedRequest&) override {
      return std::vector<std::vector<tensor::Tensor>>{
          {number_tensor(0), number_tensor(0), number_tensor(0), number_tensor(0)}};
    }
  };
  const auto made = plan();
  const auto batches = *Session::create(made, {.feeds = {{feed_, std::make_shared<Feed>()}}});
  const auto requests = open(made);
  const auto delivery = batches->run();
  ASSERT_TRUE(delivery.ok()) << delivery.status();
  for (int i = 0; i < 4; ++i) {
    const Outputs outputs = ask(*requests, request(i));
    ASSERT_TRUE(outputs.ok()) << outputs.status();
    EXPECT_TRUE(std::ranges::equal((*outputs)[1].bytes(), delivery->outputs[1][i].bytes()));
  }
}

TEST_F(RequestSessionTest, AnEpochHasRandomNumbersOfItsOwn) {
  const auto session = open(plan());
  const auto drawn = [&](int64_t epoch) {
    Request asked = request(5);
    asked.epoch = epoch;
    const Outputs outputs = ask(*session, std::move(asked));
    const Bytes bytes = (*outputs)[1].bytes();
    return std::vector<std::byte>(bytes.begin(), bytes.end());
  };
  EXPECT_EQ(drawn(0), drawn(0));
  EXPECT_EQ(drawn(3), drawn(3));
  EXPECT_NE(drawn(0), drawn(3));
  Request asked = request(5);
  asked.epoch = -1;
  EXPECT_THAT(std::string(message(ask(*session, std::move(asked)).status())), HasSubstr("epoch -1"));
}

TEST_F(RequestSessionTest, AnErrorIsItsRequestsOwn) {
  const auto session = open(plan([](operators::Sample& sample) -> Status {
    if (number_in(sample.input(0)) == 13) {
      throw std::length_error("far too long");
    }
    sample.forward(0, sample.input(0));
    return ok_status();
  }));
  std::vector<Awaited> awaited(40);
  for (int64_t key = 0; key < 40; ++key) {
    ASSERT_TRUE(
        session
            ->submit(request(key, key),
                     [&, key](Outputs outputs) { awaited[key].promise.set_value(std::move(outputs)); })
            .ok());
  }
  for (int64_t key = 0; key < 40; ++key) {
    const Outputs outputs = awaited[key].future.get();
    EXPECT_EQ(outputs.ok(), key != 13);
    if (!outputs.ok()) {
      EXPECT_THAT(std::string(message(outputs.status())), HasSubstr("far too long"));
      EXPECT_EQ(context_of(outputs.status())->position, 13);
      EXPECT_EQ(context_of(outputs.status())->operator_name, "work");
    }
  }
}

TEST_F(RequestSessionTest, AFunctionOfTheUserIsCalledForEach) {
  struct Doubling final : HostFunction {
    Status run(std::span<FunctionSample> samples) override {
      const int64_t value = number_in(samples[0].inputs[0]);
      if (samples.size() != 1 || value == 3) {
        throw std::runtime_error("three");
      }
      samples[0].outputs = {number_tensor(2 * value)};
      return ok_status();
    }
  };
  const auto made = plan({}, kHostFunction);
  const auto session = open(made, {.functions = {{work_, std::make_shared<Doubling>()}}});
  EXPECT_EQ(number_in((*ask(*session, request(0, 21)))[0]), 42);
  EXPECT_THAT(std::string(message(ask(*session, request(1, 3)).status())), HasSubstr("three"));
  EXPECT_EQ(number_in((*ask(*session, request(2, 4)))[0]), 8);
}

/// With tasks that run when the test says so.
class SteppedRequestsTest : public RequestSessionTest {
 protected:
  SessionOptions stepped() { return {.engine = engine_, .clock = &clock_}; }
  void run_all() const {
    while (engine_->step()) {
    }
  }
  /// Notes the code of each answer by key.
  Status submit(RequestSession& session, int64_t key, int64_t deadline_ns = kNoDeadline) {
    return session.submit(request(key, key, deadline_ns), [this, key](const Outputs& outputs) {
      EXPECT_TRUE(answers_.emplace(key, outputs.status().code()).second) << "answered twice";
    });
  }

  SteppedClock clock_;
  std::shared_ptr<engine::Engine> engine_ =
      std::make_shared<engine::Engine>(engine::EngineOptions{.workers = 0, .clock = &clock_});
  std::map<int64_t, StatusCode> answers_;
};

TEST_F(SteppedRequestsTest, NothingIsDoneAfterADeadline) {
  int calls = 0;
  const auto session = open(plan([&](operators::Sample& sample) {
                              ++calls;
                              clock_.advance_ns(10);
                              sample.forward(0, sample.input(0));
                              return ok_status();
                            }),
                            stepped());
  ASSERT_TRUE(submit(*session, 0, 100).ok());
  ASSERT_TRUE(submit(*session, 1, 5).ok());   // passes while the first runs
  ASSERT_TRUE(submit(*session, 2, 20).ok());  // passes while it runs itself
  run_all();
  EXPECT_EQ(answers_, (std::map<int64_t, StatusCode>{{0, StatusCode::kOk},
                                                     {1, StatusCode::kDeadlineExceeded},
                                                     {2, StatusCode::kDeadlineExceeded}}));
  EXPECT_EQ(calls, 2);
}

TEST_F(SteppedRequestsTest, ARequestSaysWhenItBegan) {
  const auto session = open(plan([&](operators::Sample& sample) {
                              clock_.advance_ns(10);
                              sample.forward(0, sample.input(0));
                              return ok_status();
                            }),
                            stepped());
  const int64_t came_ns = clock_.now_ns();
  const auto shared = std::make_shared<std::atomic<int64_t>>(0);
  const auto alone = std::make_shared<std::atomic<int64_t>>(0);
  for (const auto& begun : {shared, shared, alone}) {
    Request each = request(0, 0, kNoDeadline);
    each.begun_ns = begun;
    ASSERT_TRUE(session->submit(std::move(each), [](const Outputs&) {}).ok());
  }
  clock_.advance_ns(5);
  EXPECT_EQ(*shared, 0);
  run_all();
  EXPECT_EQ(*shared - came_ns, 5);
  EXPECT_EQ(*alone - came_ns, 25);
}

TEST_F(SteppedRequestsTest, ADeadlineIsSeenWhenAnotherIsSubmitted) {
  const auto session = open(plan(), stepped(), 1);
  ASSERT_TRUE(submit(*session, 0, 5).ok());
  EXPECT_EQ(submit(*session, 1).code(), StatusCode::kResourceExhausted);
  clock_.advance_ns(5);
  EXPECT_TRUE(submit(*session, 2).ok());
  EXPECT_EQ(answers_, (std::map<int64_t, StatusCode>{{0, StatusCode::kDeadlineExceeded}}));
  run_all();
  EXPECT_EQ(answers_.at(2), StatusCode::kOk);
  EXPECT_FALSE(answers_.contains(1));
}

TEST_F(SteppedRequestsTest, NoMoreAreTakenThanMayBeUnderWay) {
  const auto session = open(plan(), stepped(), 2);
  EXPECT_TRUE(submit(*session, 0).ok());
  EXPECT_TRUE(submit(*session, 1).ok());
  EXPECT_EQ(submit(*session, 2).code(), StatusCode::kResourceExhausted);
  EXPECT_EQ(session->under_way(), 2);
  run_all();
  EXPECT_EQ(session->under_way(), 0);
  EXPECT_TRUE(submit(*session, 3).ok());
  run_all();
  EXPECT_EQ(answers_.size(), 3u);
}

TEST_F(SteppedRequestsTest, ClosingAnswersAll) {
  int calls = 0;
  const auto session = open(plan([&](operators::Sample& sample) {
                              ++calls;
                              sample.forward(0, sample.input(0));
                              return ok_status();
                            }),
                            stepped());
  for (int64_t key = 0; key < 5; ++key) {
    ASSERT_TRUE(submit(*session, key).ok());
  }
  session->close();
  EXPECT_EQ(answers_.size(), 5u);
  for (const auto& [key, code] : answers_) {
    EXPECT_EQ(code, StatusCode::kCancelled);
  }
  EXPECT_EQ(submit(*session, 5).code(), StatusCode::kFailedPrecondition);
  run_all();
  EXPECT_EQ(calls, 0);
}

TEST_F(RequestSessionTest, EachIsAnsweredOnceWhenClosedInFlight) {
  const auto made = plan();
  for (int round = 0; round < 100; ++round) {
    const auto session = open(made);
    std::vector<std::atomic<int>> answers(60);
    std::vector<std::thread> threads;
    std::atomic<int> taken{0};
    for (int thread = 0; thread < 3; ++thread) {
      threads.emplace_back([&, thread] {
        for (int i = thread * 20; i < thread * 20 + 20; ++i) {
          taken += session->submit(request(i), [&answers, i](const Outputs&) { ++answers[i]; }).ok();
        }
      });
    }
    session->close();
    for (std::thread& thread : threads) {
      thread.join();
    }
    ASSERT_TRUE(session->await_end().ok());
    int answered = 0;
    for (const std::atomic<int>& count : answers) {
      EXPECT_LE(count, 1);
      answered += count;
    }
    EXPECT_EQ(answered, taken);
  }
}

TEST_F(RequestSessionTest, TheMemoryLimitIsKept) {
  const auto made = plan([](operators::Sample& sample) -> Status {
    const int64_t count = number_in(sample.input(0));
    FOREBAY_ASSIGN_OR_RETURN(const auto scratch, sample.scratch(count * sizeof(int64_t)));
    FOREBAY_ASSIGN_OR_RETURN(auto output, sample.output(0, {{count}, tensor::DType::kInt64, {}}));
    std::ranges::fill(scratch, std::byte{0});
    std::ranges::copy(scratch, output.bytes().begin());
    return ok_status();
  });
  constexpr uint64_t kLimit = 4000;
  const auto session = open(made, {.num_threads = 4, .memory_limit_bytes = kLimit});
  std::vector<Awaited> awaited(60);
  for (int64_t key = 0; key < 60; ++key) {
    const int64_t count = key % 20 == 7 ? 1000 : 100 + key;  // 7: more than the limit
    ASSERT_TRUE(
        session
            ->submit(request(key, count),
                     [&, key](Outputs outputs) { awaited[key].promise.set_value(std::move(outputs)); })
            .ok());
  }
  for (int64_t key = 0; key < 60; ++key) {
    const Outputs outputs = awaited[key].future.get();
    if (key % 20 == 7) {
      EXPECT_EQ(outputs.status().code(), StatusCode::kResourceExhausted);
      EXPECT_THAT(std::string(message(outputs.status())), HasSubstr("memory limit of 4000 bytes"));
    } else {
      EXPECT_TRUE(outputs.ok()) << outputs.status();
    }
  }
  EXPECT_LE(session->budget().peak_working_bytes(), kLimit);
}

TEST_F(RequestSessionTest, RefusesGraphsThatAreNotOfSingleSamples) {
  const auto refused = [&](const std::shared_ptr<const Plan>& plan) {
    const auto session = RequestSession::create(plan, {}, 1);
    EXPECT_EQ(session.status().code(), StatusCode::kUnimplemented);
    return std::string(message(session.status()));
  };
  EXPECT_THAT(refused(plan({}, "permute_batch", {{"indices", std::vector<int64_t>{1, 0}}})),
              HasSubstr("'work'"));
  EXPECT_THAT(refused(plan({}, "keep", {{"where", true}})), HasSubstr("'work'"));
  EXPECT_THAT(refused(plan({}, kHostFunction, {{"batch_processing", true}})), HasSubstr("'work'"));
  Graph graph;
  Node reader;
  reader.op = "readers.file";
  reader.name = "reader";
  reader.constants["files"] = std::vector<std::string>{"nowhere"};
  ASSERT_TRUE(graph.set_outputs({{*graph.add(reader), 0}}).ok());
  EXPECT_THAT(refused(*Plan::compile(graph, {})), HasSubstr("'reader'"));
}

TEST_F(RequestSessionTest, RefusesInputsThatAreNotTheFeeds) {
  const auto session = open(plan());
  EXPECT_THAT(std::string(message(ask(*session, {.key = 0, .inputs = {}}).status())), HasSubstr("'feed'"));
  Request twice = request(0);
  twice.inputs[feed_].push_back(number_tensor(1));
  EXPECT_THAT(std::string(message(ask(*session, std::move(twice)).status())),
              HasSubstr("2 tensors, 1 expected"));
  Request unknown = request(0);
  unknown.inputs[feed_ + 1] = {number_tensor(1)};
  EXPECT_EQ(ask(*session, std::move(unknown)).status().code(), StatusCode::kInvalidArgument);
  EXPECT_EQ(ask(*session, request(-1)).status().code(), StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace forebay::pipeline
