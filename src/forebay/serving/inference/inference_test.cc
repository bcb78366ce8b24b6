#include "forebay/serving/inference/inference.h"

#include <gmock/gmock.h>

#include <string>

namespace forebay::serving {
namespace {

using ::testing::HasSubstr;

NamedTensor of_bytes(std::string_view bytes, Datatype datatype, std::vector<int64_t> shape) {
  NamedTensor tensor;
  tensor.name = "x";
  tensor.datatype = datatype;
  tensor.shape = std::move(shape);
  tensor.buffer = memory::Buffer::allocate(bytes.size()).value();
  std::copy(bytes.begin(), bytes.end(), static_cast<char*>(tensor.buffer->data()));
  tensor.size_bytes = bytes.size();
  return tensor;
}

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(NamedTensor, BytesComeBackAsTheyWereGiven) {
  const std::vector<std::string> words = {"", "a", std::string("\0\xff", 2), "longer than the others"};
  const NamedTensor tensor = bytes_tensor("x", words).value();
  ASSERT_TRUE(check_size(tensor).ok());
  std::vector<std::string> got;
  for (const Bytes element : elements_of(tensor)) {
    got.push_back(text_of(element));
  }
  EXPECT_EQ(got, words);
}

TEST(NamedTensor, SizesThatAreWrongAreRefused) {
  EXPECT_TRUE(check_size(of_bytes(std::string(24, 'x'), Datatype::kFp32, {2, 3})).ok());
  EXPECT_TRUE(check_size(of_bytes("", Datatype::kFp32, {2, 0})).ok());
  for (const size_t bytes : {0, 23, 25, 20, 28}) {
    const Status status = check_size(of_bytes(std::string(bytes, 'x'), Datatype::kFp32, {2, 3}));
    EXPECT_THAT(std::string(message(status)), HasSubstr("tensor 'x'")) << bytes;
  }
  EXPECT_FALSE(check_size(of_bytes("", Datatype::kUint8, {-1})).ok());
  EXPECT_FALSE(check_size(of_bytes("", Datatype::kUint8, {int64_t{1} << 40, int64_t{1} << 40})).ok());
}

TEST(NamedTensor, LengthsThatDoNotAddUpAreRefused) {
  using namespace std::string_literals;
  EXPECT_TRUE(check_size(of_bytes("\1\0\0\0a"s, Datatype::kBytes, {1})).ok());
  EXPECT_FALSE(check_size(of_bytes("\2\0\0\0a"s, Datatype::kBytes, {1})).ok());
  EXPECT_FALSE(check_size(of_bytes("\1\0\0\0ab"s, Datatype::kBytes, {1})).ok());
  EXPECT_FALSE(check_size(of_bytes("\1\0\0"s, Datatype::kBytes, {1})).ok());
  EXPECT_FALSE(check_size(of_bytes("\xff\xff\xff\xff"s, Datatype::kBytes, {1})).ok());
  EXPECT_FALSE(check_size(of_bytes("\1\0\0\0a"s, Datatype::kBytes, {int64_t{1} << 62})).ok());
}

TEST(Datatype, NamesAreThoseOfTheProtocol) {
  for (const char* name : {"BOOL", "UINT8", "INT64", "FP16", "BF16", "FP32", "FP64", "BYTES"}) {
    EXPECT_EQ(name_of(datatype_of(std::string_view(name)).value()), name);
  }
  EXPECT_THAT(std::string(message(datatype_of(std::string_view("float")).status())), HasSubstr("FP32"));
  EXPECT_EQ(dtype_of(Datatype::kFp16).value(), tensor::DType::kFloat16);
  EXPECT_FALSE(dtype_of(Datatype::kBytes).ok());
}

TEST(InferRequest, NamesAndParametersCountAsHeld) {
  const auto bytes_with = [](auto change) {
    InferRequest request;
    change(request);
    return held_bytes(request) - held_bytes(InferRequest());
  };
  const std::string text(1000, 'x');
  EXPECT_GE(held_bytes(InferRequest()), sizeof(InferRequest));
  EXPECT_EQ(bytes_with([&](InferRequest& request) { request.id = text; }), 1000);
  EXPECT_GT(bytes_with([&](InferRequest& request) { request.parameters[text] = text; }), 2000);
  EXPECT_GT(bytes_with([&](InferRequest& request) { request.outputs.push_back({.name = text}); }), 1000);
  EXPECT_GT(bytes_with([&](InferRequest& request) { request.inputs.resize(100); }), 1000);
}

TEST(InferRequest, RefusalsAreNotOfItsInputs) {
  EXPECT_TRUE(is_refusal(resource_exhausted("full")));
  EXPECT_TRUE(is_refusal(cancelled("gone")));
  EXPECT_FALSE(is_refusal(invalid_argument("a broken picture")));
  EXPECT_FALSE(is_refusal(ok_status()));
}

}  // namespace
}  // namespace forebay::serving
