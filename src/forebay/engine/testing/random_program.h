// Random programs for an engine: several scripts push, wait, cancel and drop variables at the same time, over
// shared variables and variables of their own. Some tasks fail or throw; some push and wait themselves. The
// seed alone determines what a program does; when it happens is up to whoever runs it.
#pragma once

#include <cstdint>
#include <vector>

namespace forebay::engine::testing {

enum class TaskKind : uint8_t { kPlain, kAsync, kOpen };
enum class TaskEnding : uint8_t { kOk, kError, kThrowsStandard, kThrowsOther, kDropsCompletion };

struct Action {
  enum class Verb : uint8_t {
    kPush,     // target: a task
    kWait,     // target: a variable
    kWaitAll,  // target: a lane
    kCancel,   // target: a lane
    kDrop,     // target: a variable, whose handle is dropped
  };
  Verb verb;
  int target;
  bool must_end = false;  // for a wait inside a task: it can end, so the engine may not refuse it
};

struct PlannedTask {
  int number = 0;  // its place in Program::tasks, and its name
  int inside_of = -1;
  std::vector<int> reads;  // variables; a list may name one twice, and both lists may name it
  std::vector<int> writes;
  int lane = 0;
  int executor = -1;  // -1: compute workers
  int priority = 0;
  uint64_t order = 0;
  uint64_t bytes = 0;
  bool run_on_error = false;
  TaskKind kind = TaskKind::kPlain;
  TaskEnding ending = TaskEnding::kOk;
  std::vector<Action> inside;  // what its body does
};

struct ProgramOptions {
  int scripts = 3;
  int actions = 24;  // for each script
  bool fails = true;
  bool cancels = true;
  bool nests = true;   // tasks that push and wait
  bool orders = true;  // explicit orders and priorities
  int executors = 6;   // one task in this many runs on an executor
  int insides = 5;     // one plain task in this many pushes and waits itself
};

struct Program {
  static constexpr int kLanes = 4;  // lane 0 is never cancelled
  static constexpr int kExecutors = 2;
  uint32_t seed = 0;
  int variables = 0;
  std::vector<bool> is_own;  // by variable: only one script's own tasks use it
  std::vector<PlannedTask> tasks;
  std::vector<std::vector<Action>> scripts;
};

Program make_program(uint32_t seed, const ProgramOptions& options);

}  // namespace forebay::engine::testing
