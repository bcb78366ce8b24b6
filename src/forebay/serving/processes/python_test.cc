// Runs models in Python in processes of their own, where a Python with NumPy is found.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "forebay/base/testing/temporary_directory.h"
#include "forebay/serving/processes/process_test_base.h"
#include "forebay/serving/processes/python_worker.h"

namespace forebay::serving {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

/// The source tree's folder of the worker; empty elsewhere.
std::string source_path(const std::string& inside) {
  for (std::filesystem::path at = std::filesystem::current_path(); at.has_relative_path();
       at = at.parent_path()) {
    if (std::filesystem::exists(at / inside)) {
      return at / inside;
    }
  }
  return {};
}

std::string python_with_numpy() {
  for (const std::string& python : {source_path(".venv/bin/python"), std::string("python3")}) {
    if (!python.empty() && std::system((python + " -c 'import numpy' 2>/dev/null").c_str()) == 0) {
      return python;
    }
  }
  return {};
}

class PythonModel : public ::testing::Test {
 protected:
  void SetUp() override {
    options_.python = python_with_numpy();
    options_.worker_folder = source_path("python/forebay/serving/worker");
    if (options_.python.empty() || options_.worker_folder.empty()) {
      GTEST_SKIP() << "a Python with NumPy, or the source tree, is missing";
    }
  }

  Result<std::unique_ptr<ProcessModel>> start(const std::string& code) {
    options_.model = folder_ / "model.py";
    options_.name = "p";
    options_.version = "1";
    std::ofstream(options_.model) << code;
    ProcessModelOptions options;
    options.name = "p";
    options.command = python_command(options_);
    return ProcessModel::start(std::move(options));
  }

  TemporaryDirectory folder_;
  PythonOptions options_;
};

constexpr const char* kDoubling = R"(
import os
import numpy as np

class Model:
    inputs = [("x", "FP32", (2,)), ("words", "BYTES", (-1,))]
    outputs = [("y", np.float32, (2,)), ("words", "BYTES", (-1,))]
    max_batch_size = 4

    def __init__(self, config):
        self.factor = config.get("factor", 2)

    def infer(self, x, words):
        assert not x.flags.writeable
        if x[0, 0] == 13:
            raise ValueError("unlucky")
        if x[0, 0] == 14:
            os.abort()
        return {"y": x * np.float32(self.factor), "words": words}
)";

InferRequest doubling_request(float first, const std::vector<std::string>& words) {
  InferRequest request;
  request.inputs.push_back(tensor_holding<float>("x", Datatype::kFp32, {1, 2}, {first, 2}));
  NamedTensor texts = bytes_tensor("words", words).value();
  texts.shape = {1, static_cast<int64_t>(words.size())};
  request.inputs.push_back(std::move(texts));
  return request;
}

TEST_F(PythonModel, ComputesFailsAndCrashes) {
  options_.config_json = R"({"factor": 3})";
  const auto model = start(kDoubling);
  ASSERT_TRUE(model.ok()) << model.status();
  EXPECT_EQ((*model)->metadata().platform, "python");
  EXPECT_EQ((*model)->metadata().max_batch_size, 4);
  EXPECT_EQ((*model)->metadata().inputs[0].shape, (std::vector<int64_t>{-1, 2}));
  const std::vector<std::string> words = {"", std::string("\0\xff", 2), "long"};
  for (int i = 0; i < 3; ++i) {
    const Result<InferResponse> response = ask_model(**model, doubling_request(1, words));
    ASSERT_TRUE(response.ok()) << response.status();
    EXPECT_EQ(values_held<float>(response->outputs[0]), (std::vector<float>{3, 6}));
    EXPECT_EQ(texts_held(response->outputs[1]), words);
    EXPECT_GT(response->timing.compute_ns, 0);
  }
  const Status unlucky = ask_model(**model, doubling_request(13, words)).status();
  EXPECT_EQ(unlucky.code(), StatusCode::kInternal);
  EXPECT_THAT(error_told(unlucky),
              AllOf(HasSubstr("model 'p': ValueError: unlucky"), HasSubstr("model.py:")));
  const Status crashed = ask_model(**model, doubling_request(14, words)).status();
  EXPECT_THAT(error_told(crashed), AllOf(HasSubstr("signal 6"), HasSubstr("in infer")));
  EXPECT_TRUE(ask_model(**model, doubling_request(1, words)).ok());
}

TEST_F(PythonModel, AFileThatCannotBeLoadedSaysWhy) {
  EXPECT_THAT(error_told(start("x = 1/0").status()),
              AllOf(HasSubstr("ZeroDivisionError"), HasSubstr("model.py:1")));
  EXPECT_THAT(error_told(start("x = 1").status()), HasSubstr("no class `Model`"));
}

}  // namespace
}  // namespace forebay::serving
