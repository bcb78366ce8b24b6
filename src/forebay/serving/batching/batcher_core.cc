// One loop, pump(), starts batches: on the thread of a request that came, of a batch that ended, or of the
// timer. A batch that ends within the call that started it is followed by the next turn of the loop, so that
// the stack does not grow.
#include "forebay/serving/batching/batcher_core.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/serving/batching/batch_tensors.h"

namespace forebay::serving {
namespace {

constexpr int64_t kLongestCloseWait_ns = int64_t{1} * 1000 * 1000 * 1000;
constexpr int64_t kTimeToLeave_ns = int64_t{10} * 1000 * 1000 * 1000;

Status overdue_error(const QueuedRequest& waiting, int64_t now_ns) {
  return make_status(StatusCode::kDeadlineExceeded,
                     "the request waited {} ms for its turn, longer than it may",
                     (now_ns - waiting.arrived_ns) / (1000 * 1000));
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

BatcherCore::BatcherCore(Model& model, BatchingOptions options, storage::Timer& timer)
    : model_(model),
      timer_(timer),
      max_running_(std::max<int64_t>(options.max_running, 1)),
      ordered_(options.preserves_order ? std::make_shared<OrderedAnswers>() : nullptr),
      queue_(std::move(options)) {
}

void BatcherCore::infer(InferRequest request, InferAnswer answer) {
  const Inside inside(*this);
  auto waiting = std::make_unique<QueuedRequest>();
  waiting->request = std::move(request);
  waiting->answer = ordered_ == nullptr ? std::move(answer) : ordered_->next(std::move(answer));
  Status status;
  {
    const MutexLock lock(mutex_);
    if (is_closing_) {
      status = closed_error();
    } else {
      waiting->arrived_ns = timer_.now_ns();
      status = waiting->request.deadline_ns <= waiting->arrived_ns
                   ? overdue_error(*waiting, waiting->arrived_ns)
                   : queue_.add(&waiting);
    }
  }
  if (!status.ok()) {
    waiting->answer(status);
    return;
  }
  pump();
}

void BatcherCore::pump() {
  while (true) {
    Work work = next_work();
    for (const WaitingRequestPtr& waiting : work.overdue) {
      waiting->answer(overdue_error(*waiting, work.now_ns));
    }
    if (work.batch.empty()) {
      return;
    }
    run(std::move(work.batch), work.now_ns);
  }
}

BatcherCore::Work BatcherCore::next_work() {
  const MutexLock lock(mutex_);
  Work work;
  if (is_closed_) {
    return work;
  }
  work.now_ns = timer_.now_ns();
  work.overdue = queue_.take_overdue(work.now_ns);
  take_overdue_alone(&work);
  if (!alone_.empty() && running_ < max_running_) {
    work.batch.push_back(std::move(alone_.front()));
    alone_.pop_front();
  } else if (running_ < max_running_) {
    work.batch = queue_.take_batch(work.now_ns, is_closing_);
  }
  if (!work.batch.empty()) {
    ++running_;
    ++executions_;
  }
  set_timer(work.now_ns);
  changed_.notify_all();
  return work;
}

void BatcherCore::take_overdue_alone(Work* work) {
  const auto is_overdue = [&](const WaitingRequestPtr& each) {
    return each->request.deadline_ns <= work->now_ns;
  };
  const auto first = std::stable_partition(alone_.begin(), alone_.end(), std::not_fn(is_overdue));
  std::move(first, alone_.end(), std::back_inserter(work->overdue));
  alone_.erase(first, alone_.end());
}

void BatcherCore::set_timer(int64_t now_ns) {
  int64_t next_ns = queue_.next_overdue_ns();
  for (const WaitingRequestPtr& waiting : alone_) {
    next_ns = std::min(next_ns, waiting->request.deadline_ns);
  }
  if (running_ < max_running_) {
    next_ns = std::min(next_ns, queue_.next_ready_ns());
  }
  if (next_ns == kNoDeadlineNs || next_ns >= timer_set_ns_) {
    return;
  }
  timer_set_ns_ = next_ns;
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
    timer_set_ns_ = timer_set_ns_ == when_ns ? kNoDeadlineNs : timer_set_ns_;
  }
  pump();
}

void BatcherCore::run(std::vector<WaitingRequestPtr> batch, int64_t now_ns) {
  const auto running = std::make_shared<Running>();
  running->batch = std::move(batch);
  running->started_ns = now_ns;
  Result<InferRequest> request = running->batch.size() == 1
                                     ? Result<InferRequest>(std::move(running->batch.front()->request))
                                     : join_requests(running->batch);
  if (!request.ok()) {
    finish(*running, request.status());
    return;
  }
  model_.infer(*std::move(request), [self = shared_from_this(), running](Result<InferResponse> response) {
    self->finish(*running, std::move(response));
  });
  running->has_returned = true;
}

void BatcherCore::finish(Running& running, Result<InferResponse> response) {
  const Inside inside(*this);
  const bool is_in_start = running.starter == std::this_thread::get_id() && !running.has_returned;
  answer_all(running, std::move(response));
  end_of_run();
  if (!is_in_start) {
    pump();
  }
}

void BatcherCore::answer_all(Running& running, Result<InferResponse> response) {
  std::vector<WaitingRequestPtr>& batch = running.batch;
  if (batch.size() == 1) {
    if (response.ok()) {
      response->timing.queue_ns += running.started_ns - batch.front()->arrived_ns;
    }
    batch.front()->answer(std::move(response));
    return;
  }
  Result<std::vector<InferResponse>> parts = response.ok()
                                                 ? split_response(*response, batch)
                                                 : Result<std::vector<InferResponse>>(response.status());
  if (!parts.ok() && run_alone(&batch)) {
    return;
  }
  for (size_t i = 0; i < batch.size(); ++i) {
    if (!parts.ok()) {
      batch[i]->answer(parts.status());
      continue;
    }
    (*parts)[i].timing.queue_ns += running.started_ns - batch[i]->arrived_ns;
    batch[i]->answer(std::move((*parts)[i]));
  }
}

bool BatcherCore::run_alone(std::vector<WaitingRequestPtr>* batch) {
  const MutexLock lock(mutex_);
  if (is_closed_) {
    return false;
  }
  std::move(batch->begin(), batch->end(), std::back_inserter(alone_));
  return true;
}

void BatcherCore::end_of_run() {
  const MutexLock lock(mutex_);
  --running_;
  changed_.notify_all();
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
    while (running_ > 0 || !queue_.empty() || !alone_.empty()) {
      const int64_t left_ns = deadline_ns - steady_clock().now_ns();
      if (left_ns <= 0) {
        break;
      }
      changed_.wait_for(lock.native(), std::chrono::nanoseconds(std::min(left_ns, kLongestCloseWait_ns)));
    }
    is_closed_ = true;
    left = queue_.take_all();
    std::move(alone_.begin(), alone_.end(), std::back_inserter(left));
    alone_.clear();
  }
  for (const WaitingRequestPtr& waiting : left) {
    waiting->answer(closed_error());
  }
  model_.close(deadline_ns);
}

bool BatcherCore::wait_until_left() {
  const int64_t end_ns = steady_clock().now_ns() + kTimeToLeave_ns;
  UniqueMutexLock lock(mutex_);
  while (inside_ > 0) {
    const int64_t left_ns = end_ns - steady_clock().now_ns();
    if (left_ns <= 0) {
      return false;
    }
    changed_.wait_for(lock.native(), std::chrono::nanoseconds(left_ns));
  }
  return true;
}

uint64_t BatcherCore::execution_count() const {
  const MutexLock lock(mutex_);
  return executions_;
}

}  // namespace forebay::serving
