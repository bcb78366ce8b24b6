// Steps that answer within their call are followed by the loop in start_steps(), so that the stack does not
// grow with the number of steps.
#include "forebay/serving/ensembles/ensemble_run.h"

#include <algorithm>
#include <utility>

#include "forebay/base/sync/wait_until.h"

namespace forebay::serving {
namespace {

NamedTensor* tensor_with_name(std::vector<NamedTensor>& tensors, const std::string& name) {
  const auto at = std::find_if(tensors.begin(), tensors.end(),
                               [&](const NamedTensor& each) { return each.name == name; });
  return at == tensors.end() ? nullptr : &*at;
}

}  // namespace

bool EnsembleRuns::add(std::shared_ptr<EnsembleRun> run) {
  const MutexLock lock(mutex_);
  if (is_closed_) {
    return false;
  }
  runs_.insert(std::move(run));
  return true;
}

void EnsembleRuns::remove(const std::shared_ptr<EnsembleRun>& run) {
  const MutexLock lock(mutex_);
  runs_.erase(run);
  changed_.notify_all();
}

void EnsembleRuns::close(int64_t deadline_ns) {
  std::set<std::shared_ptr<EnsembleRun>> left;
  {
    UniqueMutexLock lock(mutex_);
    is_closed_ = true;
    wait_until(changed_, lock, deadline_ns, [this]() FOREBAY_REQUIRES(mutex_) { return runs_.empty(); });
    left = runs_;
  }
  for (const std::shared_ptr<EnsembleRun>& run : left) {
    run->fail(unavailable("the ensemble is being unloaded"));
  }
}

EnsembleRun::EnsembleRun(std::shared_ptr<const EnsemblePlan> plan, ModelServer& server, const Clock& clock,
                         std::shared_ptr<EnsembleRuns> runs, InferRequest request, InferAnswer answer)
    : plan_(std::move(plan)),
      server_(server),
      clock_(clock),
      runs_(std::move(runs)),
      request_(std::move(request)),
      began_ns_(clock.now_ns()),
      answer_(std::move(answer)),
      slots_(plan_->users.size()),
      timings_(plan_->steps.size()),
      steps_left_(plan_->steps.size()) {
}

void EnsembleRun::begin() {
  {
    const MutexLock lock(mutex_);
    for (size_t i = 0; i < plan_->steps.size(); ++i) {
      slots_needed_.push_back(plan_->steps[i].slots_needed);
      if (slots_needed_.back() == 0) {
        ready_.push_back(i);
      }
    }
    for (const EnsemblePlan::Tensor& input : plan_->inputs) {
      Slot given;
      for (const NamedTensor& tensor : request_.inputs) {
        given = tensor.name == input.name ? Slot(tensor) : given;
      }
      fill(input.slot, std::move(given));
    }
  }
  start_steps();
}

void EnsembleRun::fill(size_t slot, Slot tensor) {
  slots_[slot] = std::move(tensor);
  for (const size_t user : plan_->users[slot]) {
    if (--slots_needed_[user] == 0) {
      ready_.push_back(user);
    }
  }
}

InferRequest EnsembleRun::request_of(const EnsemblePlan::Step& step) const {
  InferRequest request;
  request.model = step.model;
  request.version = step.version;
  request.id = request_.id;
  request.parameters = request_.parameters;
  request.deadline_ns = request_.deadline_ns;
  request.priority = request_.priority;
  request.key = request_.key;
  request.epoch = request_.epoch;
  request.cancel = request_.cancel;
  for (const EnsemblePlan::Tensor& input : step.inputs) {
    if (const Slot& slot = slots_[input.slot]; slot.has_value()) {
      request.inputs.push_back(*slot);
      request.inputs.back().name = input.name;
    }
  }
  for (const EnsemblePlan::Tensor& output : step.outputs) {
    request.outputs.emplace_back().name = output.name;
  }
  return request;
}

void EnsembleRun::start_steps() {
  UniqueMutexLock lock(mutex_);
  if (is_starting_) {
    return;
  }
  is_starting_ = true;
  while (!ready_.empty() && answer_ != nullptr) {
    const size_t index = ready_.front();
    ready_.pop_front();
    const EnsemblePlan::Step& step = plan_->steps[index];
    const bool is_late = clock_.now_ns() >= request_.deadline_ns;
    const bool is_cancelled = request_.cancel.stop_requested();
    InferRequest request = request_of(step);
    lock.unlock();
    if (is_cancelled) {
      fail(cancelled("{}: the request was cancelled before it began", step.where));
    } else if (is_late) {
      fail(make_status(StatusCode::kDeadlineExceeded, "{}: the request's deadline passed before it began",
                       step.where));
    } else {
      server_.infer(std::move(request), [self = shared_from_this(), index](Result<InferResponse> response) {
        self->end_of_step(index, std::move(response));
      });
    }
    lock.lock();
  }
  is_starting_ = false;
}

Status EnsembleRun::take_outputs(size_t index, InferResponse* response) {
  const EnsemblePlan::Step& step = plan_->steps[index];
  timings_[index] = response->timing;
  for (const EnsemblePlan::Tensor& output : step.outputs) {
    NamedTensor* const tensor = tensor_with_name(response->outputs, output.name);
    if (tensor == nullptr) {
      return internal_error("the model gave no output '{}'", output.name);
    }
    fill(output.slot, std::move(*tensor));
  }
  --steps_left_;
  return ok_status();
}

void EnsembleRun::end_of_step(size_t index, Result<InferResponse> given) {
  std::optional<InferResponse> whole;
  Status status = given.status();
  {
    const MutexLock lock(mutex_);
    if (answer_ == nullptr) {
      return;
    }
    if (status.ok()) {
      status = take_outputs(index, &*given);
    }
    if (status.ok() && steps_left_ == 0) {
      whole = response();
    }
  }
  if (!status.ok()) {
    fail(annotate(status, plan_->steps[index].where));
  } else if (whole.has_value()) {
    answer(*std::move(whole));
  } else {
    start_steps();
  }
}

InferResponse EnsembleRun::response() {
  InferResponse response;
  response.model = request_.model;
  response.version = request_.version;
  response.id = request_.id;
  response.timing.compute_ns = clock_.now_ns() - began_ns_;
  for (const EnsemblePlan::Tensor& output : plan_->outputs) {
    if (slots_[output.slot].has_value()) {
      response.outputs.push_back(*slots_[output.slot]);
      response.outputs.back().name = output.name;
    }
  }
  for (size_t i = 0; i < timings_.size(); ++i) {
    response.steps.emplace_back(plan_->steps[i].model, timings_[i]);
  }
  return response;
}

void EnsembleRun::fail(const Status& error) {
  answer(error);
}

void EnsembleRun::answer(Result<InferResponse> response) {
  InferAnswer answer;
  {
    const MutexLock lock(mutex_);
    answer = std::move(answer_);
    answer_ = nullptr;
  }
  if (answer != nullptr) {
    answer(std::move(response));
    runs_->remove(shared_from_this());
  }
}

}  // namespace forebay::serving
