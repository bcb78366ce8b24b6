// What goes wrong in the folder or with a model, and what goes on being served.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <filesystem>
#include <future>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

#include "forebay/serving/testing/served_models.h"

namespace forebay::serving {
namespace {

using testing::int32_values;
using testing::kTripleConfig;
using testing::TwinAnswer;
using testing::TwinPace;
using Served = testing::ServedModels;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// An ensemble whose steps stand one behind the other.
std::string chain_config(const std::vector<std::string>& models) {
  std::string steps;
  for (size_t i = 0; i < models.size(); ++i) {
    const std::string from = i == 0 ? "x" : fmt::format("t{}", i);
    const std::string to = i + 1 == models.size() ? "y" : fmt::format("t{}", i + 1);
    steps += fmt::format(
        R"(step {{ model_name: "{}" input_map {{ key: "x" value: "{}" }} output_map {{ key: "y" value: "{}" }} }} )",
        models[i], from, to);
  }
  return fmt::format(R"(platform: "ensemble" max_batch_size: 8
    input {{ name: "x" data_type: TYPE_INT32 dims: [ -1 ] }}
    output {{ name: "y" data_type: TYPE_INT32 dims: [ -1 ] }}
    ensemble_scheduling {{ {} }})",
                     steps);
}

TEST(RepositoryFailures, ABrokenVersionLeavesTheOneBefore) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  served.options.models_at_start = {"two"};
  ASSERT_EQ(served.open(), ok_status());
  served.write("two/2/model.twin", "broken");
  EXPECT_THAT(std::string(message(served.load("two"))), HasSubstr("has no number"));
  EXPECT_EQ(served.factor("two"), 2);
  EXPECT_TRUE(served.repository->is_ready());
  EXPECT_THAT(served.states(), ElementsAre("two/1 READY", "two/2 UNAVAILABLE"));
  served.write("two/2/model.twin", "22");
  EXPECT_EQ(served.load("two"), ok_status());
  EXPECT_EQ(served.factor("two"), 22);
  EXPECT_FALSE(served.repository->is_model_ready("two", "1"));
}

TEST(RepositoryFailures, ALoadUnderWayIsGivenUpAtTheEnd) {
  Served served;
  served.write("slow/1/model.twin", "2");
  std::promise<void> begun;
  served.options.kinds[0].load = [&](const ModelFiles& files,
                                     const ModelConfig&) -> Result<std::shared_ptr<Model>> {
    std::promise<void> stopped;
    const std::stop_callback tell(files.stop, [&] { stopped.set_value(); });
    begun.set_value();
    const auto patience = std::chrono::nanoseconds(testing::kServedPatience_ns);
    const bool is_stopped = stopped.get_future().wait_for(patience) == std::future_status::ready;
    return is_stopped ? cancelled("given up") : internal_error("nobody asked it to stop");
  };
  served.repository = *Repository::open(served.options);
  begun.get_future().wait();
  served.repository->stop_loading();
  EXPECT_TRUE(served.repository->is_live());
  const Status started =
      served.repository->wait_until_started(steady_clock().now_ns() + testing::kServedPatience_ns);
  EXPECT_EQ(started.code(), StatusCode::kCancelled) << started;
  served.repository->close(steady_clock().now_ns());
}

TEST(RepositoryFailures, FilesThatAreNoModelsAreLeftAlone) {
  Served served;
  int looks = 0;
  served.options.kinds[0].recognises_single = [&](const std::string& file) {
    ++looks;
    return !file.ends_with("utils.twin");
  };
  served.write("two.twin", "2");
  served.write("utils.twin", "nothing of a model");
  ASSERT_EQ(served.open(), ok_status());
  EXPECT_TRUE(served.repository->is_ready());
  EXPECT_THAT(served.states(), ElementsAre("two/1 READY"));
  // The folder is read again once it has changed.
  const auto long_ago = std::filesystem::file_time_type::clock::now() - std::chrono::hours(1);
  std::filesystem::last_write_time(served.root.path(), long_ago);
  EXPECT_THAT(served.states(), ElementsAre("two/1 READY"));
  const int before = looks;
  EXPECT_THAT(served.states(), ElementsAre("two/1 READY"));
  EXPECT_EQ(looks, before);
  served.write("three.twin", "3");
  EXPECT_THAT(served.states(), ElementsAre("three/ ", "two/1 READY"));
}

TEST(RepositoryFailures, NamedVersionsThatAreMissingAreLeftOut) {
  Served served;
  served.write("m/1/model.twin", "1");
  served.write("m/3/model.twin", "3");
  served.write("m/config.pbtxt", "version_policy { specific { versions: [ 1, 2, 7 ] } }");
  EXPECT_EQ(served.open(), ok_status());
  EXPECT_THAT(served.states(), ElementsAre("m/1 READY"));
}

TEST(RepositoryFailures, AMemberMayBecomeNoEnsembleThatNeedsIt) {
  Served served(ModelControl::kExplicit);
  served.write("m/1/model.twin", "5");
  served.write("a/config.pbtxt", chain_config({"m"}));
  served.write("b/config.pbtxt", chain_config({"a"}));
  served.options.models_at_start = {"b"};
  ASSERT_EQ(served.open(), ok_status());
  served.write("m/config.pbtxt", chain_config({"b"}));
  EXPECT_THAT(std::string(message(served.load("m"))), HasSubstr("in a ring: 'b' is loaded, and needs 'm'"));
  EXPECT_EQ(served.factor("b"), 5);
}

TEST(RepositoryFailures, AFileThatCannotBeLookedIntoIsNoModel) {
  Served served(ModelControl::kExplicit);
  ModelKind kind = served.loader.kind();
  kind.recognises = [](const std::string& file) {
    if (file.ends_with("bad.twin") || file.find("/worse/") != std::string::npos) {
      throw std::runtime_error("error reading the file");
    }
    return true;
  };
  served.options.kinds = {kind};
  served.options.models_at_start = {"*"};
  served.write("bad.twin", "1");
  served.write("good.twin", "2");
  served.write("worse/1/model.twin", "3");
  EXPECT_THAT(std::string(message(served.open())), HasSubstr("holds no model"));
  EXPECT_EQ(served.factor("good"), 2);
  EXPECT_THAT(served.states(), ElementsAre("good/1 READY", "worse/1 UNAVAILABLE"));
  EXPECT_EQ(served.load("nothing").code(), StatusCode::kNotFound);
}

TEST(RepositoryFailures, OnlyRegularFilesAreRead) {
  Served served(ModelControl::kExplicit);
  served.write("good.twin", "2");
  std::filesystem::create_directories(served.root / "config");
  std::filesystem::create_directories(served.root / "folder/1/model.twin");
  ASSERT_EQ(::mkfifo(std::filesystem::path(served.root / "pipe.twin").c_str(), 0600), 0);
  ASSERT_EQ(::mkfifo(std::filesystem::path(served.root / "config/config.pbtxt").c_str(), 0600), 0);
  ASSERT_EQ(served.open(), ok_status());
  EXPECT_THAT(served.states(), ElementsAre("config/ ", "folder/ ", "good/ "));
  EXPECT_EQ(served.load("pipe").code(), StatusCode::kNotFound);
  EXPECT_THAT(std::string(message(served.load("config"))), HasSubstr("is no regular file"));
  EXPECT_THAT(std::string(message(served.load("folder"))), HasSubstr("holds no model"));
}

TEST(RepositoryFailures, AModelSaysWhetherItIsReady) {
  Served served;
  served.write("two/1/model.twin", "2");
  served.write("three/1/model.twin", "3");
  served.write("triple/config.pbtxt", kTripleConfig);
  ASSERT_EQ(served.open(), ok_status());
  ASSERT_TRUE(served.repository->is_ready());
  served.loader.twin("two")->set_status(unavailable("its process ended"));
  EXPECT_FALSE(served.repository->is_ready());
  EXPECT_FALSE(served.repository->is_model_ready("two", ""));
  EXPECT_FALSE(served.repository->is_model_ready("triple", "1"));
  EXPECT_TRUE(served.repository->is_model_ready("three", "1"));
  EXPECT_THAT(served.states(), ElementsAre("three/1 READY", "triple/1 UNAVAILABLE", "two/1 UNAVAILABLE"));
  EXPECT_EQ(served.repository->index(true).size(), 1);
  EXPECT_THAT(served.repository->index(false).at(1).reason, HasSubstr("step 0 (model 'two')"));
  EXPECT_EQ(served.repository->index(false).at(2).reason, "its process ended");
  served.loader.twin("two")->set_status(ok_status());
  EXPECT_TRUE(served.repository->is_ready());
}

TEST(RepositoryFailures, EnsemblesOfEnsemblesEndBeforeThese) {
  Served served(ModelControl::kNone, TwinPace::kWhenTold);
  served.write("two/1/model.twin", "2");
  served.write("three/1/model.twin", "3");
  served.write("triple/config.pbtxt", kTripleConfig);
  served.write("outer/config.pbtxt", chain_config({"two", "triple"}));
  ASSERT_EQ(served.open(), ok_status());
  TwinAnswer answer;
  served.repository->infer(Served::request("outer", "", 1), answer.answer());
  std::thread closer(
      [&] { served.repository->close(steady_clock().now_ns() + testing::kServedPatience_ns); });
  while (served.repository->is_model_ready("outer", "")) {
    std::this_thread::yield();
  }
  served.loader.twin("two")->answer_next();
  served.loader.twin("two")->answer_next();
  served.loader.twin("three")->answer_next();
  closer.join();
  ASSERT_TRUE(answer.get().ok()) << answer.get().status();
  EXPECT_THAT(int32_values(answer.get()->outputs[0]), ElementsAre(12));
}

TEST(RepositoryFailures, WhoeverWaitsForTheStartMayGiveUp) {
  Served served;
  served.write("two/1/model.twin", "2");
  const auto gate = std::make_shared<::forebay::testing::Gate>();
  served.loader.hold(gate);
  served.repository = Repository::open(served.options).value();
  gate->wait_until_reached();
  std::stop_source stop;
  std::thread stopper([&] { stop.request_stop(); });
  const int64_t end_ns = steady_clock().now_ns() + testing::kServedPatience_ns;
  EXPECT_EQ(served.repository->wait_until_started(end_ns, stop.get_token()).code(), StatusCode::kCancelled);
  stopper.join();
  gate->open();
  EXPECT_EQ(served.repository->wait_until_started(end_ns), ok_status());
}

TEST(RepositoryFailures, LoadsThatHaveNotBegunAreRefusedByClose) {
  Served served(ModelControl::kExplicit);
  served.write("two/1/model.twin", "2");
  served.write("three/1/model.twin", "3");
  ASSERT_EQ(served.open(), ok_status());
  const auto gate = std::make_shared<::forebay::testing::Gate>();
  served.loader.hold(gate);
  std::promise<Status> begun;
  served.repository->load("two", [&](Status status) { begun.set_value(std::move(status)); });
  gate->wait_until_reached();
  std::thread closer;
  const Status refused = Served::told([&](auto done) {
    served.repository->load("three", std::move(done));
    closer = std::thread([&] { served.repository->close(0); });
  });
  EXPECT_EQ(refused.code(), StatusCode::kUnavailable) << refused;
  gate->open();
  closer.join();
  EXPECT_EQ(begun.get_future().get(), ok_status());
  EXPECT_EQ(served.loader.loads(), 1);
}

}  // namespace
}  // namespace forebay::serving
