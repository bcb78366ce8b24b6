#include "forebay/serving/repository/repository.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "forebay/serving/testing/served_models.h"

namespace forebay::serving {
namespace {

using testing::int32_values;
using testing::kTripleConfig;
using testing::TwinAnswer;
using testing::TwinPace;
using Served = testing::ServedModels;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

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

TEST(Repository, WithoutAnExtentOfTheBatchNothingIsJoined) {
  Served served(ModelControl::kNone, TwinPace::kWhenTold);
  served.write("two/1/model.twin", "2");
  served.write("two/config.pbtxt", R"(dynamic_batching { }
    input { name: "x" data_type: TYPE_INT32 dims: [ 1, 1 ] })");
  ASSERT_EQ(served.open(), ok_status());
  std::vector<TwinAnswer> answers(3);
  for (int32_t i = 0; i < 3; ++i) {
    served.repository->infer(Served::request("two", "", i), answers[i].answer());
  }
  const auto twin = served.loader.twin("two");
  while (twin->answer_next()) {
  }
  EXPECT_EQ(twin->requests().size(), 3);
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

TEST(Repository, ARootThatIsNoFolderIsAnError) {
  RepositoryOptions options;
  options.root = "/nowhere/at/all";
  EXPECT_EQ(Repository::open(options).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace forebay::serving
