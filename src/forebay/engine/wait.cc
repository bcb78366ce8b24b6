// Waiting: registered on the variable or lane itself, helping only with what is waited for, refusing what
// cannot end.
#include <algorithm>

#include "forebay/engine/core.h"
#include "forebay/engine/dependencies.h"

namespace forebay::engine {
namespace {

// A thread outside the engine looks no further than this through the graph for something to help with:
// workers run the rest. Threads that must help (there are no workers, or the executor is theirs) look at all
// of it.
constexpr size_t kHelpSearchLimit = 256;
constexpr auto kWaiterSpinTime = std::chrono::microseconds(10);
constexpr auto kWaiterLookTime = std::chrono::nanoseconds(200);

bool is_interrupted(const WaitOptions& options) {
  try {
    return options.interrupted();
  } catch (const std::exception&) {
    return true;
  }
}

void unlink(Waiter*& list, const Waiter& waiter) {
  for (Waiter** link = &list; *link != nullptr; link = &(*link)->next) {
    if (*link == &waiter) {
      *link = waiter.next;
      return;
    }
  }
}

bool is_on_stack(const Task& task, const Task* top) {
  while (top != nullptr && top != &task) {
    top = top->running->outer;
  }
  return top != nullptr;
}

Status hopeless(const Task& waiting, const Task& before) {
  return failed_precondition("task '{}' would wait for itself: what it waits for comes after task '{}'",
                             waiting.name(), before.name());
}

}  // namespace

void end_wait(Waiter& waiter, Lane& lane, Status status) {
  --lane.waiters;
  if (waiter.task != nullptr) {
    // At once, not when its thread wakes: walks over the graph must not follow it to a task that is gone.
    waiter.task->running->awaited = nullptr;
  }
  waiter.status = std::move(status);
  waiter.is_done.store(true, std::memory_order_release);
  waiter.condition.notify_one();
}

Task* Core::current_task() const {
  const ThreadContext& context = thread_context();
  return context.core == this ? context.task : nullptr;
}

Status Core::wait(const Variable& variable, const WaitOptions& options) {
  if (!variable.is_valid()) {
    return invalid_argument("the variable names nothing");
  }
  VariableState& state = *variable.state_;
  FOREBAY_RETURN_IF_ERROR(check_handle(state.core_id, state.fork_generation, "variable"));
  Section section(*this);
  Access* write = state.last_write;
  if (write == nullptr) {
    return state.status;
  }
  const Awaited awaited{.task = &write->task()};
  FOREBAY_RETURN_IF_ERROR(refuse_deadlock(awaited));
  return wait_in_list(section, awaited.task->waiters, *awaited.task->lane, awaited, options);
}

/// Until whoever ends the waits of `list`, of a lane or of one of its tasks, ends this one.
Status Core::wait_in_list(Section& section, Waiter*& list, Lane& lane, const Awaited& awaited,
                          const WaitOptions& options) {
  Waiter waiter;
  waiter.next = list;
  list = &waiter;
  ++lane.waiters;
  const Status ended = wait_until_done(section, waiter, awaited, options);
  if (waiter.is_done) {
    return waiter.status;
  }
  unlink(list, waiter);
  --lane.waiters;
  return ended;
}

Status Core::wait_all(const LaneRef& lane, const WaitOptions& options) {
  if (lane == nullptr) {
    return invalid_argument("no lane given to wait for");
  }
  FOREBAY_RETURN_IF_ERROR(check_handle(lane->core_id, lane->fork_generation, "lane"));
  Section section(*this);
  if (lane->unfinished == 0) {
    return std::exchange(lane->first_error, ok_status());
  }
  const Awaited awaited{.lane = lane.get()};
  FOREBAY_RETURN_IF_ERROR(refuse_deadlock(awaited));
  return wait_in_list(section, lane->idle_waiters, *lane, awaited, options);
}

Status Core::wait_until_done(Section& section, Waiter& waiter, const Awaited& awaited,
                             const WaitOptions& options) {
  Task* self = current_task();
  const Lane& lane = awaited.task != nullptr ? *awaited.task->lane : *awaited.lane;
  const bool is_willing = self != nullptr || (options.help && lane.options.waiters_help);
  if (self != nullptr) {
    waiter.task = self;
    self->running->awaited = &awaited;
    release_place(*self->lane);
    ++ready_version_;
    settle_lane(*self->lane);
  }
  waiters_.push_back(&waiter);
  Status ended;
  auto next_question = std::chrono::steady_clock::time_point::min();
  while (!waiter.is_done) {
    if (is_stopping_) {
      ended = cancelled("the engine is shut down");
      break;
    }
    if (options.interrupted && std::chrono::steady_clock::now() >= next_question) {
      section.leave();
      const bool stop = is_interrupted(options);
      next_question = std::chrono::steady_clock::now() + options.poll_interval;
      section.enter();
      if (stop && !waiter.is_done) {
        ended = cancelled("the wait was interrupted");
        break;
      }
    }
    // Short tasks are left to the worker that runs them, as long as it gets on.
    const bool leaves_to_mover = self == nullptr && has_mover();
    const bool helps = is_willing || !has_threads();
    if (!waiter.is_done && (leaves_to_mover || !helps || !help(section, awaited))) {
      park(section, waiter, helps, options);
    }
  }
  std::erase(waiters_, &waiter);
  if (self != nullptr) {
    self->running->awaited = nullptr;
    regain_place(*self->lane, section);
  }
  return ended;
}

/// Of a task that has ended or begins to wait. Those that have waited go on before others begin.
void Core::release_place(Lane& lane) {
  if (lane.resuming == nullptr) [[likely]] {
    --lane.running;
    return;
  }
  Waiter& next = *std::exchange(lane.resuming, lane.resuming->next);
  next.is_done.store(true, std::memory_order_release);
  next.condition.notify_one();
}

/// Of a task of the lane that has waited, as soon as the width allows.
void Core::regain_place(Lane& lane, Section& section) {
  if (lane.has_room()) {
    ++lane.running;
    return;
  }
  Waiter turn;
  Waiter** last = &lane.resuming;
  while (*last != nullptr) {
    last = &(*last)->next;
  }
  *last = &turn;
  const bool is_worker = thread_context().core == this && thread_context().worker != nullptr;
  running_ -= is_worker ? 1 : 0;
  section.leave();
  section.enter(0);
  turn.condition.wait(section.lock(), [&] { return turn.is_done.load(); });
  running_ += is_worker ? 1 : 0;
}

void Core::park(Section& section, Waiter& waiter, bool helps, const WaitOptions& options) {
  const ThreadContext& context = thread_context();
  const bool is_worker = context.core == this && context.worker != nullptr;
  const uint64_t seen_version = ready_version_;
  const bool had_threads = has_threads();
  const bool watches = helps && context.core != this && has_mover();
  if (is_worker) {
    --running_;
  }
  section.leave();
  if (current_task() == nullptr) {
    spin_until(kWaiterSpinTime, kWaiterLookTime,
               [&] { return waiter.is_done.load(std::memory_order_acquire); });
  }
  section.enter(0);
  // Workers leave what becomes ready later to the worker that takes their place; who has none must be told.
  const bool is_hand = helps && (!has_threads() || (context.core == this && context.executor != nullptr));
  const bool has_news = had_threads != has_threads() || (is_hand && ready_version_ != seen_version);
  if (!waiter.is_done && !is_stopping_ && !has_news) {
    waiter.is_woken = false;
    if (is_hand) {
      hands_.push_back(&waiter);
    }
    const auto is_ready = [&] { return waiter.is_done || is_stopping_ || waiter.is_woken; };
    if (watches) {
      const uint64_t moved = moved_;
      const bool is_ready_soon = waiter.condition.wait_for(section.lock(), pace_.watch_time(), is_ready);
      if (!is_ready_soon && moved_ == moved) {
        pace_.note_long();
      }
    } else if (options.interrupted) {
      waiter.condition.wait_for(section.lock(), options.poll_interval, is_ready);
    } else {
      waiter.condition.wait(section.lock(), is_ready);
    }
    if (is_hand) {
      std::erase(hands_, &waiter);
    }
  }
  if (is_worker) {
    ++running_;
  }
}

bool Core::may_run_here(const Task& task) const {
  // What is held waits for others of its lane, which workers run; where there are none, nobody may.
  const bool could_run =
      task.state == TaskState::kReady || (task.state == TaskState::kHeld && !has_threads());
  if (!could_run || !task.lane->has_room()) {
    return false;
  }
  if (task.executor == nullptr) {
    return true;
  }
  const ThreadContext& context = thread_context();
  const bool is_mine = context.core == this && context.executor == task.executor;
  return is_mine || !task.executor->thread.joinable();
}

bool Core::help(Section& section, Awaited awaited) {
  DeviceLine* issued_on = nullptr;
  Task* task = find_help(awaited, issued_on);
  if (task == nullptr) {
    return !is_threaded_ && ((issued_on != nullptr && learn(*issued_on, section)) || learn_here(section));
  }
  take_out(*task);
  run(*task, section);
  return true;
}

bool Core::marks_visit(Task& task) {
  if (task.visit == visit_) {
    return false;
  }
  task.visit = visit_;
  return true;
}

void Core::add_roots(Awaited awaited, std::vector<Task*>& open) {
  if (awaited.task != nullptr && marks_visit(*awaited.task)) {
    open.push_back(awaited.task);
  }
  if (awaited.lane != nullptr) {
    for (Task* task = awaited.lane->first; task != nullptr; task = task->lane_next) {
      if (marks_visit(*task)) {
        open.push_back(task);
      }
    }
  }
}

void Core::add_predecessors(Task& task, std::vector<Task*>& open) {
  if (task.running != nullptr) {
    if (task.running->awaited != nullptr) {
      add_roots(*task.running->awaited, open);
    }
    add_roots({.task = task.running->inner}, open);
  }
  const auto visit = task.state == TaskState::kIssued ? visit_conflicts : visit_predecessors;
  for (const Access& access : task.accesses()) {
    visit(access, [&](Access& before) {
      if (marks_visit(before.task())) {
        open.push_back(&before.task());
      }
      return true;
    });
  }
}

// A task in the queue of an executor whose thread runs another waits for that one, too. Where tasks of two
// executors wait for each other's queues, each can only run its own.
void Core::add_occupant(Task& task, std::vector<Task*>& open) {
  if (task.executor != nullptr && task.state == TaskState::kReady && task.executor->running != nullptr) {
    add_roots({.task = task.executor->running}, open);
  }
}

/// Where there is none, `issued_on` is the queue of a device that has to get on first.
Task* Core::find_help(Awaited awaited, DeviceLine*& issued_on) {
  const ThreadContext& context = thread_context();
  const bool must_help = !has_threads() || (context.core == this && context.executor != nullptr);
  if (awaited.task != nullptr && may_run_here(*awaited.task)) {
    return awaited.task;  // ready: it waits for nothing else
  }
  if (awaited.lane != nullptr) {
    Task* oldest = queue_.peek(*awaited.lane);
    if (oldest != nullptr && may_run_here(*oldest)) {
      return oldest;
    }
    if (!must_help) {
      return nullptr;
    }
  }
  ++visit_;
  std::vector<Task*> open;
  add_roots(awaited, open);
  Task* best = nullptr;
  const Task* oldest_issued = nullptr;
  for (size_t visited = 0; !open.empty() && (must_help || visited < kHelpSearchLimit); ++visited) {
    Task* task = open.back();
    open.pop_back();
    if (may_run_here(*task)) {
      const bool is_same_lane = best != nullptr && best->lane == task->lane;
      if (best == nullptr || (is_same_lane ? runs_before(*task, *best) : task->id < best->id)) {
        best = task;
      }
    }
    if (task->state == TaskState::kIssued && (oldest_issued == nullptr || task->id < oldest_issued->id)) {
      oldest_issued = task;
    }
    add_predecessors(*task, open);
    add_occupant(*task, open);
  }
  issued_on = oldest_issued == nullptr ? nullptr : oldest_issued->executor->line.get();
  return best;
}

/// A task on the stack that ends with `top` that has to end before what is awaited can.
const Task* Core::find_on_stack(Awaited awaited, const Task& top) {
  ++visit_;
  std::vector<Task*> open;
  add_roots(awaited, open);
  while (!open.empty()) {
    Task* task = open.back();
    open.pop_back();
    if (is_on_stack(*task, &top)) {
      return task;
    }
    add_predecessors(*task, open);
  }
  return nullptr;
}

Status Core::refuse_deadlock(Awaited awaited) {
  const Task* top = current_task();
  const Task* before = top == nullptr ? nullptr : find_on_stack(awaited, *top);
  return before == nullptr ? ok_status() : hopeless(*top, *before);
}

// Others may push into a lane while a task waits for all of it: also what has to come after that very task.
void Core::end_hopeless_waits(Task& pushed) {
  Lane& lane = *pushed.lane;
  for (Waiter** link = &lane.idle_waiters; *link != nullptr;) {
    Waiter& waiter = **link;
    const Task* before = waiter.task == nullptr ? nullptr : find_on_stack({.task = &pushed}, *waiter.task);
    if (before == nullptr) {
      link = &waiter.next;
      continue;
    }
    *link = waiter.next;
    end_wait(waiter, lane, hopeless(*waiter.task, *before));
  }
}

}  // namespace forebay::engine
