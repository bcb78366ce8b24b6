// Executors: dedicated threads for tasks that must not run on workers.
//
// Those that are not shared end with their last handle: their threads, once the last task is done, take them
// out of all lists, and are joined when another executor is made, or with the engine. Where there are no
// threads, who makes an executor or lets go of one looks for those that nobody needs.
#include <algorithm>
#include <iterator>
#include <stdexcept>

#include "forebay/engine/crew/crew.h"
#include "forebay/engine/crew/threads.h"

namespace forebay::engine {

Result<ExecutorRef> Crew::executor(std::string_view name) {
  FOREBAY_RETURN_IF_ERROR(identity_.check_alive());
  const Section section(*this, 0);
  for (const ExecutorRef& executor : executors_) {
    if (executor->name == name && executor->is_shared && !executor->line) {
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

Result<ExecutorRef> Crew::new_executor(std::string_view name) {
  FOREBAY_RETURN_IF_ERROR(identity_.check_alive());
  clear_ended();
  ExecutorRef made;
  {
    const Section section(*this, 0);
    if (graph_.is_stopping()) {
      return failed_precondition("the engine is shut down");
    }
    made = make_executor(name);
    made->is_shared = false;
    FOREBAY_RETURN_IF_ERROR(add(made));
  }
  return handle_of(std::move(made));
}

void Crew::clear_ended() {
  join_ended(/*join=*/true);
  forget_threadless();
}

void Crew::forget_threadless() {
  std::vector<ExecutorRef> over;  // they go without the mutex, and their queues with them
  const Section section(*this, 0);
  if (graph_.is_stopping()) {
    return;
  }
  std::ranges::copy_if(executors_, std::back_inserter(over), [](const ExecutorRef& known) FOREBAY_HOLDS {
    return !known->is_shared && !known->has_thread && known->is_done();
  });
  for (const ExecutorRef& found : over) {
    forget(found);
  }
}

ExecutorRef Crew::handle_of(ExecutorRef executor) {
  Executor* const named = executor.get();
  const auto drop_handle = [this, core = core_.weak_from_this(), executor = std::move(executor)](Executor*) {
    const std::shared_ptr<KeptAlive> alive = core.lock();
    if (alive != nullptr && is_alive()) {
      release(executor);
    }
  };
  return {named, drop_handle};
}

void Crew::release(const ExecutorRef& executor) {
  {
    const Section section(*this);
    executor->note_released();  // its threads end when its tasks are done
  }
  forget_threadless();
}

/// Threads of executors that are over, which have nothing left to do.
void Crew::join_ended(bool join) {
  std::vector<std::thread> ended;
  {
    const Section section(*this, 0);
    ended.reserve(2 * executors_.size());  // before it has threads, which must not go unjoined
    ended.swap(ended_);
  }
  for (std::thread& thread : ended) {
    end_thread(thread, join);
  }
}

ExecutorRef Crew::make_executor(std::string_view name) {
  size_t queue_id = kWorkersQueue + 1;
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

void Crew::make_room_for_executor() {
  executors_.reserve(executors_.size() + 1);
  ended_.reserve(ended_.size() + 2 * (executors_.size() + 1));  // for the threads of all
}

Status Crew::add(const ExecutorRef& executor) {
  make_room_for_executor();
  executors_.push_back(executor);
  const Status started = is_threaded_ ? start(executor) : ok_status();
  if (!started.ok()) {
    executors_.pop_back();
  }
  return started;
}

void Crew::forget(const ExecutorRef& executor) {
  if (executor->line != nullptr) {
    devices_.forget(executor);
    ended_.push_back(std::move(executor->line->learner));
  }
  ended_.push_back(std::move(executor->thread));
  std::erase(executors_, executor);
  graph_.forget_queue(executor->queue.id());
  executor->is_over = true;
  executor->wake();
}

Status Crew::start(const ExecutorRef& executor) {
  try {
    const SignalsBlocked blocked;
    executor->thread =
        std::thread([self = core_.shared_from_this(), this, executor] { executor_loop(executor); });
  } catch (const std::exception& error) {  // of the system, or no memory
    return resource_exhausted("cannot start a thread for the executor '{}': {}", executor->name,
                              error.what());
  }
  executor->has_thread = true;
  return ok_status();
}

void Crew::executor_loop(const ExecutorRef& self) {
  Executor& executor = *self;
  name_this_thread("forebay-" + executor.name);
  thread_context() = {.crew = this, .executor = &executor};
  Section section(*this);
  while (!graph_.is_stopping() && !executor.is_over && !executor.ends_itself()) {
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
  if (executor.ends_itself() && !graph_.is_stopping()) {
    forget(self);
  }
}

}  // namespace forebay::engine
