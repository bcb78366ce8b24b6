// Waiting. A wait registers on the task or lane itself, helps only with what is waited for, and is refused if
// it could never end. See waits.cc. Internal.
#pragma once

#include <condition_variable>
#include <cstdint>

#include "forebay/engine/crew/crew.h"
#include "forebay/engine/crew/section.h"
#include "forebay/engine/devices/devices.h"
#include "forebay/engine/engine.h"
#include "forebay/engine/graph/graph.h"
#include "forebay/engine/waits/walk.h"

namespace forebay::engine {

class Waits {
 public:
  Waits(Graph& graph, Crew& crew, Devices& devices) : graph_(graph), crew_(crew), devices_(devices) {}

  // See Engine.
  Status wait(VariableState& variable, const WaitOptions& options);
  Status wait_all(Lane& lane, const WaitOptions& options);
  Status await_room(Lane& lane, const WaitOptions& options);

 private:
  Status wait_in_list(Section& section, Waiter*& list, Lane& lane, const Awaited& awaited,
                      const WaitOptions& options) FOREBAY_HOLDS;
  Status wait_until_done(Section& section, Waiter& waiter, const Awaited& awaited, bool is_willing,
                         const WaitOptions& options) FOREBAY_HOLDS;
  void help_or_park(Section& section, Waiter& waiter, const Awaited& awaited, bool is_willing,
                    const WaitOptions& options) FOREBAY_HOLDS;
  bool is_interrupted(Section& section, const WaitOptions& options) FOREBAY_HOLDS;
  void park(Section& section, Waiter& waiter, bool helps, uint64_t seen_version,
            const WaitOptions& options) FOREBAY_HOLDS;
  void sleep(Section& section, Waiter& waiter, bool watches, const WaitOptions& options) FOREBAY_HOLDS;
  void regain_place(Lane& lane, Section& section) FOREBAY_HOLDS;

  // help.cc
  bool help(Section& section, const Awaited& awaited) FOREBAY_HOLDS;
  Task* find_help(Section& section, const Awaited& awaited, bool must_help,
                  DeviceLine*& issued_on) FOREBAY_HOLDS;
  Task* find_help_nearby(const Awaited& awaited) FOREBAY_HOLDS;
  Task* find_own(const Task& open) const FOREBAY_HOLDS;
  bool may_run_here(const Task& task) const FOREBAY_HOLDS;
  bool is_only_runner() const FOREBAY_HOLDS;

  // deadlocks.cc
  Status check_can_end(Waiter& waiter, const Awaited& awaited, Section& section) FOREBAY_HOLDS;
  const Task* find_on_stack(const Awaited& awaited, const Task& top, Section& section) FOREBAY_HOLDS;
  uint64_t oldest_that_waits() const FOREBAY_HOLDS;

  void take_turn(Section& section) FOREBAY_HOLDS;
  void end_turn() FOREBAY_HOLDS {
    if (turns_wanted_ > 0) [[unlikely]] {
      turn_ended_.notify_all();
    }
  }
  void pause(Walk& walk, Section& section) FOREBAY_HOLDS;

  Graph& graph_;
  Crew& crew_;
  Devices& devices_;
  int turns_wanted_ FOREBAY_GUARDED = 0;  // threads that want to walk, too
  std::condition_variable turn_ended_;
};

}  // namespace forebay::engine
