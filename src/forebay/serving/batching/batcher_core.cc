// One loop, pump(), starts batches: on the thread of a request that came, of a batch that ended, or of the
// timer. A batch that ends within the call that started it is followed by the next turn of the loop, so that
// the stack does not grow.
#include "forebay/serving/batching/batcher_core.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/sync/wait_until.h"
#include "forebay/base/units.h"
#include "forebay/serving/batching/batch_tensors.h"

namespace forebay::serving {
namespace {

constexpr int64_t kTimeToLeave_ns = 10 * kSecond;

Status overdue_error(const QueuedRequest& waiting, int64_t now_ns) {
  return make_status(StatusCode::kDeadlineExceeded,
                     "the request waited {} ms for its turn, longer than it may",
                     (now_ns - waiting.arrived_ns) / kMillisecond);
}

Status late_error(const QueuedRequest& waiting, int64_t now_ns) {
  return make_status(StatusCode::kDeadlineExceeded,
                     "the request's deadline passed while its batch ran, {} ms after it had come",
                     (now_ns - waiting.arrived_ns) / kMillisecond);
}

Status cancelled_error() {
  return cancelled("the request was cancelled before it ran");
}

Status closed_error() {
  return unavailable("the model is being unloaded");
}

}  // namespace

BatcherCore::Inside::Inside(BatcherCore& core) : core_(core) {
  const MutexLock lock(core_.mutex_);
  ++core_.inside_;
}

BatcherCore::Inside::~Inside() {
  const MutexLock lock(core_.mutex_);
  --core_.inside_;
  core_.changed_.notify_all();
}

BatcherCore::BatcherCore(Model& model, BatchingOptions options, Timer& timer)
    : model_(model),
      timer_(timer),
      max_running_(std::max<int64_t>(options.max_running, 1)),
      ordered_(options.preserves_order ? std::make_unique<OrderedAnswers>() : nullptr),
      queue_(std::move(options)) {
}

void BatcherCore::infer(InferRequest request, InferAnswer answer) {
  const Inside inside(*this);
  auto waiting = std::make_unique<QueuedRequest>();
  waiting->request = std::move(request);
  waiting->answer = std::move(answer);
  waiting->turn = ordered_ == nullptr ? 0 : ordered_->next();
  Status status;
  std::vector<WaitingRequestPtr> unwanted;
  {
    const MutexLock lock(mutex_);
    waiting->arrived_ns = timer_.now_ns();
    if (is_closing_) {
      status = closed_error();
    } else if (waiting->request.cancel.stop_requested()) {
      status = cancelled_error();
    } else if (waiting->request.deadline_ns <= waiting->arrived_ns) {
      status = overdue_error(*waiting, waiting->arrived_ns);
    } else {
      status = queue_.add(&waiting);
    }
    if (status.code() == StatusCode::kResourceExhausted && sweep_.is_due(waiting->arrived_ns)) {
      queue_.take_cancelled(&unwanted);
      status = unwanted.empty() ? status : queue_.add(&waiting);
    }
  }
  for (const WaitingRequestPtr& each : unwanted) {
    refuse({std::move(each->answer), each->turn, cancelled_error()});
  }
  if (!status.ok()) {
    refuse({std::move(waiting->answer), waiting->turn, std::move(status)});
    return;
  }
  pump();
}

void BatcherCore::pump() {
  while (true) {
    Work work = next_work();
    for (Refused& refused : work.refused) {
      refuse(std::move(refused));
    }
    if (work.run == nullptr) {
      return;
    }
    run(work.run);
  }
}

BatcherCore::Work BatcherCore::next_work() {
  const MutexLock lock(mutex_);
  Work work;
  if (is_closed_) {
    return work;
  }
  const int64_t now_ns = timer_.now_ns();
  refuse_overdue(now_ns, &work);
  if (running_ < max_running_) {
    if (std::vector<WaitingRequestPtr> batch = next_batch(now_ns, &work); !batch.empty()) {
      work.run = std::make_shared<Running>();
      work.run->batch = std::move(batch);
      work.run->started_ns = now_ns;
      ++running_;
      ++executions_;
    }
  }
  if (work.run != nullptr && work.run->batch.size() > 1) {
    batches_.insert(work.run);
  }
  set_timer(now_ns);
  changed_.notify_all();
  return work;
}

std::vector<WaitingRequestPtr> BatcherCore::next_batch(int64_t now_ns, Work* work) {
  std::vector<WaitingRequestPtr> batch;
  std::vector<WaitingRequestPtr> cancelled;
  while (!alone_.empty() && batch.empty()) {
    const bool is_cancelled = alone_.front()->request.cancel.stop_requested();
    (is_cancelled ? cancelled : batch).push_back(std::move(alone_.front()));
    alone_.pop_front();
  }
  if (batch.empty()) {
    batch = queue_.take_batch(now_ns, is_closing_, &cancelled);
  }
  for (const WaitingRequestPtr& each : cancelled) {
    work->refused.push_back({std::move(each->answer), each->turn, cancelled_error()});
  }
  return batch;
}

void BatcherCore::refuse_overdue(int64_t now_ns, Work* work) {
  std::vector<WaitingRequestPtr> overdue = queue_.take_overdue(now_ns);
  const auto is_overdue = [&](const WaitingRequestPtr& each) { return each->request.deadline_ns <= now_ns; };
  const auto first = std::stable_partition(alone_.begin(), alone_.end(), std::not_fn(is_overdue));
  std::move(first, alone_.end(), std::back_inserter(overdue));
  alone_.erase(first, alone_.end());
  for (const WaitingRequestPtr& each : overdue) {
    work->refused.push_back({std::move(each->answer), each->turn, overdue_error(*each, now_ns)});
  }
  for (const RunningPtr& running : batches_) {
    for (const WaitingRequestPtr& each : running->batch) {
      if (each->answer != nullptr && is_overdue(each)) {
        work->refused.push_back(
            {std::exchange(each->answer, nullptr), each->turn, late_error(*each, now_ns)});
      }
    }
  }
}

void BatcherCore::set_timer(int64_t now_ns) {
  int64_t next_ns = queue_.next_overdue_ns();
  const auto look_at = [&](const WaitingRequestPtr& waiting) {
    next_ns = waiting->answer == nullptr ? next_ns : std::min(next_ns, waiting->request.deadline_ns);
  };
  std::for_each(alone_.begin(), alone_.end(), look_at);
  for (const RunningPtr& running : batches_) {
    std::for_each(running->batch.begin(), running->batch.end(), look_at);
  }
  if (running_ < max_running_) {
    next_ns = std::min(next_ns, queue_.next_ready_ns());
  }
  if (next_ns == kNoDeadlineNs || (!timer_set_ns_.empty() && *timer_set_ns_.begin() <= next_ns)) {
    return;
  }
  timer_set_ns_.insert(next_ns);
  timer_.at(std::max(next_ns, now_ns), [weak = weak_from_this(), next_ns] {
    if (const auto self = weak.lock()) {
      self->on_timer(next_ns);
    }
  });
}

void BatcherCore::on_timer(int64_t when_ns) {
  const Inside inside(*this);
  {
    const MutexLock lock(mutex_);
    timer_set_ns_.erase(when_ns);
  }
  pump();
}

void BatcherCore::run(const RunningPtr& running) {
  Result<InferRequest> request = InferRequest();
  if (running->batch.size() == 1) {
    *request = std::move(running->batch.front()->request);
  } else {
    request = join_requests(running->batch);
  }
  if (!request.ok()) {
    finish(running, request.status());
    return;
  }
  if (running->batch.size() > 1) {
    request->cancel = running->cancel.emplace(running->batch).token();
  }
  model_.infer(*std::move(request), [self = shared_from_this(), running](Result<InferResponse> response) {
    self->finish(running, std::move(response));
  });
  running->has_returned = true;
}

void BatcherCore::finish(const RunningPtr& running, Result<InferResponse> response) {
  const Inside inside(*this);
  const bool is_in_start = running->starter == std::this_thread::get_id() && !running->has_returned;
  answer_all(running, std::move(response));
  end_of_run();
  if (!is_in_start) {
    pump();
  }
}

std::vector<WaitingRequestPtr> BatcherCore::end_of_batch(const RunningPtr& running) {
  const MutexLock lock(mutex_);
  batches_.erase(running);
  return std::move(running->batch);
}

void BatcherCore::answer_all(const RunningPtr& running, Result<InferResponse> response) {
  std::vector<WaitingRequestPtr> batch = end_of_batch(running);
  if (batch.size() == 1) {
    if (response.ok()) {
      response->timing.queue_ns += running->started_ns - batch.front()->arrived_ns;
    }
    give(batch.front().get(), std::move(response));
    return;
  }
  Result<std::vector<InferResponse>> parts = response.ok()
                                                 ? split_response(*response, batch)
                                                 : Result<std::vector<InferResponse>>(response.status());
  if (parts.ok() || is_refusal(parts.status()) || !run_alone(&batch)) {
    answer_parts(*running, &batch, std::move(parts));
  }
}

void BatcherCore::answer_parts(const Running& running, std::vector<WaitingRequestPtr>* batch,
                               Result<std::vector<InferResponse>> parts) {
  for (size_t i = 0; i < batch->size(); ++i) {
    QueuedRequest* const waiting = (*batch)[i].get();
    if (waiting->answer == nullptr) {
      continue;
    }
    if (!parts.ok()) {
      give(waiting, parts.status());
      continue;
    }
    (*parts)[i].timing.queue_ns += running.started_ns - waiting->arrived_ns;
    give(waiting, std::move((*parts)[i]));
  }
}

bool BatcherCore::run_alone(std::vector<WaitingRequestPtr>* batch) {
  const MutexLock lock(mutex_);
  if (is_closed_) {
    return false;
  }
  std::copy_if(std::move_iterator(batch->begin()), std::move_iterator(batch->end()),
               std::back_inserter(alone_),
               [](const WaitingRequestPtr& waiting) { return waiting->answer != nullptr; });
  return true;
}

void BatcherCore::end_of_run() {
  const MutexLock lock(mutex_);
  --running_;
  changed_.notify_all();
}

void BatcherCore::give(QueuedRequest* waiting, Result<InferResponse> response) {
  if (ordered_ == nullptr) {
    waiting->answer(std::move(response));
  } else {
    ordered_->give(waiting->turn, std::move(waiting->answer), std::move(response));
  }
}

void BatcherCore::refuse(Refused refused) {
  refused.answer(std::move(refused.error));
  if (ordered_ != nullptr) {
    ordered_->pass_over(refused.turn);
  }
}

void BatcherCore::close(int64_t deadline_ns) {
  {
    const MutexLock lock(mutex_);
    is_closing_ = true;
  }
  pump();
  std::vector<WaitingRequestPtr> left;
  {
    UniqueMutexLock lock(mutex_);
    wait_until(changed_, lock, deadline_ns, [this]() FOREBAY_REQUIRES(mutex_) {
      return running_ == 0 && queue_.empty() && alone_.empty();
    });
    is_closed_ = true;
    left = queue_.take_all();
    std::move(alone_.begin(), alone_.end(), std::back_inserter(left));
    alone_.clear();
  }
  for (const WaitingRequestPtr& waiting : left) {
    refuse({std::move(waiting->answer), waiting->turn, closed_error()});
  }
  model_.close(deadline_ns);
}

bool BatcherCore::wait_until_left() {
  const int64_t end_ns = steady_clock().now_ns() + kTimeToLeave_ns;
  UniqueMutexLock lock(mutex_);
  return wait_until(changed_, lock, end_ns, [this]() FOREBAY_REQUIRES(mutex_) { return inside_ == 0; });
}

uint64_t BatcherCore::execution_count() const {
  const MutexLock lock(mutex_);
  return executions_;
}

}  // namespace forebay::serving
