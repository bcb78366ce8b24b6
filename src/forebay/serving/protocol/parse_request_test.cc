#include "forebay/serving/protocol/parse_request.h"

#include <gmock/gmock.h>

#include <cstring>
#include <limits>
#include <string>

#include "forebay/memory/copy.h"

namespace forebay::serving {
namespace {

using namespace std::string_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A body in a buffer, with `lead` bytes before it.
RequestBody request_body(std::string_view text, size_t lead = 0) {
  RequestBody body;
  body.buffer = memory::Buffer::allocate(lead + text.size() + 1).value();
  body.offset_bytes = lead;
  body.size_bytes = text.size();
  std::copy(text.begin(), text.end(), static_cast<char*>(body.buffer->data()) + lead);
  return body;
}

Result<ParsedRequest> parsed_json(std::string_view text) {
  return parse_request(request_body(text), std::nullopt, {.model = "m"});
}

template <class Element>
std::vector<Element> request_elements(const NamedTensor& tensor) {
  std::vector<Element> elements(tensor.size_bytes / sizeof(Element));
  std::memcpy(elements.data(), tensor.bytes().data(), elements.size() * sizeof(Element));
  return elements;
}

std::vector<std::string> request_strings(const NamedTensor& tensor) {
  std::vector<std::string> strings;
  for (const Bytes element : elements_of(tensor)) {
    strings.emplace_back(reinterpret_cast<const char*>(element.data()), element.size());
  }
  return strings;
}

std::string one_input(std::string_view datatype, std::string_view shape, std::string_view data) {
  return fmt::format(R"({{"inputs":[{{"name":"x","shape":{},"datatype":"{}","data":{}}}]}})", shape, datatype,
                     data);
}

// The elements of the only input of such a request.
template <class Element>
std::vector<Element> read_as(std::string_view datatype, std::string_view shape, std::string_view data) {
  const auto parsed = parsed_json(one_input(datatype, shape, data));
  EXPECT_TRUE(parsed.ok()) << parsed.status();
  return parsed.ok() ? request_elements<Element>(parsed->request.inputs[0]) : std::vector<Element>();
}

std::string refusal(std::string_view text, std::optional<uint64_t> header_length = std::nullopt) {
  const auto parsed = parse_request(request_body(text), header_length, {.model = "m"});
  EXPECT_FALSE(parsed.ok()) << text.substr(0, 200);
  EXPECT_NE(parsed.status().code(), StatusCode::kInternal);
  return parsed.ok() ? "" : std::string(message(parsed.status()));
}

// What Triton's Python client sends for two rows of three floats; with its JSON's length.
constexpr std::string_view kClientJson =
    R"({"inputs":[{"name":"x","shape":[2,3],"datatype":"FP32","parameters":{"binary_data_size":24}}],)"
    R"("parameters":{"binary_data_output":true}})";
const std::string kClientBytes = "\0\0\0\0\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40\0\0\xa0\x40"s;

TEST(ParseRequest, BinaryTensorsShareTheBody) {
  const size_t lead = bytes_before_body(kClientJson.size());
  const RequestBody body = request_body(std::string(kClientJson) + kClientBytes, lead);
  const uint64_t copied = memory::bytes_copied();
  const auto parsed = parse_request(body, kClientJson.size(), {.model = "m", .version = "2"});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const NamedTensor& tensor = parsed->request.inputs.at(0);
  EXPECT_EQ(tensor.buffer, body.buffer);
  EXPECT_EQ(memory::bytes_copied(), copied);
  EXPECT_THAT(request_elements<float>(tensor), ElementsAre(0, 1, 2, 3, 4, 5));
  EXPECT_THAT(tensor.shape, ElementsAre(2, 3));
  EXPECT_EQ(parsed->request.model + parsed->request.version, "m2");
  EXPECT_TRUE(parsed->form.is_binary);
}

TEST(ParseRequest, ATensorThatIsNotAlignedIsCopied) {
  const RequestBody body =
      request_body(std::string(kClientJson) + kClientBytes, bytes_before_body(kClientJson.size()) + 1);
  const uint64_t copied = memory::bytes_copied();
  const auto parsed = parse_request(body, kClientJson.size(), {});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_NE(parsed->request.inputs[0].buffer, body.buffer);
  EXPECT_EQ(memory::bytes_copied() - copied, kClientBytes.size());
  EXPECT_THAT(request_elements<float>(parsed->request.inputs[0]), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(ParseRequest, APriorityMayBeBeyondWhatAnIntegerHolds) {
  const auto parsed = parsed_json(R"({"inputs":[],"parameters":{"priority":9223372036854775808}})");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->request.priority, (uint64_t{1} << 63) - 1);
}

TEST(ParseRequest, AllThatTheClientSaysIsTaken) {
  const std::string json =
      R"({"id":"7","inputs":[{"name":"s","shape":[2],"datatype":"BYTES",)"
      R"("parameters":{"binary_data_size":12}},)"
      R"({"name":"e","shape":[0],"datatype":"FP32","parameters":{"binary_data_size":0}}],)"
      R"("outputs":[{"name":"o","parameters":{"classification":3,"binary_data":true}},{"name":"p"}],)"
      R"("parameters":{"priority":1,"timeout":5000,"key":-3,"epoch":2,"timing":true,"mine":1.5,)"
      R"("sequence_id":0}})";
  const auto parsed =
      parse_request(request_body(json + "\2\0\0\0ab\2\0\0\0\xc3\xa9"s), json.size(), {.now_ns = 100});
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  const InferRequest& request = parsed->request;
  EXPECT_EQ(request.id, "7");
  EXPECT_THAT(request_strings(request.inputs.at(0)), ElementsAre("ab", "\xc3\xa9"));
  EXPECT_EQ(request.inputs.at(1).size_bytes, 0);
  EXPECT_EQ(request.priority, 1);
  EXPECT_EQ(request.deadline_ns, 5'000'100);
  EXPECT_EQ(request.key, -3);
  EXPECT_EQ(request.epoch, 2);
  EXPECT_EQ(request.parameters, (Parameters{{"mine", 1.5}}));
  ASSERT_EQ(request.outputs.size(), 2);
  EXPECT_EQ(request.outputs[0].class_count, 3);
  EXPECT_TRUE(request.outputs[0].is_binary);
  EXPECT_FALSE(request.outputs[1].is_binary);
  EXPECT_TRUE(parsed->form.has_timing);
}

TEST(ParseRequest, TimeoutsOfNoneAndOfCenturiesAreNoDeadline) {
  for (const char* timeout : {"0", "9223372036854775807", "18446744073709551615"}) {
    const auto parsed = parsed_json(fmt::format(R"({{"inputs":[],"parameters":{{"timeout":{}}}}})", timeout));
    ASSERT_TRUE(parsed.ok()) << parsed.status();
    EXPECT_EQ(parsed->request.deadline_ns, kNoDeadlineNs) << timeout;
  }
}

TEST(ParseRequest, JsonHoldsEveryDatatypeThatItCan) {
  EXPECT_THAT(read_as<uint8_t>("BOOL", "[2]", "[true,false]"), ElementsAre(1, 0));
  EXPECT_THAT(read_as<uint8_t>("UINT8", "[2]", "[0,255]"), ElementsAre(0, 255));
  EXPECT_THAT(read_as<int8_t>("INT8", "[2]", "[-128,127]"), ElementsAre(-128, 127));
  EXPECT_THAT(read_as<uint16_t>("UINT16", "[1]", "[65535]"), ElementsAre(65535));
  EXPECT_THAT(read_as<int16_t>("INT16", "[1]", "[-32768]"), ElementsAre(-32768));
  EXPECT_THAT(read_as<uint32_t>("UINT32", "[1]", "[4294967295]"), ElementsAre(4294967295U));
  EXPECT_THAT(read_as<int32_t>("INT32", "[1]", "[-2147483648]"), ElementsAre(INT32_MIN));
  EXPECT_THAT(read_as<uint64_t>("UINT64", "[1]", "[18446744073709551615]"), ElementsAre(UINT64_MAX));
  EXPECT_THAT(read_as<int64_t>("INT64", "[2]", "[-9223372036854775808,9223372036854775807]"),
              ElementsAre(INT64_MIN, INT64_MAX));
  EXPECT_THAT(read_as<float>("FP32", "[4]", "[1,-2.5,1e-3,3.4028235e38]"),
              ElementsAre(1, -2.5F, 1e-3F, std::numeric_limits<float>::max()));
  EXPECT_THAT(read_as<double>("FP64", "[2]", "[0.1,18446744073709551616]"),
              ElementsAre(0.1, 18446744073709551616.0));
  const auto words = parsed_json(one_input("BYTES", "[2]", R"(["ab","\u00E9"])"));
  ASSERT_TRUE(words.ok()) << words.status();
  EXPECT_THAT(request_strings(words->request.inputs[0]), ElementsAre("ab", "\xc3\xa9"));
}

TEST(ParseRequest, FloatsAreRoundedOnce) {
  // Just above the middle of two floats, and nearer to it than doubles can tell.
  EXPECT_THAT(read_as<float>("FP32", "[1]", "[1.00000005960464477539062500001]"),
              ElementsAre(1.0F + std::numeric_limits<float>::epsilon()));
  EXPECT_THAT(read_as<float>("FP32", "[1]", "[1e-45]"),
              ElementsAre(std::numeric_limits<float>::denorm_min()));
}

TEST(ParseRequest, DataIsFlatOrNestedAsItsShape) {
  EXPECT_THAT(read_as<int32_t>("INT32", "[2,1,2]", "[[[1,2]],[[3,4]]]"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read_as<int32_t>("INT32", "[2,1,2]", "[1,2,3,4]"), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(read_as<int32_t>("INT32", "[]", "[5]"), ElementsAre(5));
  EXPECT_THAT(read_as<int32_t>("INT32", "[2,0]", "[[],[]]"), ElementsAre());
  EXPECT_THAT(refusal(one_input("INT32", "[2,2]", "[[1,2,3],[4]]")), HasSubstr("has 3 elements where"));
  EXPECT_THAT(refusal(one_input("INT32", "[2]", "[[1,2]]")), HasSubstr("nested deeper than its shape"));
}

TEST(ParseRequest, MembersComeInAnyOrder) {
  const auto parsed = parsed_json(
      R"({"parameters":{"a":"b"},)"
      R"("inputs":[{"data":[[1,2],[3,4]],"datatype":"INT16","name":"x","shape":[2,2]},)"
      R"({"name":"y","datatype":"BYTES","shape":[1],"data":["z"]},)"
      R"({"shape":[1],"data":[9],"datatype":"UINT8","name":"w"}],"unknown":[{"data":{"inputs":[null]}}]})");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_THAT(request_elements<int16_t>(parsed->request.inputs.at(0)), ElementsAre(1, 2, 3, 4));
  EXPECT_THAT(request_strings(parsed->request.inputs.at(1)), ElementsAre("z"));
  EXPECT_THAT(request_elements<uint8_t>(parsed->request.inputs.at(2)), ElementsAre(9));
  EXPECT_EQ(parsed->request.inputs[2].name, "w");
}

struct BrokenBody {
  std::string body;
  std::string says;
};

TEST(ParseRequest, BrokenJsonIsRefused) {
  const std::vector<BrokenBody> table = {
      {"", "has no JSON"},
      {"{", "broken at byte"},
      {R"({"inputs":[{"name":"x")", "broken at byte"},
      {R"({"inputs":[]}x)", "broken at byte"},
      {"[]", "not an object"},
      {"7", "not an object"},
      {"{}", "has no 'inputs'"},
      {R"({"inputs":{}})", "must be an array"},
      {R"({"inputs":{"a":{"data":[1]}}})", "must be an array"},
      {R"({"inputs":[7]})", "inputs[0] has no 'name'"},
      {R"({"inputs":[],"id":7})", "'id' of the request must be a string"},
      {R"({"inputs":[],"inputs":[]})", "'inputs' twice"},
      {R"({"inputs":[{"data":[],"data":[]}]})", "'data' twice"},
      {"{\"inputs\":[],\"id\":\"\xff\"}", "broken at byte"},
      {R"({"inputs":[],"parameters":{"sequence_id":4}})", "no sequences"},
      {R"({"inputs":[],"parameters":{"timeout":-1}})", "'timeout' is -1, which is below 0"},
      {R"({"inputs":[],"parameters":{"timeout":1.5}})", "'timeout'"},
      {R"({"inputs":[],"parameters":{"key":18446744073709551615}})",
       "'key' is 18446744073709551615, which is above"},
      {R"({"inputs":[],"parameters":{"a":[1]}})", "parameter 'a'"},
      {R"({"inputs":[],"outputs":[{"name":"o"},{"name":"o"}]})", "'o' is asked for twice"},
      {R"({"inputs":[],"outputs":[{}]})", "has no 'name'"},
      {R"({"inputs":[],"outputs":[{"name":"o","parameters":{"classification":-1}}]})", "negative"},
      {R"({"inputs":[],"outputs":[{"name":"o","parameters":{"shared_memory_region":"r"}}]})", "byte_size"},
      {R"({"inputs":[],"id":")" + std::string(5000, 'i') + "\"}", "at most 4096"},
  };
  for (const BrokenBody& broken : table) {
    EXPECT_THAT(refusal(broken.body), HasSubstr(broken.says)) << broken.body.substr(0, 200);
  }
}

TEST(ParseRequest, ElementsThatDoNotFitAreRefused) {
  const std::vector<BrokenBody> table = {
      {one_input("UINT8", "[1]", "[256]"), "input 'x': element 0 is 256, which UINT8 cannot hold"},
      {one_input("UINT8", "[2]", "[1,-1]"), "element 1 is -1"},
      {one_input("INT64", "[1]", "[9223372036854775808]"), "cannot hold"},
      {one_input("INT32", "[1]", "[1.5]"), "element 0 is 1.5"},
      {one_input("INT32", "[1]", "[true]"), "element 0 is true"},
      {one_input("BOOL", "[1]", "[1]"), "element 0 is 1"},
      {one_input("FP32", "[1]", "[1e39]"), "element 0 is 1e39"},
      {one_input("FP32", "[1]", "[\"1\"]"), "a string"},
      {one_input("FP64", "[1]", "[1e999]"), "number overflow"},
      {one_input("FP64", "[1]", "[NaN]"), "binary data only"},
      {one_input("FP64", "[1]", "[null]"), "its data holds null"},
      {one_input("FP64", "[1]", "[{}]"), "its data holds an object"},
      {one_input("FP64", "[1]", "7"), "must be an array"},
      {one_input("FP64", "[1]", "null"), "needs one of"},
      {one_input("BYTES", "[1]", "[1]"), "element 0 is 1"},
      {one_input("BYTES", "[1]", "[\"\xff\"]"), "broken at byte"},
      {one_input("FP16", "[1]", "[1]"), "FP16 cannot be given as JSON"},
      {one_input("BF16", "[1]", "[1]"), "BF16 cannot be given as JSON"},
      {one_input("FP33", "[1]", "[1]"), "'FP33' is none of"},
      {one_input("INT8", "[2]", "[1]"), "has 1 elements where"},
      {one_input("INT8", "[1]", "[1,2]"), "more than the 1 elements"},
      {one_input("INT8", "[-1]", "[1]"), "negative"},
      {one_input("INT8", "[1.0]", "[1]"), "must be an integer"},
      {one_input("INT8", "[4611686018427387904,4]", "[1]"), "2^63 - 1"},
      {one_input("FP64", "[2305843009213693952]", "[1]"), "more than the request can hold"},
      {one_input("INT8", "7", "[1]"), "array of integers"},
      {R"({"inputs":[{"name":"x","data":[1]}]})", "has no 'datatype'"},
      {R"({"inputs":[{"name":"x","shape":[1],"datatype":"INT8"}]})", "needs one of"},
  };
  for (const BrokenBody& broken : table) {
    EXPECT_THAT(refusal(broken.body), HasSubstr(broken.says)) << broken.body;
  }
}

std::string binary_input(std::string_view datatype, std::string_view shape, std::string_view parameters) {
  return fmt::format(R"({{"inputs":[{{"name":"x","shape":{},"datatype":"{}","parameters":{{{}}}}}]}})", shape,
                     datatype, parameters);
}

TEST(ParseRequest, BinarySizesThatAreWrongAreRefused) {
  const std::vector<BrokenBody> table = {
      {binary_input("FP32", "[1]", R"("binary_data_size":5)"), "4 bytes are left"},
      {binary_input("FP32", "[1]", R"("binary_data_size":18446744073709551615)"), "4 bytes are left"},
      {binary_input("FP32", "[1]", R"("binary_data_size":-4)"), "an integer of 0 or more"},
      {binary_input("FP32", "[1]", R"("binary_data_size":"4")"), "an integer of 0 or more"},
      {binary_input("FP32", "[1]", R"("binary_data_size":3)"), "3 bytes were given"},
      {binary_input("FP32", "[2]", R"("binary_data_size":4)"), "4 bytes were given"},
      {binary_input("INT8", "[2]", R"("binary_data_size":2)"), "2 bytes are left behind"},
      {binary_input("BYTES", "[1]", R"("binary_data_size":4)"), "reaches beyond"},
      {binary_input("BOOL", "[4]", R"("binary_data_size":4)"), "a BOOL is a byte of 0 or 1"},
      {binary_input("FP32", "[1]",
                    R"("binary_data_size":4,"shared_memory_region":"r",)"
                    R"("shared_memory_byte_size":4)"),
       "needs one of"},
      {binary_input("FP32", "[1]", R"("shared_memory_region":"r","shared_memory_byte_size":4)"),
       "takes no tensors in shared memory"},
      {binary_input("FP32", "[1]", R"("shared_memory_offset":4)"), "needs 'shared_memory_region'"},
  };
  for (const BrokenBody& broken : table) {
    EXPECT_THAT(refusal(broken.body + "\2\2\2\2", broken.body.size()), HasSubstr(broken.says)) << broken.body;
  }
  EXPECT_THAT(refusal("{}", 3), HasSubstr("the body has 2 bytes"));
  EXPECT_THAT(refusal("{}", 0), HasSubstr("has no JSON"));
  EXPECT_THAT(refusal("{}", UINT64_MAX), HasSubstr("the body has 2 bytes"));
}

TEST(ParseRequest, ANameMayBeGivenOnce) {
  const std::string x = R"({"name":"x","shape":[1],"datatype":"INT8","data":[1]})";
  EXPECT_THAT(refusal(R"({"inputs":[)" + x + "," + x + "]}"), HasSubstr("input 'x' is given twice"));
}

ModelMetadata raw_model(Datatype datatype, std::vector<int64_t> shape, int64_t max_batch_size) {
  ModelMetadata metadata;
  metadata.max_batch_size = max_batch_size;
  metadata.inputs = {{.name = "x", .datatype = datatype, .shape = std::move(shape)}};
  return metadata;
}

TEST(ParseRequest, ABodyWithoutJsonIsTheOnlyInput) {
  const RequestBody body = request_body("\0\0\x80\x3f\0\0\0\x40"s);
  ModelMetadata metadata = raw_model(Datatype::kFp32, {-1, -1}, 8);
  const auto floats = parse_request(body, 0, {.metadata = &metadata});
  ASSERT_TRUE(floats.ok()) << floats.status();
  EXPECT_THAT(floats->request.inputs.at(0).shape, ElementsAre(1, 2));
  EXPECT_EQ(floats->request.inputs[0].buffer, body.buffer);
  EXPECT_THAT(request_elements<float>(floats->request.inputs[0]), ElementsAre(1, 2));
  EXPECT_TRUE(floats->form.is_binary);
  metadata = raw_model(Datatype::kBytes, {-1, 1}, 8);
  const auto words = parse_request(request_body("ab\0c"s), 0, {.metadata = &metadata});
  ASSERT_TRUE(words.ok()) << words.status();
  EXPECT_THAT(request_strings(words->request.inputs.at(0)), ElementsAre("ab\0c"s));
  for (const ModelMetadata& unfit :
       {raw_model(Datatype::kFp32, {-1, -1}, 0), raw_model(Datatype::kFp32, {3, -1}, 0),
        raw_model(Datatype::kFp32, {3}, 0), raw_model(Datatype::kBytes, {2}, 0), ModelMetadata()}) {
    EXPECT_EQ(parse_request(body, 0, {.metadata = &unfit}).status().code(), StatusCode::kInvalidArgument);
  }
}

TEST(ParseRequest, DepthIsLimited) {
  constexpr size_t kDepth = 1'000'000;
  const std::string arrays(kDepth, '[');
  std::string objects;
  for (size_t i = 0; i < kDepth; ++i) {
    objects += R"({"a":)";
  }
  const std::string depth = "nested deeper than 64 levels";
  EXPECT_THAT(refusal(arrays), HasSubstr("not an object"));
  EXPECT_THAT(refusal(objects), HasSubstr(depth));
  EXPECT_THAT(refusal(R"({"inputs":)" + arrays), HasSubstr(depth));
  EXPECT_THAT(refusal(R"({"inputs":[{"data":)" + arrays), HasSubstr(depth));
  EXPECT_THAT(refusal(R"({"inputs":[{"shape":[1],"datatype":"INT8","data":)" + arrays),
              HasSubstr("nested deeper"));
}

TEST(ParseRequest, WhatIsNotDataIsLimited) {
  std::string ones = "1";
  for (int i = 0; i < 70'000; ++i) {
    ones += ",1";
  }
  EXPECT_THAT(refusal(R"({"inputs":[],"other":[)" + ones + "]}"), HasSubstr("more than 65536 values"));
  EXPECT_EQ(read_as<uint8_t>("UINT8", "[70001]", "[" + ones + "]").size(), 70'001);
  std::string inputs = "{}";
  for (int i = 0; i < 5000; ++i) {
    inputs += ",{}";
  }
  EXPECT_THAT(refusal(R"({"inputs":[)" + inputs + "]}"), HasSubstr("5001 entries"));
}

TEST(ParseRequest, IsGivenUpWhenItIsToStop) {
  std::stop_source stop;
  const auto code_of = [&](const std::string& input) {
    return parse_request(request_body(R"({"inputs":[{"name":"x",)" + input + "}]}"), std::nullopt,
                         {.stop = stop.get_token()})
        .status()
        .code();
  };
  std::string numbers = "1";
  std::string lists = "[]";
  for (int i = 1; i < 10'000; ++i) {
    numbers += ",1";
    lists += ",[]";
  }
  const std::string head = R"("datatype":"INT8","shape":[10000])";
  const std::string data = R"("data":[)" + numbers + "]";
  EXPECT_EQ(code_of(head + "," + data), StatusCode::kOk);
  stop.request_stop();
  EXPECT_EQ(code_of(head + "," + data), StatusCode::kCancelled);
  EXPECT_EQ(code_of(data + "," + head), StatusCode::kCancelled);
  EXPECT_EQ(code_of(R"("data":[)" + lists + "]," + head), StatusCode::kCancelled);
}

}  // namespace
}  // namespace forebay::serving
