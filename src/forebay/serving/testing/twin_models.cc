// Twins: what they were asked, and what they answer.
#include "forebay/serving/testing/twin_models.h"

#include <cstring>

#include "forebay/base/check.h"

namespace forebay::serving::testing {
namespace {

constexpr std::chrono::seconds kPatience(10);

}  // namespace

void TwinModel::infer(InferRequest request, InferAnswer answer) {
  bool answers_now = pace_ == TwinPace::kAtOnce;
  Status refused;
  {
    const MutexLock lock(mutex_);
    requests_.push_back(request);
    if (is_closed_) {
      refused = unavailable("the twin is closed");
      answers_now = true;
    } else if (!answers_now) {
      waiting_.push_back({std::move(request), std::move(answer)});
    }
    changed_.notify_all();
  }
  if (answers_now) {
    answer(refused.ok() ? function_(request) : Result<InferResponse>(refused));
  }
}

bool TwinModel::answer_next() {
  Asked asked;
  {
    const MutexLock lock(mutex_);
    if (waiting_.empty()) {
      return false;
    }
    asked = std::move(waiting_.front());
    waiting_.pop_front();
  }
  asked.answer(function_(asked.request));
  return true;
}

void TwinModel::close(int64_t) {
  std::deque<Asked> left;
  {
    const MutexLock lock(mutex_);
    is_closed_ = true;
    left = std::move(waiting_);
    waiting_.clear();
  }
  for (Asked& asked : left) {
    asked.answer(unavailable("the twin is closed"));
  }
}

Status TwinModel::status() const {
  const MutexLock lock(mutex_);
  return status_;
}

void TwinModel::set_status(Status status) {
  const MutexLock lock(mutex_);
  status_ = std::move(status);
}

bool TwinModel::wait_for_requests(size_t count) {
  UniqueMutexLock lock(mutex_);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (requests_.size() < count) {
    if (changed_.wait_until(lock.native(), end) == std::cv_status::timeout) {
      return requests_.size() >= count;
    }
  }
  return true;
}

std::vector<InferRequest> TwinModel::requests() const {
  const MutexLock lock(mutex_);
  return requests_;
}

size_t TwinModel::waiting() const {
  const MutexLock lock(mutex_);
  return waiting_.size();
}

bool TwinModel::is_closed() const {
  const MutexLock lock(mutex_);
  return is_closed_;
}

TensorMetadata twin_tensor(std::string name, std::vector<int64_t> shape, Datatype datatype) {
  TensorMetadata tensor;
  tensor.name = std::move(name);
  tensor.datatype = datatype;
  tensor.shape = std::move(shape);
  return tensor;
}

ModelMetadata twin_metadata(int64_t max_batch_size) {
  ModelMetadata metadata;
  metadata.name = "twin";
  metadata.versions = {"1"};
  metadata.platform = "twin";
  metadata.inputs = {twin_tensor("x", {-1, -1})};
  metadata.outputs = {twin_tensor("y", {-1, -1})};
  metadata.max_batch_size = max_batch_size;
  return metadata;
}

NamedTensor int32_tensor(std::string name, std::vector<int64_t> shape, const std::vector<int32_t>& values) {
  NamedTensor tensor;
  tensor.name = std::move(name);
  tensor.datatype = Datatype::kInt32;
  tensor.shape = std::move(shape);
  tensor.size_bytes = values.size() * sizeof(int32_t);
  tensor.buffer = memory::Buffer::allocate(tensor.size_bytes).value();
  if (!values.empty()) {
    std::memcpy(tensor.buffer->data(), values.data(), tensor.size_bytes);  // copy: a test's values
  }
  return tensor;
}

std::vector<int32_t> int32_values(const NamedTensor& tensor) {
  const Bytes bytes = tensor.bytes();
  std::vector<int32_t> values(bytes.size() / sizeof(int32_t));
  if (!values.empty()) {
    std::memcpy(values.data(), bytes.data(), bytes.size());  // copy: a test's values
  }
  return values;
}

InferRequest twin_request(int64_t rows, const std::vector<int32_t>& values) {
  InferRequest request;
  request.model = "twin";
  request.inputs = {int32_tensor("x", {rows, static_cast<int64_t>(values.size()) / rows}, values)};
  return request;
}

Result<InferResponse> doubled(const InferRequest& request) {
  std::vector<int32_t> values = int32_values(request.inputs.at(0));
  for (int32_t& value : values) {
    if (value < 0) {
      return invalid_argument("{} is negative", value);
    }
    value *= 2;
  }
  InferResponse response;
  response.outputs = {int32_tensor("y", request.inputs.at(0).shape, values)};
  return response;
}

InferAnswer TwinAnswer::answer() {
  return [state = state_](Result<InferResponse> response) {
    const MutexLock lock(state->mutex);
    FOREBAY_CHECK(++state->count == 1);
    state->response = std::move(response);
    state->changed.notify_all();
  };
}

bool TwinAnswer::is_there() const {
  const MutexLock lock(state_->mutex);
  return state_->response.has_value();
}

bool TwinAnswer::wait() {
  UniqueMutexLock lock(state_->mutex);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (!state_->response.has_value()) {
    if (state_->changed.wait_until(lock.native(), end) == std::cv_status::timeout) {
      return state_->response.has_value();
    }
  }
  return true;
}

const Result<InferResponse>& TwinAnswer::get() const {
  const MutexLock lock(state_->mutex);
  FOREBAY_CHECK(state_->response.has_value());
  return *state_->response;
}

}  // namespace forebay::serving::testing
