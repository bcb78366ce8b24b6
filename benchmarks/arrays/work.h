// The work of this benchmark: y = x + 1 with all that belongs to it (an array made, an operator called, the
// old array released), where what is measured is what lies around the additions.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/contender.h"

namespace arrays_benchmark {

inline double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

inline double median(std::vector<double> values) {
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2));
  return values[values.size() / 2];
}

// Library: Array (movable), Array ones(int rows, int columns); Array plus_one(const Array&); void wait(const
// Array&); void wait_all().
template <class Library>
void increments(Library& library, int rows, int columns, int steps, bool waits) {
  auto x = library.ones(rows, columns);
  for (int i = 0; i < steps; ++i) {
    auto y = library.plus_one(x);
    if (waits) {
      library.wait(y);
    }
    x = std::move(y);
  }
}

template <class Library>
void run(const contender::Task& task, const std::map<std::string, std::string>& versions, Library& library) {
  const auto number = [&](const char* name) { return static_cast<int>(task.number.at(name)); };
  const auto pass = [&] {
    increments(library, number("rows"), number("columns"), number("steps"), task.number.at("waits") != 0);
  };
  pass();
  library.wait_all();
  std::vector<double> call_ns;
  std::vector<double> total_ns;
  for (const double end = now_ns() + task.seconds * 1e9; now_ns() < end;) {
    const double begun = now_ns();
    pass();
    call_ns.push_back((now_ns() - begun) / number("steps"));
    library.wait_all();
    total_ns.push_back((now_ns() - begun) / number("steps"));
  }
  const double total = median(total_ns);
  contender::report(task, versions,
                    {{"tasks_per_second", 1e9 / total}, {"push_ns", median(call_ns)}, {"task_ns", total}});
}

}  // namespace arrays_benchmark
