// Runs ONNX models, written here byte by byte, in processes of their own, where ONNX Runtime is installed.
#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "forebay/base/clock.h"
#include "forebay/base/testing/temporary_directory.h"
#include "forebay/serving/processes/onnx_worker.h"
#include "forebay/serving/processes/process_test_base.h"

namespace forebay::serving {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr int kOnnxFloat = 1;
constexpr int kOnnxString = 8;

// --- ONNX's protobuf; source of the numbers of fields: onnx.proto ---

std::string varint(uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) {
    bytes += static_cast<char>(value | 0x80);
  }
  return bytes + static_cast<char>(value);
}

std::string number_field(int field, uint64_t value) {
  return varint(static_cast<uint64_t>(field) << 3) + varint(value);
}

std::string bytes_field(int field, const std::string& bytes) {
  return varint((static_cast<uint64_t>(field) << 3) | 2) + varint(bytes.size()) + bytes;
}

/// A ValueInfoProto; an extent of -1 is the parameter "n".
std::string onnx_tensor(const std::string& name, int type, const std::vector<int>& shape) {
  std::string extents;
  for (const int extent : shape) {
    extents += bytes_field(1, extent < 0 ? bytes_field(2, "n") : number_field(1, extent));
  }
  return bytes_field(1, name) +
         bytes_field(2, bytes_field(1, number_field(1, type) + bytes_field(2, extents)));
}

std::string onnx_node(const std::string& operation, const std::vector<std::string>& inputs,
                      const std::string& output) {
  std::string node;
  for (const std::string& input : inputs) {
    node += bytes_field(1, input);
  }
  return bytes_field(1, node + bytes_field(2, output) + bytes_field(4, operation));
}

std::string onnx_model(const std::string& graph) {
  return number_field(1, 8) + bytes_field(8, number_field(2, 13)) +
         bytes_field(7, graph + bytes_field(2, "g"));
}

/// sum = a + b of floats [n, 2], texts = words of strings [n].
std::string two_in_one() {
  return onnx_model(onnx_node("Add", {"a", "b"}, "sum") + onnx_node("Identity", {"words"}, "texts") +
                    bytes_field(11, onnx_tensor("a", kOnnxFloat, {-1, 2})) +
                    bytes_field(11, onnx_tensor("b", kOnnxFloat, {-1, 2})) +
                    bytes_field(11, onnx_tensor("words", kOnnxString, {-1})) +
                    bytes_field(12, onnx_tensor("sum", kOnnxFloat, {-1, 2})) +
                    bytes_field(12, onnx_tensor("texts", kOnnxString, {-1})));
}

// --- the worker ---

TEST(OnnxModel, WorkerProcess) {
  const char* const words = std::getenv(kTestWorker);
  if (words == nullptr) {
    GTEST_SKIP() << "started by the other tests";
  }
  std::istringstream lines(words);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) {
    all.push_back(line);
  }
  ::_exit(run_onnx_worker(all));
}

// --- the tests ---

OnnxPlaces test_places() {
  OnnxPlaces places;
  for (std::filesystem::path at = std::filesystem::current_path(); at.has_relative_path();
       at = at.parent_path()) {
    places.folders.push_back(at / ".peers/serving/lib/python3.11/site-packages");
  }
  return places;
}

#define SKIP_WITHOUT_ONNX_RUNTIME()                          \
  if (!OnnxLibrary::open(test_places()).ok()) {              \
    GTEST_SKIP() << "onnxruntime is missing (`make peers`)"; \
  }                                                          \
  static_assert(true)

class OnnxFile {
 public:
  explicit OnnxFile(const std::string& bytes) : path_(folder_ / "model.onnx") {
    std::ofstream(path_, std::ios::binary) << bytes;
  }
  OnnxOptions options() const { return {.model = path_, .places = test_places()}; }

 private:
  TemporaryDirectory folder_;
  std::string path_;
};

/// The words behind "onnx" go to this program's own worker.
Result<std::unique_ptr<ProcessModel>> start_onnx(const OnnxOptions& onnx) {
  const WorkerCommand command = onnx_command("forebay", onnx);
  std::string words;
  for (size_t i = 3; i < command.words.size(); ++i) {
    words += command.words[i] + "\n";
  }
  ProcessModelOptions options;
  options.name = "sum";
  options.command = worker_in("OnnxModel.WorkerProcess", words);
  return ProcessModel::start(std::move(options));
}

InferRequest sum_request(const std::vector<std::string>& words) {
  InferRequest request;
  request.inputs.push_back(tensor_holding<float>("a", Datatype::kFp32, {2, 2}, {1, 2, 3, 4}));
  request.inputs.push_back(tensor_holding<float>("b", Datatype::kFp32, {2, 2}, {10, 20, 30, 40}));
  request.inputs.push_back(bytes_tensor("words", words).value());
  return request;
}

TEST(OnnxModel, ComputesFloatsAndStrings) {
  SKIP_WITHOUT_ONNX_RUNTIME();
  const OnnxFile file(two_in_one());
  const auto model = start_onnx(file.options());
  ASSERT_TRUE(model.ok()) << model.status();
  const ModelMetadata& metadata = (*model)->metadata();
  EXPECT_EQ(metadata.platform, "onnxruntime_onnx");
  ASSERT_EQ(metadata.inputs.size(), 3);
  EXPECT_EQ(metadata.inputs[0].shape, (std::vector<int64_t>{-1, 2}));
  EXPECT_EQ(metadata.inputs[2].datatype, Datatype::kBytes);
  const std::vector<std::string> words = {"", "zwei"};
  const Result<InferResponse> response = ask_model(**model, sum_request(words));
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->outputs.size(), 2);
  EXPECT_EQ(values_held<float>(response->outputs[0]), (std::vector<float>{11, 22, 33, 44}));
  EXPECT_EQ(response->outputs[0].shape, (std::vector<int64_t>{2, 2}));
  EXPECT_EQ(texts_held(response->outputs[1]), words);
  EXPECT_GT(response->timing.compute_ns, 0);
}

TEST(OnnxModel, OnlyWhatIsAskedForIsGiven) {
  SKIP_WITHOUT_ONNX_RUNTIME();
  const OnnxFile file(two_in_one());
  OnnxOptions options = file.options();
  options.max_batch_size = 8;
  const auto model = start_onnx(options);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->metadata().max_batch_size, 8);
  InferRequest request = sum_request({"a", "b"});
  request.outputs.push_back({.name = "texts"});
  const Result<InferResponse> response = ask_model(**model, std::move(request));
  ASSERT_TRUE(response.ok()) << response.status();
  ASSERT_EQ(response->outputs.size(), 1);
  EXPECT_EQ(response->outputs[0].name, "texts");
}

TEST(OnnxModel, ErrorsOfTheRuntimeAreTheRequests) {
  SKIP_WITHOUT_ONNX_RUNTIME();
  const OnnxFile file(two_in_one());
  const auto model = start_onnx(file.options());
  ASSERT_TRUE(model.ok()) << model.status();
  InferRequest short_one = sum_request({"a", "b"});
  short_one.inputs.pop_back();
  EXPECT_THAT(error_told(ask_model(**model, std::move(short_one)).status()), HasSubstr("'words' is missing"));
  InferRequest uneven = sum_request({"a", "b"});
  uneven.inputs[0] = tensor_holding<float>("a", Datatype::kFp32, {3, 2}, {1, 2, 3, 4, 5, 6});
  EXPECT_THAT(error_told(ask_model(**model, std::move(uneven)).status()),
              HasSubstr("model 'sum': ONNX Runtime"));
  EXPECT_THAT(error_told(ask_model(**model, sum_request({std::string("a\0b", 3), ""})).status()),
              HasSubstr("zero byte"));
  EXPECT_TRUE(ask_model(**model, sum_request({"a", "b"})).ok());
  EXPECT_EQ((*model)->failure_count(), 0);
}

TEST(OnnxModel, FilesThatAreNoModelsSaySo) {
  SKIP_WITHOUT_ONNX_RUNTIME();
  const OnnxFile file("this is no model");
  EXPECT_THAT(error_told(start_onnx(file.options()).status()),
              AllOf(HasSubstr("model.onnx"), HasSubstr("ONNX Runtime")));
  OnnxOptions none = file.options();
  none.model = "/no/such/model.onnx";
  EXPECT_THAT(error_told(start_onnx(none).status()), HasSubstr("/no/such/model.onnx"));
  const OnnxFile fixed(onnx_model(onnx_node("Identity", {"a"}, "b") +
                                  bytes_field(11, onnx_tensor("a", kOnnxFloat, {1, 2})) +
                                  bytes_field(12, onnx_tensor("b", kOnnxFloat, {1, 2}))));
  OnnxOptions batched = fixed.options();
  batched.max_batch_size = 4;
  EXPECT_THAT(error_told(start_onnx(batched).status()), HasSubstr("set max_batch_size to 0"));
}

TEST(OnnxModel, WithoutTheLibraryTheErrorSaysWhatToDo) {
  ::setenv("FOREBAY_ONNXRUNTIME", "/no/such/libonnxruntime.so", 1);
  const Status status = OnnxLibrary::open({}).status();
  ::setenv("FOREBAY_ONNXRUNTIME", "libc.so.6", 1);
  const Status other = OnnxLibrary::open({}).status();
  ::unsetenv("FOREBAY_ONNXRUNTIME");
  EXPECT_EQ(status.code(), StatusCode::kNotFound);
  EXPECT_THAT(error_told(status), AllOf(HasSubstr("pip install onnxruntime"), HasSubstr("/no/such/")));
  EXPECT_THAT(error_told(other), HasSubstr("libc.so.6: not ONNX Runtime"));
}

}  // namespace
}  // namespace forebay::serving
