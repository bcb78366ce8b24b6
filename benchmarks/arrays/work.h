// The work of this benchmark: y = x + 1 with all that belongs to it (an array made, an operator called, the
// old array released), where what is measured is what lies around the additions; work beside a device.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "arrays/device_rows.h"
#include "harness/contender.h"
#include "harness/measure.h"

namespace arrays_benchmark {

// Library: Array (movable), Array ones(int rows, int columns); Array plus_one(const Array&); void wait(const
// Array&); void wait_all(); versions(), by name; what device_rows.h asks for.
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
void run_increments(const contender::Task& task, Library& library) {
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
  contender::report(task, library.versions(),
                    {{"tasks_per_second", 1e9 / total}, {"push_ns", median(call_ns)}, {"task_ns", total}});
}

template <class Library>
void run(const contender::Task& task, Library& library) {
  if (!task.text.contains("device")) {
    run_increments(task, library);
  } else if (library.open_device(task.text.at("device"))) {
    run_beside_device(task, library);
  } else {
    contender::decline(task, library.versions());
  }
}

}  // namespace arrays_benchmark
