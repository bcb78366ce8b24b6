// What tests of models in processes share: this program starts itself again as the worker.
#pragma once

#include <gmock/gmock.h>

#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/serving/processes/process_model.h"

namespace forebay::serving {

inline constexpr const char* kTestWorker = "FOREBAY_TEST_WORKER";  // what the worker is to be

/// This program again, with one test, which is the worker, and `kind` in its environment.
inline WorkerCommand worker_in(const std::string& test, const std::string& kind) {
  return {.words = {"/proc/self/exe", "--gtest_filter=" + test},
          .environment = {std::string(kTestWorker) + "=" + kind}};
}

using InferFuture = std::future<Result<InferResponse>>;

inline InferFuture begin_infer(Model& model, InferRequest request) {
  auto promise = std::make_shared<std::promise<Result<InferResponse>>>();
  InferFuture future = promise->get_future();
  model.infer(std::move(request),
              [promise](Result<InferResponse> result) { promise->set_value(std::move(result)); });
  return future;
}

inline Result<InferResponse> answer_of(InferFuture future) {
  constexpr auto kPatience = std::chrono::seconds(60);
  return future.wait_for(kPatience) == std::future_status::ready
             ? future.get()
             : Result<InferResponse>(internal_error("no answer came within a minute"));
}

inline Result<InferResponse> infer(Model& model, InferRequest request) {
  return answer_of(begin_infer(model, std::move(request)));
}

template <class T>
NamedTensor tensor_with(std::string name, Datatype datatype, std::vector<int64_t> shape,
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
std::vector<T> values_in(const NamedTensor& tensor) {
  const auto* const first = reinterpret_cast<const T*>(tensor.bytes().data());
  return {first, first + tensor.size_bytes / sizeof(T)};
}

inline std::vector<std::string> texts_in(const NamedTensor& tensor) {
  std::vector<std::string> texts;
  for (const Bytes element : elements_of(tensor)) {
    texts.emplace_back(reinterpret_cast<const char*>(element.data()), element.size());
  }
  return texts;
}

inline std::string error_text(const Status& status) {
  return std::string(message(status));
}

}  // namespace forebay::serving
