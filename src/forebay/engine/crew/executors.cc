// Executors: dedicated threads for tasks that must not run on workers.
#include <algorithm>
#include <system_error>

#include "forebay/engine/core.h"
#include "forebay/engine/crew/threads.h"

namespace forebay::engine {

Result<ExecutorRef> Crew::executor(std::string_view name) {
  FOREBAY_RETURN_IF_ERROR(identity_.check_alive());
  const Section section(*this, 0);
  for (const ExecutorRef& executor : executors_) {
    if (executor->name == name && !executor->line) {
      return executor;
    }
  }
  if (graph_.is_stopping()) {
    return failed_precondition("the engine is shut down");
  }
  ExecutorRef made = make_executor(name);
  FOREBAY_RETURN_IF_ERROR(add(made));
  return made;
}

ExecutorRef Crew::make_executor(std::string_view name) {
  size_t queue_id = 1;
  while (std::ranges::find(executors_, queue_id, [](const ExecutorRef& known) FOREBAY_HOLDS {
           return known->queue.id();
         }) != executors_.end()) {
    ++queue_id;
  }
  auto made = std::make_shared<Executor>(std::string(name), queue_id);
  made->core_id = identity_.core_id();
  made->fork_generation = identity_.fork_generation();
  return made;
}

Status Crew::add(const ExecutorRef& executor) {
  executors_.push_back(executor);
  const Status started = is_threaded_ ? start(executor) : ok_status();
  if (!started.ok()) {
    executors_.pop_back();
  }
  return started;
}

void Crew::forget(const ExecutorRef& executor) {
  std::erase(executors_, executor);
  graph_.forget_queue(executor->queue.id());
  executor->is_over = true;
  executor->wake();
}

Status Crew::start(const ExecutorRef& executor) {
  try {
    const SignalsBlocked blocked;
    executor->thread =
        std::thread([self = core_.shared_from_this(), this, executor] { executor_loop(*executor); });
  } catch (const std::system_error& error) {
    return resource_exhausted("cannot start a thread for the executor '{}': {}", executor->name,
                              error.what());
  }
  executor->has_thread = true;
  return ok_status();
}

void Crew::executor_loop(Executor& executor) {
  name_this_thread("forebay-" + executor.name);
  thread_context() = {.crew = this, .executor = &executor};
  Section section(*this);
  while (!graph_.is_stopping() && !executor.is_over) {
    if (Task* task = executor.queue.take_next()) {
      run(*task, section);
      continue;
    }
    if (section.has_deferred()) {
      section.step_out();
      continue;
    }
    executor.is_idle = true;
    executor.condition.wait(section.lock(),
                            [&]() FOREBAY_HOLDS { return !executor.is_idle || graph_.is_stopping(); });
  }
}

}  // namespace forebay::engine
