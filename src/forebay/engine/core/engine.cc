#include "forebay/engine/engine.h"

#include <cstdlib>

#include "forebay/base/caught.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/engine/core/core.h"
#include "forebay/engine/graph/block_cache.h"

namespace forebay::engine {
namespace {

/// The process's engine. Never destroyed, because threads and Completions may outlive the process's statics.
struct ProcessEngine {
  Mutex mutex;
  std::shared_ptr<Engine> engine FOREBAY_GUARDED_BY(mutex);
};

std::atomic<ProcessEngine*> process_engines{nullptr};

void stop_at_exit() {
  ProcessEngine* process = process_engines.load();
  if (process == nullptr) {
    return;
  }
  std::shared_ptr<Engine> engine;
  {
    const MutexLock lock(process->mutex);
    engine = process->engine;
  }
  if (engine != nullptr) {
    // Executor threads are not joined: their tasks may be waiting for an interpreter that has ended.
    engine->shutdown(/*join_executors=*/false);
  }
}

// A fork may find the mutex locked by a thread that the child does not have, so the child gets a new one.
void forget_in_child() {
  process_engines.store(new ProcessEngine);
}

ProcessEngine& this_process() {
  static const bool registered = [] {
    process_engines.store(new ProcessEngine);
    pthread_atfork(nullptr, nullptr, forget_in_child);
    std::atexit(stop_at_exit);
    return true;
  }();
  (void)registered;
  return *process_engines.load();
}

Status check_is_for_host(const TaskOptions& options) {
  return options.executor == nullptr || options.executor->line == nullptr
             ? ok_status()
             : invalid_argument(
                   "task '{}' is for a device: only its queue ends it, so it cannot be asynchronous or open",
                   options.name);
}

}  // namespace

Completion& Completion::operator=(Completion&& other) noexcept {
  if (this != &other) {
    Completion dropped(std::move(*this));
    core_ = std::move(other.core_);
    task_ = std::exchange(other.task_, nullptr);
  }
  return *this;
}

void Completion::drop() {
  complete(cancelled("dropped without an answer"));
}

void Completion::complete(Status status) {
  if (task_ == nullptr) {
    return;
  }
  Task* task = std::exchange(task_, nullptr);
  std::exchange(core_, nullptr)->complete_pending(*task, std::move(status));
}

bool Completion::is_cancelled() const {
  return task_ != nullptr && task_->is_cancelled.load(std::memory_order_relaxed);
}

Engine::Engine(EngineOptions options) : core_(std::make_shared<Core>(options)) {
}

Engine::~Engine() {
  shutdown();
  if (!core_->is_alive()) {
    // The parent's threads do not exist here and its mutexes may be locked: none of it can be destroyed.
    new std::shared_ptr<Core>(std::move(core_));
  }
}

std::shared_ptr<Engine> Engine::process_engine() {
  ProcessEngine& process = this_process();
  const MutexLock lock(process.mutex);
  if (!process.engine) {
    process.engine = std::make_shared<Engine>(EngineOptions{.workers = 1});
  }
  return process.engine;
}

void Engine::ensure_workers(int count) {
  core_->ensure_workers(count);
}
int Engine::workers() const {
  return core_->workers();
}
Variable Engine::new_variable() {
  return core_->new_variable();
}
LaneRef Engine::new_lane(LaneOptions options) {
  return core_->new_lane(std::move(options));
}
Result<ExecutorRef> Engine::executor(std::string_view name) {
  return core_->executor(name);
}

Result<ExecutorRef> Engine::new_executor(std::string_view name) {
  return core_->new_executor(name);
}

bool Engine::is_on(const ExecutorRef& executor) const {
  return core_->is_on(executor);
}

Result<ExecutorRef> Engine::device_executor(std::string_view name, std::shared_ptr<DeviceQueue> queue) {
  return core_->device_executor(name, std::move(queue));
}

Status Engine::push(const LaneRef& lane, const TaskOptions& options, TaskBody body) {
  if (!body) {
    return invalid_argument("task '{}' has no body; push_open() makes a task without one", options.name);
  }
  return core_->push(lane, options, std::move(body));
}

Status Engine::push_async(const LaneRef& lane, const TaskOptions& options, AsyncBody body) {
  if (!body) {
    return invalid_argument("task '{}' has no body; push_open() makes a task without one", options.name);
  }
  FOREBAY_RETURN_IF_ERROR(check_is_for_host(options));
  return core_->push_async(lane, options, std::move(body));
}

Result<Completion> Engine::push_open(const LaneRef& lane, const TaskOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_is_for_host(options));
  return core_->push_open(lane, options);
}

Status Engine::wait(const Variable& variable, const WaitOptions& options) {
  return core_->wait(variable, options);
}
Status Engine::wait_all(const LaneRef& lane, const WaitOptions& options) {
  Status status = core_->wait_all(lane, options);
  trim_blocks(kKeptAfterWait);
  return status;
}
bool Engine::is_crowded(const LaneRef& lane) const {
  return lane->is_crowded();
}
Status Engine::await_room(const LaneRef& lane, const WaitOptions& options) {
  return core_->await_room(lane, options);
}
Status Engine::error_of(const Variable& variable) const {
  return core_->error_of(variable);
}
void Engine::cancel(const LaneRef& lane) {
  core_->cancel(lane);
}

Status Engine::parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body) {
  return core_->parallel_for(count, body);
}

bool Engine::step() {
  return core_->step();
}
size_t Engine::pending_tasks() const {
  return core_->pending_tasks();
}
void Engine::shutdown(bool join_executors) {
  core_->shutdown(join_executors);
}

bool is_cancelled() {
  const std::atomic<bool>* flag = thread_context().is_cancelled;
  return flag != nullptr && flag->load(std::memory_order_relaxed);
}

Status parallel_for(size_t count, absl::FunctionRef<Status(size_t)> body) {
  if (Crew* crew = thread_context().crew; crew != nullptr && crew->is_alive()) {
    return crew->parallel_for(count, body);
  }
  for (size_t piece = 0; piece < count; ++piece) {
    FOREBAY_RETURN_IF_ERROR(caught([&] { return body(piece); }));
  }
  return ok_status();
}

}  // namespace forebay::engine
