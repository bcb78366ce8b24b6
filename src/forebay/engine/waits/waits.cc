// Waiting threads: how they are registered, what wakes them, how they continue.
#include "forebay/engine/waits/waits.h"

#include <chrono>
#include <exception>
#include <utility>

namespace forebay::engine {
namespace {

constexpr auto kWaiterSpinTime = std::chrono::microseconds(10);
constexpr auto kWaiterLookTime = std::chrono::nanoseconds(200);

bool says_stop(const WaitOptions& options) {
  try {
    return options.interrupted();
  } catch (const std::exception&) {
    return true;
  }
}

void unlink(Waiter*& list, const Waiter& waiter) FOREBAY_HOLDS {
  for (Waiter** link = &list; *link != nullptr; link = &(*link)->next) {
    if (*link == &waiter) {
      *link = waiter.next;
      return;
    }
  }
}

}  // namespace

Status Waits::wait(VariableState& variable, const WaitOptions& options) {
  Section section(crew_);
  Access* const write = variable.last_write;
  if (write == nullptr) {
    return variable.status;
  }
  const Awaited awaited{.task = &write->task()};
  return wait_in_list(section, awaited.task->waiters, *awaited.task->lane, awaited, options);
}

Status Waits::wait_all(Lane& lane, const WaitOptions& options) {
  Section section(crew_);
  if (lane.unfinished == 0) {
    return std::exchange(lane.first_error, ok_status());
  }
  return wait_in_list(section, lane.idle_waiters, lane, {.lane = &lane}, options);
}

Status Waits::await_room(Lane& lane, const WaitOptions& options) {
  if (crew_.current_task() != nullptr || lane.options.most_queued == 0) {
    return ok_status();
  }
  Section section(crew_);
  if (graph_.has_room_for_more(lane)) {
    return ok_status();
  }
  return wait_in_list(section, lane.room_waiters, lane, {.lane = &lane}, options);
}

/// Waits until somebody ends the waits in `list`, which belongs to a lane or one of its tasks.
Status Waits::wait_in_list(Section& section, Waiter*& list, Lane& lane, const Awaited& awaited,
                           const WaitOptions& options) {
  Waiter waiter;
  waiter.task = crew_.current_task();
  waiter.next = list;
  list = &waiter;
  ++lane.waiters;
  crew_.add_waiter(waiter);
  const bool is_willing = waiter.task != nullptr || (options.help && lane.options.waiters_help);
  Status ended;
  if (waiter.task != nullptr) {
    // Set before checking whether the wait can end, so that two tasks that begin to wait for each other both
    // see it.
    waiter.task->running->awaited = &awaited;
    ended = check_can_end(waiter, awaited, section);
  }
  if (ended.ok()) {
    ended = wait_until_done(section, waiter, awaited, is_willing, options);
  }
  crew_.remove_waiter(waiter);
  if (waiter.is_done) {
    return waiter.status;
  }
  unlink(list, waiter);
  --lane.waiters;
  return ended;
}

Status Waits::wait_until_done(Section& section, Waiter& waiter, const Awaited& awaited, bool is_willing,
                              const WaitOptions& options) {
  Task* const self = waiter.task;
  if (self != nullptr) {
    graph_.note_not_running(*self);
    if (!self->takes_place()) {
      graph_.note_executor_waits(true);
    }
    graph_.note_runnable();
    graph_.update(*self->lane);
  }
  Status ended;
  auto next_question = std::chrono::steady_clock::time_point::min();
  while (!waiter.is_done && ended.ok()) {
    if (options.interrupted && std::chrono::steady_clock::now() >= next_question) {
      ended = is_interrupted(section, options) ? cancelled("the wait was interrupted") : ok_status();
      next_question = std::chrono::steady_clock::now() + options.poll_interval;
    }
    if (graph_.is_stopping()) {
      ended = cancelled("the engine is shut down");
    }
    if (ended.ok() && waiter.must_check && !waiter.is_done) {
      ended = check_can_end(waiter, awaited, section);
    }
    if (!waiter.is_done && ended.ok()) {
      help_or_park(section, waiter, awaited, is_willing, options);
    }
  }
  if (self != nullptr) {
    self->running->awaited = nullptr;
    if (self->takes_place()) {
      regain_place(*self->lane, section);
    } else {
      graph_.note_executor_waits(false);
      graph_.note_running(*self);
    }
  }
  return ended;
}

void Waits::help_or_park(Section& section, Waiter& waiter, const Awaited& awaited, bool is_willing,
                         const WaitOptions& options) {
  const uint64_t seen_version = graph_.ready_version();
  // Short tasks are left to the worker that runs them, as long as it makes progress.
  const bool leaves_to_mover = waiter.task == nullptr && crew_.has_mover();
  const bool helps = is_willing || !crew_.has_threads();
  if (leaves_to_mover || !helps || !help(section, awaited)) {
    park(section, waiter, helps, seen_version, options);
  }
}

bool Waits::is_interrupted(Section& section, const WaitOptions& options) {
  section.leave();
  const bool stops = says_stop(options);
  section.enter();
  return stops;
}

/// Sleeps, unless something has become ready since `seen_version`.
void Waits::park(Section& section, Waiter& waiter, bool helps, uint64_t seen_version,
                 const WaitOptions& options) {
  const bool had_threads = crew_.has_threads();
  const ThreadContext& context = thread_context();
  const bool is_outside = context.crew != &crew_;
  const bool is_worker = !is_outside && context.worker != nullptr;
  const bool watches = helps && is_outside && crew_.has_mover();
  crew_.note_asleep(is_worker);
  section.leave();
  if (waiter.task == nullptr) {
    spin_until(kWaiterSpinTime, kWaiterLookTime,
               [&] { return waiter.is_done.load(std::memory_order_acquire); });
  }
  section.enter(0);
  // Workers leave tasks that become ready later to the worker that takes their place. Threads without a
  // replacement must be told.
  const bool is_helper = helps && (!crew_.has_threads() || (!is_outside && context.executor != nullptr));
  const bool has_news = had_threads != crew_.has_threads() || waiter.must_check ||
                        (is_helper && graph_.ready_version() != seen_version);
  if (!waiter.is_done && !graph_.is_stopping() && !has_news) {
    waiter.is_woken = false;
    if (is_helper) {
      crew_.add_helper(waiter);
    }
    sleep(section, waiter, watches, options);
    if (is_helper) {
      crew_.remove_helper(waiter);
    }
  }
  crew_.note_awake(is_worker);
}

void Waits::sleep(Section& section, Waiter& waiter, bool watches, const WaitOptions& options) {
  const auto is_ready = [&] { return waiter.is_done || graph_.is_stopping() || waiter.is_woken; };
  if (watches) {
    crew_.watch_mover(section, waiter.condition, is_ready);
  } else if (options.interrupted) {
    waiter.condition.wait_for(section.lock(), options.poll_interval, is_ready);
  } else {
    waiter.condition.wait(section.lock(), is_ready);
  }
}

/// Waits until the lane's width allows the resumed task to continue. Returns at once when the engine is shut
/// down, because the body that holds the place may then never return.
void Waits::regain_place(Lane& lane, Section& section) {
  if (lane.has_room()) {
    graph_.take_place(lane);
    return;
  }
  Waiter turn;
  Waiter** last = &lane.resuming;
  while (*last != nullptr) {
    last = &(*last)->next;
  }
  *last = &turn;
  const bool is_worker = crew_.is_on_worker();
  crew_.note_asleep(is_worker);
  section.leave();
  section.enter(0);
  crew_.add_waiter(turn);
  turn.condition.wait(section.lock(), [&] { return turn.is_done || graph_.is_stopping(); });
  crew_.remove_waiter(turn);
  crew_.note_awake(is_worker);
  if (!turn.is_done) {
    unlink(lane.resuming, turn);
    graph_.take_place(lane);
  }
}

}  // namespace forebay::engine
