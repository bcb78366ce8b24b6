#include "forebay/engine/graph/task.h"

#include <algorithm>
#include <new>

#include "forebay/engine/graph/block_cache.h"
#include "forebay/engine/graph/ready_queue.h"
#include "forebay/engine/graph/run_ahead.h"
#include "forebay/engine/process.h"

namespace forebay::engine {

Lane::Lane() = default;
Lane::~Lane() = default;

void destroy(VariableState* state) noexcept {
  state->~VariableState();
  give_block(state, sizeof(VariableState));
}

void forget_handles(VariableState& state) {
  state.has_handles = false;
  if (state.head == nullptr) {
    destroy(&state);
  }
}

void Variable::retain() const noexcept {
  if (state_ != nullptr) {
    state_->handles.fetch_add(1, std::memory_order_relaxed);
  }
}

void Variable::release() noexcept {
  if (state_ == nullptr || state_->handles.fetch_sub(1, std::memory_order_acq_rel) != 1) {
    return;
  }
  const bool was_pushed = state_->was_pushed.load(std::memory_order_relaxed);
  // In a forked child the parent's engine is dead and its inbox may be locked.
  if (was_pushed && state_->fork_generation == fork_generation()) {
    state_->inbox->put(state_);
  } else {
    destroy(state_);
  }
}

static_assert(alignof(Access) <= alignof(Task), "accesses follow the task in its block");
static_assert(sizeof(Task) % alignof(Access) == 0 && sizeof(Access) % alignof(TaskTimes) == 0);
static_assert(sizeof(Task) <= 144 && sizeof(Access) == 32 && sizeof(VariableState) == 2 * kLineBytes);

namespace {

constexpr size_t kMaxNameBytes = 0xffff;
constexpr size_t kMaxSiteBytes = 0xff;

/// Offset of the name in the block; the site follows it.
size_t text_offset(size_t access_capacity, bool is_traced) {
  return sizeof(Task) + access_capacity * sizeof(Access) + (is_traced ? sizeof(TaskTimes) : 0);
}

size_t block_bytes(const Task& task) {
  return text_offset(task.access_capacity, task.is_traced) + task.name_bytes + task.site_bytes;
}

}  // namespace

Task* Task::create(size_t access_capacity, std::string_view name, std::string_view site, bool is_traced) {
  name = name.substr(0, kMaxNameBytes);
  site.remove_prefix(site.size() - std::min(site.size(), kMaxSiteBytes));  // keeps the end, which says more
  const size_t offset = text_offset(access_capacity, is_traced);
  void* const block = take_block(offset + name.size() + site.size());
  auto* const task = new (block) Task;
  task->access_capacity = static_cast<uint32_t>(access_capacity);
  task->name_bytes = static_cast<uint16_t>(name.size());
  task->site_bytes = static_cast<uint8_t>(site.size());
  task->is_traced = is_traced;
  if (is_traced) {
    new (&task->times()) TaskTimes;
  }
  char* const text = static_cast<char*>(block) + offset;
  std::copy(name.begin(), name.end(), text);
  std::copy(site.begin(), site.end(), text + name.size());
  return task;
}

void Task::destroy(Task* task) {
  const size_t bytes = block_bytes(*task);
  task->~Task();
  give_block(task, bytes);
}

std::string_view Task::name() const {
  return {reinterpret_cast<const char*>(this) + text_offset(access_capacity, is_traced), name_bytes};
}

Access& Task::add_access(VariableState* variable) {
  Access* access = new (first_access() + access_count) Access;
  access->index = access_count++;
  access->variable = variable;
  return *access;
}

}  // namespace forebay::engine
