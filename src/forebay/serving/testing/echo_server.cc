// Models that answer with what they were sent, and count it.
#include "forebay/serving/testing/echo_server.h"

#include <algorithm>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/sync/wait_until.h"
#include "forebay/base/units.h"

namespace forebay::serving::testing {
namespace {

constexpr int64_t kLongestWait_ns = 60 * kSecond;

bool fits(const std::vector<int64_t>& shape, const std::vector<int64_t>& model_shape) {
  if (shape.size() != model_shape.size()) {
    return false;
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (model_shape[i] != -1 && model_shape[i] != shape[i]) {
      return false;
    }
  }
  return true;
}

const NamedTensor* find_tensor(const std::vector<NamedTensor>& tensors, const std::string& name) {
  const auto found =
      std::find_if(tensors.begin(), tensors.end(), [&](const auto& tensor) { return tensor.name == name; });
  return found == tensors.end() ? nullptr : &*found;
}

Status check_input(const NamedTensor& input, const TensorMetadata& model_input) {
  if (input.datatype != model_input.datatype) {
    return invalid_argument("input '{}' is of {}, and the model takes {}", input.name,
                            name_of(input.datatype), name_of(model_input.datatype));
  }
  if (!fits(input.shape, model_input.shape)) {
    return invalid_argument("input '{}' has a shape that the model does not take", input.name);
  }
  return check_size(input);
}

}  // namespace

EchoServer::~EchoServer() {
  for (Held& held : take_held(false)) {
    held.answer(unavailable("the server of models has ended"));
  }
}

void EchoServer::add(ModelMetadata metadata, std::string config_json) {
  const MutexLock lock(mutex_);
  Entry entry;
  entry.statistics.name = metadata.name;
  entry.statistics.version = metadata.versions.empty() ? "1" : metadata.versions.back();
  entry.metadata = std::move(metadata);
  entry.metadata.versions = {entry.statistics.version};
  entry.config_json = std::move(config_json);
  models_.insert_or_assign(entry.metadata.name, std::move(entry));
}

void EchoServer::fail_with(const std::string& model, Status error) {
  const MutexLock lock(mutex_);
  models_.at(model).error = std::move(error);
}

void EchoServer::hold() {
  const MutexLock lock(mutex_);
  is_holding_ = true;
}

void EchoServer::release(bool reversed) {
  for (Held& held : take_held(reversed)) {
    held.answer(answer_to(held.request));
  }
}

std::vector<EchoServer::Held> EchoServer::take_held(bool reversed) {
  const MutexLock lock(mutex_);
  is_holding_ = false;
  std::vector<Held> held = std::exchange(held_, {});
  if (reversed) {
    std::reverse(held.begin(), held.end());
  }
  return held;
}

void EchoServer::set_live(bool is_live) {
  const MutexLock lock(mutex_);
  is_live_ = is_live;
}

void EchoServer::add_to_answers(size_t bytes) {
  const MutexLock lock(mutex_);
  more_bytes_ = bytes;
}

void EchoServer::wait_until_come(size_t count) const {
  UniqueMutexLock lock(mutex_);
  while (come_ < count) {
    changed_.wait(lock.native());
  }
}

std::thread::id EchoServer::last_thread() const {
  const MutexLock lock(mutex_);
  return last_thread_;
}

size_t EchoServer::come() const {
  const MutexLock lock(mutex_);
  return come_;
}

bool EchoServer::wait_until_held(size_t count) {
  UniqueMutexLock lock(mutex_);
  return wait_until(changed_, lock, steady_clock().now_ns() + kLongestWait_ns,
                    [&]() FOREBAY_REQUIRES(mutex_) { return held_.size() >= count; });
}

InferRequest EchoServer::last() const {
  const MutexLock lock(mutex_);
  return last_;
}

void EchoServer::wait_until_cancelled() const {
  const std::stop_token cancel = last().cancel;
  const std::stop_callback wake(cancel, [this] {
    const MutexLock lock(mutex_);
    changed_.notify_all();
  });
  UniqueMutexLock lock(mutex_);
  while (!cancel.stop_requested()) {
    changed_.wait(lock.native());
  }
}

void EchoServer::infer(InferRequest request, InferAnswer answer) {
  {
    const MutexLock lock(mutex_);
    ++come_;
    last_thread_ = std::this_thread::get_id();
    changed_.notify_all();
    last_ = request;
    for (NamedTensor& input : last_.inputs) {
      input.buffer.reset();
    }
    if (is_holding_) {
      held_.push_back({std::move(request), std::move(answer)});
      return;
    }
  }
  answer(answer_to(request));
}

Result<InferResponse> EchoServer::answer_to(InferRequest& request) {
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(find(request.model, request.version).status());
  Entry& entry = models_.at(request.model);
  const Status status = check(entry, request);
  if (!status.ok()) {
    ++entry.statistics.failure_count;
    return status;
  }
  ++entry.statistics.success_count;
  ++entry.statistics.inference_count;
  ++entry.statistics.execution_count;
  entry.statistics.last_inference_ms = wall_clock_ns() / 1'000'000;
  InferResponse response;
  response.model = request.model;
  response.version = entry.statistics.version;
  response.id = request.id;
  response.parameters = request.parameters;
  for (const RequestedOutput& output : request.outputs) {
    response.outputs.push_back(*find_tensor(request.inputs, output.name));
  }
  if (request.outputs.empty()) {
    response.outputs = std::move(request.inputs);
  }
  if (more_bytes_ > 0) {
    FOREBAY_ASSIGN_OR_RETURN(NamedTensor more, bytes_tensor("more", {std::string(more_bytes_, 'm')}));
    response.outputs.push_back(std::move(more));
  }
  return response;
}

Status EchoServer::check(const Entry& entry, const InferRequest& request) const {
  FOREBAY_RETURN_IF_ERROR(entry.error);
  if (!entry.is_ready) {
    return unavailable("model '{}' is not ready", request.model);
  }
  if (request.cancel.stop_requested()) {
    return cancelled("nobody waits for the answer of model '{}' any more", request.model);
  }
  if (request.deadline_ns <= steady_clock().now_ns()) {
    return make_status(StatusCode::kDeadlineExceeded, "model '{}': the deadline has passed", request.model);
  }
  for (const TensorMetadata& model_input : entry.metadata.inputs) {
    const NamedTensor* const input = find_tensor(request.inputs, model_input.name);
    if (input == nullptr) {
      return invalid_argument("model '{}' needs an input '{}'", request.model, model_input.name);
    }
    FOREBAY_RETURN_IF_ERROR(check_input(*input, model_input));
  }
  for (const RequestedOutput& output : request.outputs) {
    if (find_tensor(request.inputs, output.name) == nullptr) {
      return invalid_argument("model '{}' has no output '{}'", request.model, output.name);
    }
  }
  return ok_status();
}

Result<const EchoServer::Entry*> EchoServer::find(const std::string& name, const std::string& version) const {
  const auto found = models_.find(name);
  if (found == models_.end()) {
    return not_found("there is no model '{}'", name);
  }
  if (!version.empty() && version != found->second.statistics.version) {
    return not_found("model '{}' has no version {}", name, version);
  }
  return &found->second;
}

bool EchoServer::is_live() const {
  const MutexLock lock(mutex_);
  return is_live_;
}

bool EchoServer::is_ready() const {
  const MutexLock lock(mutex_);
  return is_live_ &&
         std::all_of(models_.begin(), models_.end(), [](const auto& model) { return model.second.is_ready; });
}

bool EchoServer::is_model_ready(const std::string& name, const std::string& version) const {
  const MutexLock lock(mutex_);
  const Result<const Entry*> entry = find(name, version);
  return entry.ok() && (*entry)->is_ready;
}

Result<ModelMetadata> EchoServer::metadata(const std::string& name, const std::string& version) const {
  const MutexLock lock(mutex_);
  FOREBAY_ASSIGN_OR_RETURN(const Entry* const entry, find(name, version));
  ModelMetadata metadata = entry->metadata;
  metadata.outputs = metadata.inputs;
  return metadata;
}

Result<std::string> EchoServer::config_json(const std::string& name, const std::string& version) const {
  const MutexLock lock(mutex_);
  FOREBAY_ASSIGN_OR_RETURN(const Entry* const entry, find(name, version));
  return entry->config_json;
}

Result<std::vector<ModelStatistics>> EchoServer::statistics(const std::string& name,
                                                            const std::string& version) const {
  const MutexLock lock(mutex_);
  if (!name.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(const Entry* const entry, find(name, version));
    return std::vector<ModelStatistics>{entry->statistics};
  }
  std::vector<ModelStatistics> all;
  for (const auto& [model, entry] : models_) {
    all.push_back(entry.statistics);
  }
  return all;
}

std::vector<ModelIndexEntry> EchoServer::index(bool only_ready) const {
  const MutexLock lock(mutex_);
  std::vector<ModelIndexEntry> all;
  for (const auto& [name, entry] : models_) {
    if (entry.is_ready) {
      all.push_back({name, entry.statistics.version, "READY", ""});
    } else if (!only_ready) {
      all.push_back({name, entry.statistics.version, "UNAVAILABLE", "unloaded"});
    }
  }
  return all;
}

Status EchoServer::set_ready(const std::string& name, bool is_ready) {
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(find(name, "").status());
  models_.at(name).is_ready = is_ready;
  return ok_status();
}

void EchoServer::load(const std::string& name, absl::AnyInvocable<void(Status)> done) {
  done(set_ready(name, true));
}

void EchoServer::unload(const std::string& name, absl::AnyInvocable<void(Status)> done) {
  done(set_ready(name, false));
}

}  // namespace forebay::serving::testing
