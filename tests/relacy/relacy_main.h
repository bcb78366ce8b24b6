// How a test of this folder is run: there are too many schedules to try them all.
#pragma once

#include <cstdio>

#include "relacy_std.h"

namespace relacy_test {

enum class Spins {
  kNo,           // whoever waits gives its time away
  kWithoutYield  // so schedules in which it alone goes on would never end
};

/// Runs `Test` in `schedules` random schedules, and, unless it spins without yielding, in as many of those
/// with at most two preemptions.
template <class Test>
bool passes(const char* name, rl::iteration_t schedules, Spins spins = Spins::kNo) {
  bool passed = true;
  for (const rl::scheduler_type_e search : {rl::sched_random, rl::sched_bound}) {
    if (!passed || (search == rl::sched_bound && spins == Spins::kWithoutYield)) {
      break;
    }
    rl::test_params parameters;
    parameters.iteration_count = schedules;
    parameters.search_type = search;
    parameters.context_bound = 2;
    parameters.execution_depth_limit = 5000;
    std::ostream silent(nullptr);
    parameters.progress_stream = &silent;
    passed = rl::simulate<Test>(parameters);
  }
  std::printf("%s %s\n", passed ? "passed" : "FAILED", name);
  return passed;
}

}  // namespace relacy_test
