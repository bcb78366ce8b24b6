// A model in processes of its own: its threads, one for each process, and its end.
#include "forebay/serving/processes/process_model.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <system_error>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/serving/processes/process_instance.h"
#include "forebay/serving/processes/process_pool.h"

namespace forebay::serving {
namespace {

// Signals are for the program's own threads.
void begin_instance_thread() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  pthread_setname_np(pthread_self(), "forebay-model");
}

}  // namespace

ProcessModel::ProcessModel(std::shared_ptr<ProcessPool> pool) : owner_(::getpid()), pool_(std::move(pool)) {
}

Result<std::unique_ptr<ProcessModel>> ProcessModel::start(ProcessModelOptions options) {
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<ProcessPool> pool, ProcessPool::create(std::move(options)));
  std::unique_ptr<ProcessModel> model(new ProcessModel(std::move(pool)));
  FOREBAY_RETURN_IF_ERROR(model->start_threads());
  FOREBAY_RETURN_IF_ERROR(model->pool_->wait_until_started());
  return model;
}

Status ProcessModel::start_threads() {
  const MutexLock lock(join_mutex_);
  try {
    for (int number = 0; number < pool_->options().instances; ++number) {
      threads_.emplace_back([pool = pool_, number] {
        begin_instance_thread();
        ProcessInstance(pool, static_cast<size_t>(number)).run();
      });
    }
  } catch (const std::system_error& error) {
    return resource_exhausted("{}: cannot start a thread: {}", pool_->who(), error.what());
  }
  return ok_status();
}

bool ProcessModel::is_forked_copy() const {
  return ::getpid() != owner_;
}

// The threads of the parent are not here, and locks may be held for ever: a forked child leaves everything.
ProcessModel::~ProcessModel() {
  if (is_forked_copy()) {
    new std::shared_ptr<ProcessPool>(std::move(pool_));
    new std::vector<std::thread>(std::move(threads_));
    return;
  }
  close(0);
}

const ModelMetadata& ProcessModel::metadata() const {
  return pool_->metadata();
}

void ProcessModel::infer(InferRequest request, InferAnswer answer) {
  if (is_forked_copy()) {
    answer(unavailable("{} belongs to process {}, which has loaded it; load it here anew", pool_->who(),
                       owner_));
    return;
  }
  const bool has_deadline = request.deadline_ns != kNoDeadlineNs;
  if (pool_->queue().push({std::move(request), std::move(answer), steady_clock().now_ns()})) {
    pool_->wake_for_request(has_deadline);
  }
}

void ProcessModel::close(int64_t deadline_ns) {
  if (is_forked_copy()) {
    return;
  }
  pool_->end(deadline_ns);
  join();
}

// Who closes the model in an answer runs on one of its threads, which ends soon, by itself.
void ProcessModel::join() {
  const MutexLock lock(join_mutex_);
  for (std::thread& thread : threads_) {
    if (thread.get_id() == std::this_thread::get_id()) {
      thread.detach();
    } else {
      thread.join();
    }
  }
  threads_.clear();
}

Status ProcessModel::status() const {
  return is_forked_copy() ? unavailable("{} belongs to process {}", pool_->who(), owner_) : pool_->status();
}

uint64_t ProcessModel::failure_count() const {
  return pool_->failure_count();
}

}  // namespace forebay::serving
