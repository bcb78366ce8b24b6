#include "forebay/serving/repository/model_config.h"

#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "forebay/base/testing/temporary_directory.h"

namespace forebay::serving {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;

constexpr const char* kResnetConfig = R"(
name: "resnet"
platform: "onnxruntime_onnx"
max_batch_size: 8
input [ { name: "x" data_type: TYPE_FP32 dims: [ 3, -1, 224 ] } ]
output [ { name: "y" data_type: TYPE_FP32 dims: [ 1000 ] label_filename: "labels.txt" } ]
version_policy: { specific { versions: [ 1, 3 ] } }
instance_group [ { count: 2 kind: KIND_CPU }, { kind: KIND_CPU } ]
dynamic_batching {
  preferred_batch_size: [ 4, 8 ]
  max_queue_delay_microseconds: 100
  priority_levels: 3
  default_priority_level: 2
  default_queue_policy { timeout_action: DELAY default_timeout_microseconds: 5000 max_queue_size: 64 }
  priority_queue_policy { key: 1 value { max_queue_size: 16 } }
}
parameters { key: "threads" value { string_value: "4" } }
optimization { graph { level: 1 } }
)";

ModelConfig config_from(std::string_view text) {
  return parse_model_config(text, "m/config.pbtxt").value();
}

std::string error_of_config(std::string_view text) {
  return std::string(message(parse_model_config(text, "m/config.pbtxt").status()));
}

TensorMetadata tensor_named(std::string name, std::vector<int64_t> shape,
                            Datatype datatype = Datatype::kFp32) {
  TensorMetadata tensor;
  tensor.name = std::move(name);
  tensor.datatype = datatype;
  tensor.shape = std::move(shape);
  return tensor;
}

ModelMetadata resnet_metadata() {
  ModelMetadata metadata;
  metadata.name = "resnet";
  metadata.platform = "onnxruntime_onnx";
  metadata.max_batch_size = 64;
  metadata.inputs = {tensor_named("x", {-1, 3, -1, -1})};
  metadata.outputs = {tensor_named("y", {-1, 1000})};
  return metadata;
}

std::string disagreement(std::string_view text) {
  const Result<ModelConfig> filled = filled_from(config_from(text), resnet_metadata());
  EXPECT_THAT(std::string(message(filled.status())),
              AllOf(HasSubstr("'resnet'"), HasSubstr("m/config.pbtxt")));
  return std::string(message(filled.status()));
}

TEST(ModelConfig, FieldsAreTakenFromTheText) {
  const ModelConfig config = config_from(kResnetConfig);
  EXPECT_EQ(config.name, "resnet");
  EXPECT_EQ(config.max_batch_size, 8);
  ASSERT_EQ(config.inputs.size(), 1);
  EXPECT_EQ(config.inputs[0].datatype, Datatype::kFp32);
  EXPECT_THAT(config.inputs[0].dims, ElementsAre(3, -1, 224));
  EXPECT_EQ(config.outputs[0].label_file, "labels.txt");
  EXPECT_EQ(config.version_policy.kind, VersionPolicy::Kind::kSpecific);
  EXPECT_THAT(config.version_policy.specific, ElementsAre(1, 3));
  EXPECT_EQ(config.instance_count, 3);
  EXPECT_THAT(config.parameters, ElementsAre(Pair("threads", "4")));
}

TEST(ModelConfig, BatchingIsTakenFromTheText) {
  const BatchingOptions batching = config_from(kResnetConfig).batching.value();
  EXPECT_THAT(batching.preferred_sizes, ElementsAre(4, 8));
  EXPECT_EQ(batching.max_batch_size, 8);
  EXPECT_EQ(batching.max_queue_delay_ns, 100'000);
  EXPECT_EQ(batching.priority_levels, 3);
  EXPECT_EQ(batching.default_priority, 2);
  EXPECT_TRUE(batching.default_policy.delays_overdue);
  EXPECT_EQ(batching.default_policy.timeout_ns, 5'000'000);
  EXPECT_EQ(batching.default_policy.max_queue_size, 64);
  EXPECT_EQ(batching.policies.at(1).max_queue_size, 16);
  EXPECT_EQ(batching.max_running, 3);
  EXPECT_FALSE(config_from("max_batch_size: 2").batching.has_value());
  EXPECT_TRUE(config_from("max_batch_size: 2 dynamic_batching {}").batching.has_value());
}

TEST(ModelConfig, StepsOfAnEnsembleAreTakenFromTheText) {
  const ModelConfig config = config_from(R"(
    platform: "ensemble"
    ensemble_scheduling { step [
      { model_name: "decode" model_version: -1 input_map { key: "data" value: "jpeg" }
        output_map { key: "image" value: "pixels" } },
      { model_name: "resnet" model_version: 2 input_map { key: "x" value: "pixels" }
        output_map { key: "y" value: "scores" } } ] })");
  ASSERT_EQ(config.steps.size(), 2);
  EXPECT_EQ(config.steps[0].model, "decode");
  EXPECT_EQ(config.steps[0].version, "");
  EXPECT_THAT(config.steps[0].inputs, ElementsAre(Pair("data", "jpeg")));
  EXPECT_EQ(config.steps[1].version, "2");
  EXPECT_THAT(config.steps[1].outputs, ElementsAre(Pair("y", "scores")));
}

TEST(ModelConfig, ErrorsNameFileLineAndField) {
  EXPECT_THAT(error_of_config("name: \"a\"\nmax_batch_size: \"b\""), HasSubstr("m/config.pbtxt:2:17"));
  EXPECT_THAT(error_of_config("input { name: \"x\" data_type: TYPE_FLOAT }"),
              AllOf(HasSubstr("m/config.pbtxt:1"), HasSubstr("TYPE_FLOAT")));
  EXPECT_THAT(error_of_config("max_batch_size: -1"), HasSubstr("max_batch_size is -1"));
  EXPECT_THAT(error_of_config("input { name: \"x\" dims: [ 0 ] }"),
              HasSubstr("input 0 'x': dims has the extent 0"));
  EXPECT_THAT(error_of_config("input { name: \"x\" } input { name: \"x\" }"),
              HasSubstr("'x' is there twice"));
  EXPECT_THAT(error_of_config("max_batch_size: 4 dynamic_batching { preferred_batch_size: 5 }"),
              HasSubstr("preferred_batch_size 5"));
  EXPECT_THAT(error_of_config("dynamic_batching { priority_levels: 2 default_priority_level: 3 }"),
              HasSubstr("default_priority_level is 3"));
  EXPECT_THAT(error_of_config("dynamic_batching { max_queue_delay_microseconds: 18446744073709551615 }"),
              HasSubstr("max_queue_delay_microseconds"));
  EXPECT_THAT(error_of_config("instance_group { count: 1000000 }"), HasSubstr("1000000 instances"));
  EXPECT_THAT(error_of_config("input { name: \"x\" dims: [ 6 ] reshape { shape: [ 2, 2 ] } }"),
              HasSubstr("reshape"));
  EXPECT_THAT(error_of_config("ensemble_scheduling { step { } }"), HasSubstr("step 0 has no model_name"));
}

TEST(ModelConfig, StringsThatAreNoUtf8AreRefused) {
  for (const char* text :
       {"platform: \"\\377\"", "platform: \"\xff\"",
        "parameters { key: \"\\377\" value { string_value: \"a\" } }",
        "ensemble_scheduling { step { model_name: \"a\" input_map { key: \"x\" value: \"\\377\" } } }"}) {
    EXPECT_THAT(error_of_config(text), AllOf(HasSubstr("m/config.pbtxt"), HasSubstr("UTF-8"))) << text;
  }
}

TEST(ModelConfig, WhatIsNotOfferedIsSaid) {
  for (const char* text : {"sequence_batching { }", "model_transaction_policy { decoupled: true }"}) {
    EXPECT_EQ(parse_model_config(text, "config.pbtxt").status().code(), StatusCode::kUnimplemented) << text;
  }
}

TEST(ModelConfig, UnknownFieldsArePassedOver) {
  EXPECT_EQ(config_from("name: \"a\" of_the_future { level: 3 } max_batch_size: 2").max_batch_size, 2);
}

TEST(ModelConfig, WithoutTextEverythingComesFromTheModel) {
  ModelConfig config;
  config.name = "resnet";
  const ModelConfig filled = filled_from(config, resnet_metadata()).value();
  EXPECT_EQ(filled.max_batch_size, 64);
  EXPECT_EQ(filled.platform, "onnxruntime_onnx");
  EXPECT_THAT(filled.inputs[0].dims, ElementsAre(3, -1, -1));
  EXPECT_EQ(metadata_of(filled).inputs[0].shape, resnet_metadata().inputs[0].shape);
}

TEST(ModelConfig, WhatAgreesIsTheNarrower) {
  const ModelConfig filled = filled_from(config_from(kResnetConfig), resnet_metadata()).value();
  EXPECT_THAT(metadata_of(filled).inputs[0].shape, ElementsAre(-1, 3, -1, 224));
  EXPECT_EQ(filled.max_batch_size, 8);
  const char* const open = "max_batch_size: 8 input { name: \"x\" dims: [ -1, 5, -1 ] }";
  const ModelConfig narrowed = filled_from(config_from(open), resnet_metadata()).value();
  EXPECT_THAT(narrowed.inputs[0].dims, ElementsAre(3, 5, -1));
  EXPECT_EQ(narrowed.inputs[0].datatype, Datatype::kFp32);
}

TEST(ModelConfig, ATypeThatTheModelDoesNotKnowIsTheConfigurationsOrNone) {
  ModelMetadata model = resnet_metadata();
  model.outputs[0].takes_any = true;
  model.outputs[0].is_type_known = false;
  for (const char* const open :
       {"max_batch_size: 8", "max_batch_size: 8 output { name: \"y\" dims: [ 1000 ] }"}) {
    const ModelConfig none = filled_from(config_from(open), model).value();
    EXPECT_EQ(nlohmann::json::parse(to_json(none))["output"][0]["data_type"], "TYPE_INVALID") << open;
    EXPECT_EQ(datatype_name(metadata_of(none).outputs[0]), "<invalid>") << open;
  }
  const char* const said = "max_batch_size: 8 output { name: \"y\" data_type: TYPE_UINT8 dims: [ 1000 ] }";
  const ModelConfig known = filled_from(config_from(said), model).value();
  EXPECT_EQ(nlohmann::json::parse(to_json(known))["output"][0]["data_type"], "TYPE_UINT8");
  EXPECT_EQ(datatype_name(metadata_of(known).outputs[0]), "UINT8");
}

TEST(ModelConfig, DisagreementsNameBoth) {
  EXPECT_THAT(disagreement("max_batch_size: 65"), HasSubstr("at most 64"));
  EXPECT_THAT(disagreement("max_batch_size: 8 input { name: \"xx\" dims: [ 3, 5, 5 ] }"),
              HasSubstr("is 'x' meant?"));
  EXPECT_THAT(disagreement("max_batch_size: 8 input { name: \"x\" data_type: TYPE_INT8 dims: [ 3, 5, 5 ] }"),
              AllOf(HasSubstr("INT8"), HasSubstr("FP32")));
  EXPECT_THAT(disagreement("max_batch_size: 8 input { name: \"x\" dims: [ 1, 5, 5 ] }"),
              AllOf(HasSubstr("[-1, 1, 5, 5]"), HasSubstr("[-1, 3, -1, -1]")));
  EXPECT_THAT(disagreement("max_batch_size: 8 output { name: \"y\" dims: [ 1000, 1 ] }"),
              HasSubstr("output 'y'"));
}

TEST(ModelConfig, JsonHasTritonsKeysAndNumbersAreNumbers) {
  const auto json =
      nlohmann::json::parse(to_json(filled_from(config_from(kResnetConfig), resnet_metadata()).value()));
  EXPECT_EQ(json["name"], "resnet");
  EXPECT_EQ(json["input"][0]["dims"], nlohmann::json({3, -1, 224}));
  EXPECT_EQ(json["input"][0]["data_type"], "TYPE_FP32");
  EXPECT_EQ(json["version_policy"]["specific"]["versions"], nlohmann::json({1, 3}));
  EXPECT_EQ(json["dynamic_batching"]["max_queue_delay_microseconds"], 100);
  EXPECT_EQ(json["dynamic_batching"]["priority_queue_policy"]["1"]["default_timeout_microseconds"], 0);
  EXPECT_EQ(json["optimization"]["graph"]["level"], 1);
  EXPECT_EQ(json["parameters"]["threads"]["string_value"], "4");
  EXPECT_EQ(json["default_model_filename"], "");
}

TEST(ModelConfig, IsReadFromAFile) {
  const TemporaryDirectory folder;
  EXPECT_EQ(read_model_config(folder / "config.pbtxt").status().code(), StatusCode::kNotFound);
  std::ofstream(folder / "config.pbtxt") << kResnetConfig;
  EXPECT_EQ(read_model_config(folder / "config.pbtxt")->max_batch_size, 8);
}

}  // namespace
}  // namespace forebay::serving
