// Executors of devices: their threads, which end with the last handle.
//
// A device may go long before the engine does. When no handle is left and its last task is done, the thread
// that learns takes the executor out of all lists; both of its threads end then, and the queue goes with the
// later of them. See crew/executors.cc.
#include <algorithm>
#include <stdexcept>
#include <utility>

#include "forebay/engine/crew/threads.h"
#include "forebay/engine/devices/devices.h"

namespace forebay::engine {

Result<ExecutorRef> Devices::make(std::string_view name, std::shared_ptr<DeviceQueue> queue) {
  crew_.clear_ended();
  ExecutorRef made;
  const Status added = add(name, std::move(queue), made);
  if (added.ok()) {
    return crew_.handle_of(std::move(made));
  }
  if (made != nullptr) {
    end_thread(made->line->learner, /*join=*/true);
  }
  return added;
}

Status Devices::add(std::string_view name, std::shared_ptr<DeviceQueue> queue, ExecutorRef& made) {
  const Section section(crew_);
  if (graph_.is_stopping()) {
    return failed_precondition("the engine is shut down");
  }
  made = crew_.make_executor(name);
  made->line = std::make_unique<DeviceLine>();
  made->line->queue = std::move(queue);
  made->is_shared = false;
  executors_.reserve(executors_.size() + 1);
  crew_.make_room_for_executor();  // nothing may throw once there is a thread
  Status started = crew_.is_threaded() ? start_learner(made) : ok_status();
  if (started.ok()) {
    started = crew_.add(made);
  }
  if (started.ok()) {
    executors_.push_back(made);
  } else {
    made->line->is_ending = true;
    made->line->condition.notify_one();
  }
  return started;
}

void Devices::forget(const ExecutorRef& executor) {
  for (const ExecutorRef& other : executors_) {
    other->line->waited_for.erase(executor->line.get());
  }
  std::erase(executors_, executor);
}

Status Devices::start_learner(const ExecutorRef& executor) {
  DeviceLine& line = *executor->line;
  try {
    const SignalsBlocked blocked;
    line.learner = std::thread([self = core_.shared_from_this(), this, executor] { learner_loop(executor); });
    line.has_learner = true;
  } catch (const std::exception& error) {  // of the system, or no memory
    return resource_exhausted("cannot start a thread for the device's executor '{}': {}", executor->name,
                              error.what());
  }
  return ok_status();
}

void Devices::learner_loop(const ExecutorRef& executor) {
  name_this_thread("forebay-" + executor->name + "~");
  DeviceLine& line = *executor->line;
  Section section(crew_);
  while (!line.is_over() && !(line.is_ending && line.tasks.is_empty())) {
    if (learn(line, section)) {
      continue;
    }
    if (line.is_ending) {
      return;  // what is left waits for other queues, whose threads finish it
    }
    if (section.has_deferred()) {
      section.step_out();
      continue;
    }
    line.is_idle = true;
    line.condition.wait(section.lock(), [&]() FOREBAY_HOLDS { return !line.is_idle || line.is_ending; });
    line.is_idle = false;
  }
  if (line.is_over() && !graph_.is_stopping()) {
    crew_.forget(executor);
  }
}

void Devices::end_learners(bool join) {
  std::vector<ExecutorRef> executors;
  {
    const Section section(crew_);
    executors = executors_;
    for (const ExecutorRef& executor : executors) {
      executor->line->is_ending = true;
      executor->line->condition.notify_one();
    }
  }
  for (const ExecutorRef& executor : executors) {
    end_thread(executor->line->learner, join);
  }
  crew_.join_ended(join);
  if (!join) {
    return;
  }
  Section section(crew_);
  for (const ExecutorRef& executor : executors) {
    executor->line->has_learner = false;
  }
  while (learn_here(section)) {
  }
}

}  // namespace forebay::engine
