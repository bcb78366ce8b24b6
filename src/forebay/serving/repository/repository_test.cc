#include "forebay/serving/repository/repository.h"

#include <gmock/gmock.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <future>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>

#include "forebay/base/clock.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/serving/testing/twin_kind.h"
#include "forebay/storage/testing/stepped_timer.h"

namespace forebay::serving {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::int32_values;
using ::testing::IsEmpty;
using testing::TwinAnswer;
using testing::TwinLoader;
using testing::TwinPace;

constexpr int64_t kPatience_ns = int64_t{20} * 1000 * 1000 * 1000;

/// A folder of models, and a repository over it.
struct Served {
  TemporaryDirectory root;
  TwinLoader loader;
  RepositoryOptions options;
  std::unique_ptr<Repository> repository;

  explicit Served(ModelControl control = ModelControl::kNone, TwinPace pace = TwinPace::kAtOnce)
      : loader(pace) {
    options.root = root.path();
    options.control = control;
    options.kinds = {loader.kind()};
    options.unload_grace_ns = kPatience_ns;
  }

  void write(const std::string& path, const std::string& text) const {
    const std::filesystem::path whole = root / path;
    std::filesystem::create_directories(whole.parent_path());
    std::ofstream(whole) << text;
  }
  Status open() {
    Result<std::unique_ptr<Repository>> opened = Repository::open(options);
    if (!opened.ok()) {
      return opened.status();
    }
    repository = *std::move(opened);
    return repository->wait_until_started(steady_clock().now_ns() + kPatience_ns);
  }
  Result<InferResponse> infer(const std::string& model, const std::string& version = "",
                              int32_t value = 1) const {
    TwinAnswer answer;
    repository->infer(request(model, version, value), answer.answer());
    EXPECT_TRUE(answer.wait());
    return answer.get();
  }
  static InferRequest request(const std::string& model, const std::string& version, int32_t value) {
    InferRequest request = testing::twin_request(1, {value});
    request.model = model;
    request.version = version;
    request.id = "id";
    return request;
  }
  int32_t factor(const std::string& model, const std::string& version = "") const {
    const Result<InferResponse> response = infer(model, version);
    EXPECT_TRUE(response.ok()) << response.status();
    return response.ok() ? int32_values(response->outputs.at(0)).at(0) : 0;
  }
  std::string error(const std::string& model, const std::string& version = "") const {
    return std::string(message(infer(model, version).status()));
  }
  Status load(const std::string& name) const {
    return told([&](auto done) { repository->load(name, std::move(done)); });
  }
  Status unload(const std::string& name) const {
    return told([&](auto done) { repository->unload(name, std::move(done)); });
  }
  std::vector<std::string> states() const {
    std::vector<std::string> states;
    for (const ModelIndexEntry& entry : repository->index(false)) {
      states.push_back(entry.name + "/" + entry.version + " " + entry.state);
    }
    return states;
  }

  /// What a call says that tells its outcome on another thread.
  template <class Call>
  static Status told(Call&& call) {
    auto outcome = std::make_shared<std::promise<Status>>();
    std::future<Status> future = outcome->get_future();
    call([outcome](Status status) { outcome->set_value(std::move(status)); });
    const bool is_told = future.wait_for(std::chrono::nanoseconds(kPatience_ns)) == std::future_status::ready;
    return is_told ? future.get() : internal_error("nothing was told");
  }
};

constexpr const char* kTripleConfig = R"(
  platform: "ensemble"
  max_batch_size: 8
  input { name: "x" data_type: TYPE_INT32 dims: [ -1 ] }
  output { name: "y" data_type: TYPE_INT32 dims: [ -1 ] }
  ensemble_scheduling { step [
    { model_name: "two" model_version: -1 input_map { key: "x" value: "x" } output_map { key: "y" value: "t" } },
    { model_name: "three" model_version: -1 input_map { key: "x" value: "t" } output_map { key: "y" value: "y" } } ] })";

TEST(Repository, ServesWhatIsInTheFolder) {
  Served served;
  served.write("two/1/model.twin", "2");
  served.write("three/model.twin", "3");
  served.write("four.twin", "4");
  served.write("notes.txt", "no model");
  ASSERT_EQ(served.open(), ok_status());
  EXPECT_EQ(served.factor("two"), 2);
  EXPECT_EQ(served.factor("three"), 3);
  EXPECT_EQ(served.factor("four"), 4);
  EXPECT_TRUE(served.repository->is_live());
  EXPECT_TRUE(served.repository->is_ready());
  EXPECT_THAT(served.states(), ElementsAre("four/1 READY", "three/1 READY", "two/1 READY"));
  const Result<InferResponse> response = served.infer("two");
  EXPECT_EQ(response->model, "two");
  EXPECT_EQ(response->version, "1");
  EXPECT_EQ(response->id, "id");
}

TEST(Repository, VersionsAreThoseOfThePolicy) {
  Served served;
  for (const char* version : {"1", "3", "20", "x", "007"}) {
    served.write(std::string("latest/") + version + "/model.twin", version[0] == 'x' ? "9" : version);
    served.write(std::string("all/") + version + "/model.twin", version[0] == 'x' ? "9" : version);
    served.write(std::string("some/") + version + "/model.twin", version[0] == 'x' ? "9" : version);
  }
  served.write("all/config.pbtxt", "version_policy { all { } }");
  served.write("some/config.pbtxt", "version_policy { specific { versions: [ 1, 3 ] } }");
  ASSERT_EQ(served.open(), ok_status());
  EXPECT_THAT(served.states(), ElementsAre("all/1 READY", "all/3 READY", "all/20 READY", "latest/20 READY",
                                           "some/1 READY", "some/3 READY"));
  EXPECT_EQ(served.factor("latest"), 20);
  EXPECT_EQ(served.factor("some"), 3);
  EXPECT_EQ(served.factor("all", "1"), 1);
  EXPECT_THAT(served.repository->metadata("all", "3")->versions, ElementsAre("1", "3", "20"));
  EXPECT_THAT(served.error("some", "20"), AllOf(HasSubstr("no version '20'"), HasSubstr("1, 3")));
  EXPECT_EQ(served.infer("some", "20").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(served.infer("some", "x").status().code(), StatusCode::kNotFound);
}

TEST(Repository, AVersionThatIsNamedAndMissingIsAnError) {
  Served served;
  served.write("m/1/model.twin", "1");
  served.write("m/config.pbtxt", "version_policy { specific { versions: [ 2 ] } }");
  EXPECT_THAT(std::string(message(served.open())), HasSubstr("names version 2"));
  EXPECT_FALSE(served.repository->is_ready());
  EXPECT_THAT(served.error("m"), AllOf(HasSubstr("UNAVAILABLE"), HasSubstr("names version 2")));
}

TEST(Repository, UnknownModelsAreNamedWithTheNearest) {
  Served served;
  served.write("resnet/1/model.twin", "1");
  ASSERT_EQ(served.open(), ok_status());
  EXPECT_THAT(served.error("resne"), HasSubstr("is 'resnet' meant?"));
  EXPECT_EQ(served.infer("../resnet").status().code(), StatusCode::kNotFound);
  EXPECT_FALSE(served.repository->is_model_ready("resne", ""));
  EXPECT_TRUE(served.repository->is_model_ready("resnet", "1"));
  EXPECT_FALSE(served.repository->metadata("resne", "").ok());
}

TEST(Repository, RequestsAreCheckedAndCounted) {
  Served served;
  served.write("two/1/model.twin", "2");
  ASSERT_EQ(served.open(), ok_status());
  InferRequest wrong = Served::request("two", "", 1);
  wrong.inputs[0].name = "z";
  TwinAnswer refused;
  served.repository->infer(std::move(wrong), refused.answer());
  EXPECT_THAT(std::string(message(refused.get().status())),
              AllOf(HasSubstr("model 'two'"), HasSubstr("no input 'z'")));
  for (int i = 0; i < 3; ++i) {
    InferRequest request = testing::twin_request(2, {1, 2, 3, 4});
    request.model = "two";
    TwinAnswer answer;
    served.repository->infer(std::move(request), answer.answer());
    EXPECT_TRUE(answer.get().ok());
  }
  const ModelStatistics statistics = served.repository->statistics("two", "1")->at(0);
  EXPECT_EQ(statistics.success_count, 3);
  EXPECT_EQ(statistics.inference_count, 6);
  EXPECT_EQ(statistics.execution_count, 3);
  EXPECT_EQ(statistics.total.compute_ns, 21);
  EXPECT_GT(statistics.last_inference_ms, 0);
  EXPECT_EQ(served.repository->statistics("", "")->size(), 1);
  EXPECT_FALSE(served.repository->statistics("too", "").ok());
}

TEST(Repository, TheConfigurationIsShownAndLabelsAreRead) {
  Served served;
  served.write("m/1/model.twin", "1");
  served.write("m/labels.txt", "cat\ndog\r\n");
  served.write("m/config.pbtxt", R"(
    backend: "twin" max_batch_size: 4
    output { name: "y" dims: [ 2 ] label_filename: "labels.txt" })");
  ASSERT_EQ(served.open(), ok_status());
  const ModelMetadata metadata = served.repository->metadata("m", "").value();
  EXPECT_THAT(metadata.outputs[0].labels, ElementsAre("cat", "dog"));
  EXPECT_THAT(metadata.outputs[0].shape, ElementsAre(-1, 2));
  EXPECT_EQ(metadata.max_batch_size, 4);
  EXPECT_EQ(metadata.platform, "twin");
  const auto json = nlohmann::json::parse(served.repository->config_json("m", "").value());
  EXPECT_EQ(json["input"][0]["name"], "x");
  EXPECT_EQ(json["max_batch_size"], 4);
}

TEST(Repository, BrokenModelsSayWhyAndDisturbNoOther) {
  Served served;
  served.write("good/1/model.twin", "2");
  served.write("broken/1/model.twin", "no number");
  served.write("config/1/model.twin", "1");
  served.write("config/config.pbtxt", "max_batch_size: \"x\"");
  served.write("backend/1/model.twin", "1");
  served.write("backend/config.pbtxt", "backend: \"tensorrt\"");
  served.write("name/1/model.twin", "1");
  served.write("name/config.pbtxt", "name: \"other\"");
  served.write("empty/1/README", "");
  served.write("leads_out/1/model.twin", "1");
  served.write("leads_out/config.pbtxt", "default_model_filename: \"../model.twin\"");
  served.write("labels/1/model.twin", "1");
  served.write("labels/config.pbtxt", "output { name: \"y\" dims: [ -1, -1 ] label_filename: \"../../x\" }");
  served.write("disagrees/1/model.twin", "1");
  served.write("disagrees/config.pbtxt", "input { name: \"x\" data_type: TYPE_FP64 dims: [ -1, -1 ] }");
  served.write("twice.twin", "1");
  served.write("twice/model.twin", "1");
  EXPECT_NE(served.open(), ok_status());
  EXPECT_EQ(served.factor("good"), 2);
  EXPECT_FALSE(served.repository->is_ready());
  EXPECT_THAT(served.error("broken"), HasSubstr("has no number"));
  EXPECT_THAT(served.error("config"), HasSubstr("config.pbtxt:1:17"));
  EXPECT_THAT(served.error("backend"), AllOf(HasSubstr("backend 'tensorrt'"), HasSubstr("twin")));
  EXPECT_THAT(served.error("name"), HasSubstr("'other'"));
  EXPECT_THAT(served.error("empty"), HasSubstr("model.twin is not there"));
  EXPECT_THAT(served.error("leads_out"), HasSubstr("default_model_filename"));
  EXPECT_THAT(served.error("labels"), HasSubstr("leads out of the model's folder"));
  EXPECT_THAT(served.error("disagrees"),
              AllOf(HasSubstr("FP64"), HasSubstr("INT32"), HasSubstr("config.pbtxt")));
  EXPECT_THAT(served.error("twice"), HasSubstr("keep one of"));
  EXPECT_TRUE(served.loader.twin("disagrees")->is_closed());
}

TEST(Repository, ModelsAreLoadedAndUnloadedByRequest) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  served.write("three/1/model.twin", "3");
  served.options.models_at_start = {"three"};
  ASSERT_EQ(served.open(), ok_status());
  EXPECT_THAT(served.states(), ElementsAre("three/1 READY", "two/ "));
  EXPECT_EQ(served.infer("two").status().code(), StatusCode::kNotFound);
  EXPECT_EQ(served.load("two"), ok_status());
  EXPECT_EQ(served.factor("two"), 2);
  served.write("two/1/model.twin", "22");
  const auto before = served.loader.twin("two");
  EXPECT_EQ(served.load("two"), ok_status());
  EXPECT_EQ(served.factor("two"), 22);
  EXPECT_EQ(served.unload("two"), ok_status());
  EXPECT_TRUE(before->is_closed());
  EXPECT_TRUE(served.loader.twin("two")->is_closed());
  EXPECT_EQ(served.infer("two").status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(served.states(), ElementsAre("three/1 READY", "two/1 UNAVAILABLE"));
  EXPECT_THAT(served.repository->index(true).size(), 1);
  EXPECT_EQ(served.load("two"), ok_status());
  EXPECT_EQ(served.factor("two"), 22);
}

TEST(Repository, NamesThatLeadElsewhereAreRefused) {
  Served served(ModelControl::kExplicit);
  ASSERT_EQ(served.open(), ok_status());
  for (const std::string& name :
       {std::string(".."), std::string("a/b"), std::string("a\0b", 3), std::string("\xff"), std::string(),
        std::string(300, 'a'), std::string("a\nb")}) {
    EXPECT_EQ(served.load(name).code(), StatusCode::kInvalidArgument) << name;
    EXPECT_EQ(served.unload(name).code(), StatusCode::kInvalidArgument) << name;
  }
  EXPECT_EQ(served.load("nothing").code(), StatusCode::kNotFound);
  EXPECT_EQ(served.unload("nothing").code(), StatusCode::kNotFound);
  EXPECT_THAT(served.states(), IsEmpty());
}

TEST(Repository, LoadsByRequestNeedExplicitControl) {
  Served served;
  served.write("two/1/model.twin", "2");
  ASSERT_EQ(served.open(), ok_status());
  EXPECT_EQ(served.load("two").code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(served.unload("two").code(), StatusCode::kFailedPrecondition);
}

TEST(Repository, WhatFailsToLoadAgainIsServedAsBefore) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  served.options.models_at_start = {"*"};
  ASSERT_EQ(served.open(), ok_status());
  served.write("two/1/model.twin", "broken");
  EXPECT_THAT(std::string(message(served.load("two"))), HasSubstr("has no number"));
  EXPECT_EQ(served.factor("two"), 2);
  EXPECT_THAT(served.repository->index(true).at(0).reason, HasSubstr("served as before"));
}

TEST(Repository, RequestsUnderWayEndOnTheModelTheyBeganOn) {
  Served served(ModelControl::kExplicit, TwinPace::kWhenTold);
  served.write("two/1/model.twin", "2");
  served.options.models_at_start = {"two"};
  ASSERT_EQ(served.open(), ok_status());
  const auto old = served.loader.twin("two");
  TwinAnswer before;
  served.repository->infer(Served::request("two", "", 1), before.answer());
  served.write("two/1/model.twin", "5");
  ASSERT_EQ(served.load("two"), ok_status());
  TwinAnswer after;
  served.repository->infer(Served::request("two", "", 1), after.answer());
  EXPECT_FALSE(old->is_closed());
  old->answer_next();
  served.loader.twin("two")->answer_next();
  EXPECT_THAT(int32_values(before.get()->outputs[0]), ElementsAre(2));
  EXPECT_THAT(int32_values(after.get()->outputs[0]), ElementsAre(5));
  served.repository->close(steady_clock().now_ns() + kPatience_ns);
  EXPECT_TRUE(old->is_closed());
}

TEST(Repository, StatesCanBeSeenWhileLoading) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  ASSERT_EQ(served.open(), ok_status());
  const auto gate = std::make_shared<::forebay::testing::Gate>();
  served.loader.hold(gate);
  std::promise<Status> told;
  served.repository->load("two", [&](Status status) { told.set_value(std::move(status)); });
  gate->wait_until_reached();
  EXPECT_THAT(served.states(), ElementsAre("two/1 LOADING"));
  EXPECT_EQ(served.infer("two").status().code(), StatusCode::kUnavailable);
  EXPECT_THAT(served.error("two"), HasSubstr("LOADING"));
  gate->open();
  EXPECT_EQ(told.get_future().get(), ok_status());
  EXPECT_EQ(served.factor("two"), 2);
}

TEST(Repository, AnEnsembleBringsItsMembersAndFollowsThem) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  served.write("three/1/model.twin", "3");
  served.write("triple/config.pbtxt", kTripleConfig);
  ASSERT_EQ(served.open(), ok_status());
  ASSERT_EQ(served.load("triple"), ok_status());
  EXPECT_EQ(served.factor("triple"), 6);
  EXPECT_EQ(served.repository->metadata("triple", "")->platform, "ensemble");
  EXPECT_EQ(served.infer("triple")->steps.size(), 2);
  EXPECT_EQ(served.repository->statistics("two", "")->at(0).success_count, 2);
  served.write("three/1/model.twin", "30");
  ASSERT_EQ(served.load("three"), ok_status());
  EXPECT_EQ(served.factor("triple"), 60);
  ASSERT_EQ(served.unload("three"), ok_status());
  EXPECT_THAT(served.error("triple"), HasSubstr("step 1 (model 'three')"));
}

TEST(Repository, EnsemblesAtTheStartNeedNoOrderAndNoModelIsLoadedTwice) {
  Served served;
  served.write("two/1/model.twin", "2");
  served.write("three/1/model.twin", "3");
  served.write("a_triple/config.pbtxt", kTripleConfig);
  ASSERT_EQ(served.open(), ok_status());
  EXPECT_EQ(served.factor("a_triple"), 6);
  EXPECT_EQ(served.loader.loads(), 2);
}

TEST(Repository, EnsemblesThatHoldEachOtherAreRefused) {
  Served served;
  const auto of = [](const std::string& model) {
    return R"(input { name: "x" data_type: TYPE_INT32 dims: [ 1 ] } output { name: "y" data_type: TYPE_INT32 dims: [ 1 ] }
      ensemble_scheduling { step { model_name: ")" +
           model + R"(" input_map { key: "x" value: "x" } output_map { key: "y" value: "y" } } })";
  };
  served.write("a/config.pbtxt", of("b"));
  served.write("b/config.pbtxt", of("a"));
  EXPECT_THAT(std::string(message(served.open())), HasSubstr("in a ring: a > b > a"));
}

TEST(Repository, BatchesAreFormedWhereTheConfigurationSaysSo) {
  Served served(ModelControl::kNone, TwinPace::kWhenTold);
  served.write("two/1/model.twin", "2");
  served.write("two/config.pbtxt", "max_batch_size: 8 dynamic_batching { }");
  ASSERT_EQ(served.open(), ok_status());
  std::vector<TwinAnswer> answers(4);
  for (int32_t i = 0; i < 4; ++i) {
    served.repository->infer(Served::request("two", "", i), answers[i].answer());
  }
  const auto twin = served.loader.twin("two");
  while (twin->answer_next()) {
  }
  EXPECT_EQ(twin->requests().size(), 2);
  EXPECT_THAT(int32_values(answers[3].get()->outputs[0]), ElementsAre(6));
  const ModelStatistics statistics = served.repository->statistics("two", "")->at(0);
  EXPECT_EQ(statistics.execution_count, 2);
  EXPECT_EQ(statistics.inference_count, 4);
}

TEST(Repository, ShapesAreReshapedForTheModel) {
  Served served;
  served.write("m/1/model.twin", "2");
  served.write("m/config.pbtxt", R"(max_batch_size: 8
    input { name: "x" data_type: TYPE_INT32 dims: [ -1, 2 ] reshape { shape: [ -1 ] } }
    output { name: "y" data_type: TYPE_INT32 dims: [ 1, -1 ] reshape { shape: [ -1 ] } })");
  EXPECT_NE(served.open(), ok_status()) << "[ -1, 2 ] has twice the elements of [ -1 ]";
  served.write("m/config.pbtxt", R"(max_batch_size: 8
    input { name: "x" data_type: TYPE_INT32 dims: [ 1, -1, 1 ] reshape { shape: [ -1 ] } }
    output { name: "y" data_type: TYPE_INT32 dims: [ 1, -1 ] reshape { shape: [ -1 ] } })");
  ASSERT_EQ(served.open(), ok_status());
  InferRequest request = testing::twin_request(2, {1, 2, 3, 4, 5, 6});
  request.model = "m";
  request.inputs[0].shape = {2, 1, 3, 1};
  TwinAnswer answer;
  served.repository->infer(std::move(request), answer.answer());
  ASSERT_TRUE(answer.get().ok()) << answer.get().status();
  EXPECT_THAT(served.loader.twin("m")->requests().at(0).inputs[0].shape, ElementsAre(2, 3));
  EXPECT_THAT(answer.get()->outputs[0].shape, ElementsAre(2, 1, 3));
}

TEST(Repository, PollingFollowsTheFolder) {
  Served served(ModelControl::kPoll);
  const auto timer = std::make_shared<storage::SteppedTimer>();
  served.options.timer = timer;
  served.write("two/1/model.twin", "2");
  served.write("old/1/model.twin", "1");
  ASSERT_EQ(served.open(), ok_status());
  // Each turn of polling puts off the next, which is how its end is seen.
  const auto poll = [&] {
    while (timer->waiting() == 0) {
      std::this_thread::yield();
    }
    timer->advance_ns(served.options.poll_interval_ns);
    while (timer->waiting() == 0) {
      std::this_thread::yield();
    }
  };
  poll();
  EXPECT_EQ(served.loader.loads(), 2) << "what did not change is not loaded";
  served.write("two/2/model.twin", "22");
  served.write("new.twin", "3");
  served.write("bad/1/model.twin", "x");
  std::filesystem::remove_all(served.root / "old");
  poll();
  EXPECT_EQ(served.factor("two"), 22);
  EXPECT_EQ(served.factor("new"), 3);
  EXPECT_EQ(served.infer("old").status().code(), StatusCode::kUnavailable);
  EXPECT_EQ(served.loader.loads(), 5);
  poll();
  EXPECT_EQ(served.loader.loads(), 5) << "what is broken is tried again when it changes";
  served.write("bad/1/model.twin", "123");
  poll();
  EXPECT_EQ(served.factor("bad"), 123);
}

TEST(Repository, CloseEndsRequestsAndEnsemblesBeforeTheirMembers) {
  Served served(ModelControl::kNone, TwinPace::kWhenTold);
  served.write("two/1/model.twin", "2");
  served.write("three/1/model.twin", "3");
  served.write("triple/config.pbtxt", kTripleConfig);
  ASSERT_EQ(served.open(), ok_status());
  TwinAnswer answer;
  served.repository->infer(Served::request("triple", "", 1), answer.answer());
  std::thread closer([&] { served.repository->close(steady_clock().now_ns() + kPatience_ns); });
  while (served.repository->is_model_ready("triple", "")) {
    std::this_thread::yield();
  }
  served.loader.twin("two")->answer_next();
  served.loader.twin("three")->answer_next();
  closer.join();
  ASSERT_TRUE(answer.get().ok()) << answer.get().status();
  EXPECT_THAT(int32_values(answer.get()->outputs[0]), ElementsAre(6));
  EXPECT_FALSE(served.repository->is_live());
  EXPECT_FALSE(served.load("two").ok());
}

TEST(Repository, CloseDoesNotWaitLongerThanItMay) {
  Served served(ModelControl::kNone, TwinPace::kWhenTold);
  served.write("two/1/model.twin", "2");
  ASSERT_EQ(served.open(), ok_status());
  TwinAnswer answer;
  served.repository->infer(Served::request("two", "", 1), answer.answer());
  served.repository->close(0);
  EXPECT_EQ(answer.get().status().code(), StatusCode::kUnavailable);
}

TEST(Repository, ServesThroughLoadsWithoutAnError) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  served.options.models_at_start = {"two"};
  ASSERT_EQ(served.open(), ok_status());
  std::atomic<bool> is_over{false};
  std::vector<std::thread> clients;
  std::atomic<int> failures{0};
  for (int i = 0; i < 2; ++i) {
    clients.emplace_back([&] {
      while (!is_over) {
        failures += served.infer("two").ok() ? 0 : 1;
      }
    });
  }
  for (int i = 0; i < 30; ++i) {
    EXPECT_EQ(served.load("two"), ok_status());
  }
  is_over = true;
  for (std::thread& client : clients) {
    client.join();
  }
  EXPECT_EQ(failures, 0);
}

TEST(Repository, ARootThatIsNoFolderIsAnError) {
  RepositoryOptions options;
  options.root = "/nowhere/at/all";
  EXPECT_EQ(Repository::open(options).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace forebay::serving
