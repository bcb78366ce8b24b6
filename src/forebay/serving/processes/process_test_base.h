// What tests of models in processes share: this program starts itself again as the worker.
#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/serving/processes/process_model.h"

namespace forebay::serving {

inline constexpr const char* kTestWorker = "FOREBAY_TEST_WORKER";  // what the worker is to be

/// Where this program runs a share of its tests, the worker's may be of another share.
inline constexpr const char* kAllShards = "GTEST_TOTAL_SHARDS=1";
inline constexpr const char* kFirstShard = "GTEST_SHARD_INDEX=0";

/// This program again, with one test, which is the worker, and `kind` in its environment.
inline WorkerCommand worker_in(const std::string& test, const std::string& kind) {
  return {.words = {"/proc/self/exe", "--gtest_filter=" + test},
          .environment = {std::string(kTestWorker) + "=" + kind, kAllShards, kFirstShard}};
}

/// The worker of process_model_test.cc, which gives inputs back: x as y, words as words.
inline constexpr const char* kEchoWorkerTest = "ProcessModel.WorkerProcess";

using InferFuture = std::future<Result<InferResponse>>;

inline InferFuture begin_asking(Model& model, InferRequest request) {
  auto promise = std::make_shared<std::promise<Result<InferResponse>>>();
  InferFuture future = promise->get_future();
  model.infer(std::move(request),
              [promise](Result<InferResponse> result) { promise->set_value(std::move(result)); });
  return future;
}

inline Result<InferResponse> awaited(InferFuture future) {
  constexpr auto kPatience = std::chrono::seconds(60);
  return future.wait_for(kPatience) == std::future_status::ready
             ? future.get()
             : Result<InferResponse>(internal_error("no answer came within a minute"));
}

inline Result<InferResponse> ask_model(Model& model, InferRequest request) {
  return awaited(begin_asking(model, std::move(request)));
}

template <class T>
NamedTensor tensor_holding(std::string name, Datatype datatype, std::vector<int64_t> shape,
                           const std::vector<T>& values) {
  NamedTensor tensor;
  tensor.name = std::move(name);
  tensor.datatype = datatype;
  tensor.shape = std::move(shape);
  tensor.size_bytes = values.size() * sizeof(T);
  tensor.buffer = memory::Buffer::allocate(tensor.size_bytes).value();
  std::copy(values.begin(), values.end(), static_cast<T*>(tensor.buffer->data()));
  return tensor;
}

template <class T>
std::vector<T> values_held(const NamedTensor& tensor) {
  const auto* const first = reinterpret_cast<const T*>(tensor.bytes().data());
  return {first, first + tensor.size_bytes / sizeof(T)};
}

inline std::vector<std::string> texts_held(const NamedTensor& tensor) {
  std::vector<std::string> texts;
  for (const Bytes element : elements_of(tensor)) {
    texts.emplace_back(reinterpret_cast<const char*>(element.data()), element.size());
  }
  return texts;
}

inline std::string error_told(const Status& status) {
  return std::string(message(status));
}

inline ProcessModelOptions echo_options(const std::string& kind = "echo") {
  ProcessModelOptions options;
  options.name = "m";
  options.version = "1";
  options.command = worker_in(kEchoWorkerTest, kind);
  options.first_pause_ns = kMillisecond;
  options.longest_pause_ns = kMillisecond;
  options.kill_after_ns = 10 * kMillisecond;
  options.end_patience_ns = kind == "echo" ? kSecond : 0;
  return options;
}

inline std::unique_ptr<ProcessModel> start_echo(ProcessModelOptions options = echo_options()) {
  Result<std::unique_ptr<ProcessModel>> model = ProcessModel::start(std::move(options));
  EXPECT_TRUE(model.ok()) << model.status();
  return *std::move(model);
}

inline InferRequest echo_request(std::vector<float> values, const std::string& what = "") {
  InferRequest request;
  request.model = "m";
  request.id = "7";
  const auto count = static_cast<int64_t>(values.size());
  request.inputs.push_back(tensor_holding("x", Datatype::kFp32, {count}, values));
  if (!what.empty()) {
    request.parameters["do"] = what;
  }
  return request;
}

inline InferRequest echo_order(const std::string& what) {
  return echo_request({1}, what);
}

inline int64_t soon_ns() {
  return steady_clock().now_ns() + 20 * kMillisecond;
}

}  // namespace forebay::serving
