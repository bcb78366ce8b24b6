#include "forebay/engine/task.h"

#include <new>

#include "forebay/engine/block_cache.h"
#include "forebay/engine/ready_queue.h"

namespace forebay::engine {

void retain(VariableState* state) noexcept {
  state->references.fetch_add(1, std::memory_order_relaxed);
}

void release(VariableState* state) noexcept {
  if (state->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    state->~VariableState();
    give_block(state, sizeof(VariableState));
  }
}

void Variable::retain() const noexcept {
  if (state_ != nullptr) {
    engine::retain(state_);
  }
}

void Variable::release() noexcept {
  if (state_ != nullptr) {
    engine::release(state_);
  }
}

static_assert(alignof(Access) <= alignof(Task), "accesses follow the task in its block");

Task* Task::create(size_t access_capacity) {
  const size_t bytes = sizeof(Task) + access_capacity * sizeof(Access);
  auto* const task = new (take_block(bytes)) Task;
  task->block_bytes = static_cast<uint32_t>(bytes);
  return task;
}

void Task::destroy(Task* task) {
  for (Access& access : task->accesses()) {
    release(access.variable);
    access.~Access();
  }
  const size_t bytes = task->block_bytes;
  task->~Task();
  give_block(task, bytes);
}

Access& Task::add_access(VariableState* variable) {
  Access* access = new (reinterpret_cast<Access*>(this + 1) + access_count) Access;
  ++access_count;
  retain(variable);
  access->variable = variable;
  access->task = this;
  return *access;
}

void Lane::append(Task& task) {
  task.lane_previous = last;
  (last != nullptr ? last->lane_next : first) = &task;
  last = &task;
  ++unfinished;
}

void Lane::unlink(Task& task) {
  (task.lane_previous != nullptr ? task.lane_previous->lane_next : first) = task.lane_next;
  (task.lane_next != nullptr ? task.lane_next->lane_previous : last) = task.lane_previous;
  --unfinished;
}

}  // namespace forebay::engine
