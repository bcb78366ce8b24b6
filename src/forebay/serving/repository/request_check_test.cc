#include "forebay/serving/repository/request_check.h"

#include <gmock/gmock.h>

#include <string>

#include "forebay/serving/testing/twin_models.h"

namespace forebay::serving {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::int32_tensor;
using testing::twin_tensor;

ModelMetadata two_inputs() {
  ModelMetadata metadata = testing::twin_metadata(4);
  metadata.inputs = {twin_tensor("image", {-1, 3, -1}), twin_tensor("mask", {-1, 2}),
                     twin_tensor("more", {-1, 1})};
  metadata.inputs[2].is_optional = true;
  return metadata;
}

InferRequest right_request() {
  InferRequest request;
  request.inputs = {int32_tensor("mask", {2, 2}, std::vector<int32_t>(4)),
                    int32_tensor("image", {2, 3, 5}, std::vector<int32_t>(30))};
  request.outputs.emplace_back().name = "y";
  return request;
}

std::string error_of_request(const InferRequest& request) {
  return std::string(message(check_request(request, two_inputs())));
}

TEST(RequestCheck, WhatFitsIsRight) {
  EXPECT_EQ(error_of_request(right_request()), "");
  EXPECT_EQ(rows_of(right_request(), two_inputs()), 2);
}

TEST(RequestCheck, MissingInputsAreNamed) {
  EXPECT_THAT(error_of_request(InferRequest()), HasSubstr("missing: image, mask"));
  InferRequest request = right_request();
  request.inputs.pop_back();
  EXPECT_THAT(error_of_request(request), HasSubstr("missing: image"));
}

TEST(RequestCheck, UnknownNamesAreNamedWithTheNearest) {
  InferRequest request = right_request();
  request.inputs[0].name = "masks";
  EXPECT_THAT(error_of_request(request), HasSubstr("no input 'masks'; is 'mask' meant?"));
  request.inputs[0].name = std::string("\x01\xff", 2);
  EXPECT_THAT(error_of_request(request),
              AllOf(HasSubstr("no input '?"), HasSubstr("it has image, mask, more")));
  request = right_request();
  request.outputs[0].name = "z";
  EXPECT_THAT(error_of_request(request), HasSubstr("no output 'z'"));
}

TEST(RequestCheck, DatatypesAndShapesAreShown) {
  InferRequest request = right_request();
  request.inputs[0].datatype = Datatype::kUint32;
  EXPECT_THAT(error_of_request(request), AllOf(HasSubstr("'mask'"), HasSubstr("UINT32"), HasSubstr("INT32")));
  request = right_request();
  request.inputs[1].shape = {2, 4, 5};
  EXPECT_THAT(error_of_request(request), AllOf(HasSubstr("[2, 4, 5]"), HasSubstr("[-1, 3, -1]")));
  request.inputs[1].shape = {};
  EXPECT_THAT(error_of_request(request), HasSubstr("shape []"));
}

TEST(RequestCheck, BatchesHaveOneSizeWithinTheLimit) {
  InferRequest request = right_request();
  request.inputs[0].shape = {3, 2};
  EXPECT_THAT(error_of_request(request), HasSubstr("'image' has 2 rows, and 'mask' has 3"));
  request.inputs[0].shape = {5, 2};
  EXPECT_THAT(error_of_request(request), HasSubstr("has 5 rows; the model takes from 1 to 4"));
  request.inputs[0].shape = {0, 2};
  EXPECT_THAT(error_of_request(request), HasSubstr("has 0 rows"));
}

TEST(RequestCheck, NothingIsGivenTwice) {
  InferRequest request = right_request();
  request.inputs.push_back(request.inputs[0]);
  EXPECT_THAT(error_of_request(request), HasSubstr("'mask' is given twice"));
  request = right_request();
  request.outputs.push_back(request.outputs[0]);
  EXPECT_THAT(error_of_request(request), HasSubstr("'y' is asked for twice"));
}

}  // namespace
}  // namespace forebay::serving
