// Device tasks. Such a task ends in two steps: it is *issued* when its body has put its work on the queue,
// and finished when the host has learnt that the queue has passed that work.
//
// An issued task stays in the graph, so that whatever waits for the host's tasks also waits for the device.
// Only other device tasks may go on without waiting: on the same queue nothing is needed, and before a task
// is issued to another queue, that queue is told to wait for a point behind the task. A point is recorded
// when somebody is known to need it (the host or another queue), or when several tasks have none; it serves
// all tasks before it. The host learns through one thread per queue, which waits for the oldest point and
// finishes all the tasks that the point covers.
//
// The host may learn of two queues in either order. So a task finishes only when everything it came after has
// finished: accesses leave their lists as they do for host tasks.
#include <algorithm>
#include <deque>

#include "forebay/engine/devices/devices.h"
#include "forebay/engine/graph/dependencies.h"

namespace forebay::engine {
namespace {

// Recording a point is a driver call. A host that asks late waits for at most this many extra tasks.
constexpr uint64_t kTasksAPoint = 32;
constexpr int kFollowersAsked = 16;
constexpr size_t kPointsAsked = 8;

/// Whether anybody other than the task's own queue is known to wait for it.
bool is_awaited(const Task& task) FOREBAY_HOLDS {
  bool found = task.waiters != nullptr;
  for (const Access& access : task.accesses()) {
    int asked = 0;
    visit_followers(access, [&](Access& after) FOREBAY_HOLDS {
      found = found || after.task().executor != task.executor;
      return !found && ++asked < kFollowersAsked;
    });
  }
  return found;
}

/// Passes the error of `task` on to what was issued after it. Returns the variables that such tasks have
/// overwritten since.
std::vector<VariableState*> pass_error_on(Task& task) FOREBAY_HOLDS {
  std::vector<VariableState*> overwritten;
  for (Access& access : task.accesses()) {
    if (!access.writes) {
      continue;
    }
    visit_followers(access, [&](Access& after) FOREBAY_HOLDS {
      Task& follower = after.task();
      if (after.issued && after.reads && !follower.run_on_error && follower.result.ok()) {
        follower.result = task.result;
      }
      if (after.issued && after.writes) {
        overwritten.push_back(access.variable);
      }
      return true;
    });
  }
  return overwritten;
}

/// Whether the oldest issued task of `line` is known to be done, along with every task of other queues it
/// came after.
bool is_first_done(const DeviceLine& line) FOREBAY_HOLDS {
  Task* const first = line.tasks.first();
  return first != nullptr && (first->order <= line.passed || !line.error.ok()) && is_first(*first);
}

}  // namespace

Status Devices::begin_issue(Task& task) {
  DeviceLine& line = *task.executor->line;
  std::vector<std::pair<DeviceLine*, uint64_t>> needs;
  Section section(crew_);
  task.result = graph_.reason_to_skip(task);
  for (const Access& access : task.accesses()) {
    visit_conflicts(access, [&](Access& before) FOREBAY_HOLDS {
      DeviceLine* const other = before.task().executor->line.get();
      const auto need = std::ranges::find(needs, other, &std::pair<DeviceLine*, uint64_t>::first);
      if (need != needs.end()) {
        need->second = std::max(need->second, before.task().order);
      } else if (other != &line) {
        needs.emplace_back(other, before.task().order);
      }
      return true;
    });
  }
  std::deque<LineUse> uses;
  for (auto& [other, number] : needs) {
    uses.emplace_back(*other);
  }
  for (auto& [other, number] : needs) {
    FOREBAY_RETURN_IF_ERROR(queue_behind(line, *other, number, section));
  }
  return ok_status();
}

Status Devices::queue_behind(DeviceLine& line, DeviceLine& other, uint64_t number, Section& section) {
  uint64_t& waited_for = line.waited_for[&other];
  while (waited_for < number && other.passed < number && other.error.ok()) {
    const DevicePoint* const found = other.find(number);
    if (found == nullptr) {
      record_point(other, section);
      continue;
    }
    const DevicePoint point = *found;
    section.leave();
    const Status status = line.queue->wait_for(point.fence);
    section.enter();
    FOREBAY_RETURN_IF_ERROR(status);
    waited_for = std::max(waited_for, point.covers);
  }
  return ok_status();
}

void Devices::end_issue(Task& task, Status status, Section& section) {
  DeviceLine& line = *task.executor->line;
  const LineUse use(line);
  graph_.note_error(*task.lane, status);
  if (task.result.ok()) {
    task.result = !status.ok() || task.run_on_error ? std::move(status) : graph_.inherited_error(task);
  }
  if (task.is_traced) {
    graph_.trace_issue(task);
  }
  task.state = TaskState::kIssued;
  line.append(task);
  const bool needs_point = is_awaited(task) || line.issued - line.recorded() >= kTasksAPoint;
  // What a failed task has put on the queue is unknown: others wait until it is over and then see the error.
  if (task.result.ok()) {
    for (Access& access : task.accesses()) {
      if (access.writes) {
        access.variable->status = ok_status();
      }
      graph_.issue(access);
    }
  }
  graph_.ready_unblocked();
  if (needs_point && line.error.ok()) {
    record_point(line, section);
  } else {
    line.wake();
  }
  while (line.is_ending && !line.has_learner && learn_here(section)) {
  }
}

/// Releases the section in between.
void Devices::record_point(DeviceLine& line, Section& section) {
  const uint64_t covers = line.issued;
  section.leave();
  const Result<Fence> fence = line.queue->record();
  section.enter();
  if (!fence.ok()) {
    fail(line, fence.status());
    return;
  }
  if (covers > line.passed) {
    line.add({.fence = *fence, .covers = covers});
  }
  line.wake();
}

/// Takes one step towards learning what the device has done. Returns false when there is nothing to learn.
/// Releases the section in between.
bool Devices::learn(DeviceLine& line, Section& section) {
  if (line.tasks.is_empty()) {
    return false;
  }
  const LineUse use(line);
  if (!line.error.ok() || line.passed == line.issued) {
    return finish_passed();
  }
  if (line.points.empty()) {
    record_point(line, section);
  } else {
    await_point(line, section);
  }
  return true;
}

/// Waits for the oldest point, and takes along those that have passed by then.
void Devices::await_point(DeviceLine& line, Section& section) {
  const size_t count = std::min(line.points.size(), kPointsAsked);
  const std::vector<DevicePoint> points(line.points.begin(),
                                        line.points.begin() + static_cast<ptrdiff_t>(count));
  section.leave();
  const Status status = line.queue->wait(points.front().fence);
  uint64_t passed = points.front().covers;
  for (size_t i = 1; status.ok() && i < count; ++i) {
    const Result<bool> has_passed = line.queue->has_passed(points[i].fence);
    if (!has_passed.ok() || !*has_passed || !line.queue->wait(points[i].fence).ok()) {
      break;
    }
    passed = points[i].covers;
  }
  section.enter();
  if (!status.ok()) {
    fail(line, status);
    return;
  }
  line.set_passed(passed);
  finish_passed();
}

/// Everything after the last passed point is lost, and so is everything still to come.
void Devices::fail(DeviceLine& line, const Status& error) {
  if (line.error.ok()) {
    line.error = annotate(error, "a queue of a device");
    line.points.clear();
  }
  finish_passed();
}

/// Finishes the issued tasks of all queues that are known to be done. Returns false when there are none.
bool Devices::finish_passed() {
  bool has_finished = false;
  for (bool again = true; std::exchange(again, false);) {
    for (const auto& executor : executors_) {
      while (is_first_done(*executor->line)) {
        finish_issued(*executor->line);
        again = has_finished = true;
      }
    }
    graph_.ready_unblocked();
  }
  return has_finished;
}

void Devices::finish_issued(DeviceLine& line) {
  Task& task = line.tasks.take_first();
  if (task.order > line.passed && task.result.ok()) {
    task.result = line.error;
    graph_.note_error(*task.lane, line.error);
  }
  if (task.result.ok()) {
    graph_.finish(task);
    return;
  }
  const std::vector<VariableState*> overwritten = pass_error_on(task);
  graph_.finish(task);
  for (VariableState* const variable : overwritten) {
    variable->status = ok_status();
  }
}

bool Devices::learn_here(Section& section) {
  for (size_t i = 0; i < executors_.size(); ++i) {  // others may be added in between
    DeviceLine& line = *executors_[i]->line;
    if (!line.has_learner && learn(line, section)) {
      return true;
    }
  }
  return false;
}

}  // namespace forebay::engine
