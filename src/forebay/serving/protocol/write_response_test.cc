#include "forebay/serving/protocol/write_response.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <string>

namespace forebay::serving {
namespace {

using namespace std::string_literals;
using ::testing::HasSubstr;

template <class Element>
NamedTensor output_tensor(std::string name, Datatype datatype, std::vector<int64_t> shape,
                          const std::vector<Element>& elements) {
  NamedTensor tensor;
  tensor.name = std::move(name);
  tensor.datatype = datatype;
  tensor.shape = std::move(shape);
  tensor.size_bytes = elements.size() * sizeof(Element);
  tensor.buffer = memory::Buffer::allocate(tensor.size_bytes).value();
  std::copy(elements.begin(), elements.end(), static_cast<Element*>(tensor.buffer->data()));
  return tensor;
}

InferResponse response_with(std::vector<NamedTensor> outputs) {
  InferResponse response;
  response.model = "m";
  response.version = "1";
  response.outputs = std::move(outputs);
  return response;
}

template <class Element>
std::string json_data(Datatype datatype, const std::vector<Element>& elements) {
  const auto count = static_cast<int64_t>(elements.size());
  const auto body =
      write_response(response_with({output_tensor("o", datatype, {count}, elements)}), {}, nullptr, nullptr);
  if (!body.ok()) {
    return std::string(message(body.status()));
  }
  const size_t from = body->json.find("\"data\":") + 7;
  return body->json.substr(from, body->json.size() - from - 3);
}

TEST(WriteResponse, BinaryOutputsAreNotCopied) {
  const NamedTensor floats = output_tensor<float>("f", Datatype::kFp32, {1, 2}, {1, 2});
  const NamedTensor none = output_tensor<float>("n", Datatype::kFp32, {0}, {});
  InferResponse response = response_with({floats, none});
  response.id = "7";
  const auto body = write_response(response, {.is_binary = true}, nullptr, nullptr);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(body->json,
            R"({"id":"7","model_name":"m","model_version":"1","outputs":[)"
            R"({"name":"f","datatype":"FP32","shape":[1,2],"parameters":{"binary_data_size":8}},)"
            R"({"name":"n","datatype":"FP32","shape":[0],"parameters":{"binary_data_size":0}}]})");
  EXPECT_EQ(body->header_length, body->json.size());
  ASSERT_EQ(body->pieces.size(), 2);
  EXPECT_EQ(body->pieces[0].buffer, floats.buffer);
  EXPECT_EQ(body->size_bytes(), body->json.size() + 8);
}

TEST(WriteResponse, JsonComesBackTheSame) {
  EXPECT_EQ(json_data<float>(Datatype::kFp32, {1, 0.1F, -2.5F, 1e20F, 16777216, -0.0F}),
            "[1.0,0.1,-2.5,1e+20,16777216.0,-0.0]");
  EXPECT_EQ(json_data<double>(Datatype::kFp64, {0.1, 5e-324, 1.7976931348623157e308}),
            "[0.1,5e-324,1.7976931348623157e+308]");
  EXPECT_EQ(json_data<int8_t>(Datatype::kInt8, {-128, 127}), "[-128,127]");
  EXPECT_EQ(json_data<uint64_t>(Datatype::kUint64, {UINT64_MAX}), "[18446744073709551615]");
  EXPECT_EQ(json_data<bool>(Datatype::kBool, {true, false}), "[true,false]");
  EXPECT_EQ(json_data<int32_t>(Datatype::kInt32, {}), "[]");
}

TEST(WriteResponse, StringsAreEscaped) {
  const auto body = write_response(response_with({bytes_tensor("o", {"a\"b\n", "\xc3\xa9", ""}).value()}), {},
                                   nullptr, nullptr);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_THAT(body->json, HasSubstr("[\"a\\\"b\\n\",\"\xc3\xa9\",\"\"]"));
  EXPECT_FALSE(body->header_length.has_value());
}

TEST(WriteResponse, WhatJsonCannotSayIsRefusedByName) {
  EXPECT_THAT(json_data<float>(Datatype::kFp32, {std::numeric_limits<float>::quiet_NaN()}),
              HasSubstr("output 'o' has NaN"));
  EXPECT_THAT(json_data<double>(Datatype::kFp64, {-std::numeric_limits<double>::infinity()}),
              HasSubstr("'binary_data_output'"));
  EXPECT_THAT(json_data<uint16_t>(Datatype::kFp16, {1}), HasSubstr("elements of FP16"));
  const auto body =
      write_response(response_with({bytes_tensor("o", {"\xff"}).value()}), {}, nullptr, nullptr);
  EXPECT_THAT(std::string(message(body.status())), HasSubstr("not UTF-8"));
}

TEST(WriteResponse, OutputsComeAsTheyWereAskedFor) {
  const InferResponse response =
      response_with({output_tensor<float>("f", Datatype::kFp32, {2, 2}, {1, 2, 4, 3}),
                     output_tensor<uint8_t>("u", Datatype::kUint8, {1}, {9}),
                     output_tensor<uint8_t>("left", Datatype::kUint8, {1}, {8})});
  ModelMetadata metadata;
  metadata.max_batch_size = 4;
  metadata.outputs = {{.name = "f", .labels = {"cat", "dog"}}};
  AnswerForm form;
  form.outputs = {{.name = "u", .is_binary = true}, {.name = "f", .class_count = 1}};
  const auto body = write_response(response, form, &metadata, nullptr);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_THAT(body->json, HasSubstr(R"({"name":"f","datatype":"BYTES","shape":[2,1],)"
                                    R"("data":["2.000000:1:dog","4.000000:0:cat"]})"));
  EXPECT_THAT(body->json, ::testing::Not(HasSubstr("left")));
  ASSERT_EQ(body->pieces.size(), 1);
  form.outputs = {{.name = "z"}};
  EXPECT_EQ(write_response(response, form, &metadata, nullptr).status().code(), StatusCode::kInternal);
}

TEST(WriteResponse, TimingIsThereIfAskedFor) {
  InferResponse response = response_with({});
  response.timing = {.queue_ns = 1, .input_ns = 2, .compute_ns = 3, .output_ns = 4};
  response.steps = {{"a", {.compute_ns = 5}}};
  response.parameters = {{"p", "q"s}};
  const auto without = write_response(response, {}, nullptr, nullptr);
  EXPECT_EQ(without->json, R"({"model_name":"m","model_version":"1","parameters":{"p":"q"},"outputs":[]})");
  const auto with = write_response(response, {.has_timing = true}, nullptr, nullptr);
  EXPECT_THAT(with->json, HasSubstr(R"("compute_ns":3,"input_ns":2,"output_ns":4,"p":"q","queue_ns":1)"));
  EXPECT_THAT(with->json, HasSubstr(R"("steps":[{"compute_ns":5,"input_ns":0,"model":"a")"));
}

}  // namespace
}  // namespace forebay::serving
