// The work of this benchmark: streams of empty tasks with the dependencies of array programs, where what is
// measured is the engine's own cost; what queued work keeps in memory; work beside a device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "engine/memory.h"
#include "engine/overlap.h"
#include "harness/contender.h"

namespace engine_benchmark {

inline constexpr int kVariables = 64;
inline constexpr int kGridWidth = 64;

// Engine: Variable (default-constructible, movable), Variable make(); void push(const Variable* reads, int
// count, const Variable& write); the same with a std::function<void()> and a Place; static constexpr bool
// kHasDevices; void wait(const Variable&); void wait_all(); perhaps void start_trace(): from now on every
// task is recorded, with its times and edges; perhaps void push_taking(const Variable& write, body, size_t
// bytes): the task takes so much memory, which stays when it ends.

template <class Engine>
void writes(Engine& engine, int tasks) {
  std::vector<typename Engine::Variable> variables;
  for (int i = 0; i < kVariables; ++i) {
    variables.push_back(engine.make());
  }
  for (int i = 0; i < tasks; ++i) {
    engine.push(nullptr, 0, variables[i % kVariables]);
  }
}

template <class Engine>
void chain(Engine& engine, int tasks) {
  const auto variable = engine.make();
  for (int i = 0; i < tasks; ++i) {
    engine.push(&variable, 1, variable);
  }
}

// Each task reads two neighbours of the row before and writes its own place.
template <class Engine>
void grid(Engine& engine, int tasks) {
  std::vector<typename Engine::Variable> rows[2];
  for (auto& row : rows) {
    for (int i = 0; i <= kGridWidth; ++i) {
      row.push_back(engine.make());
    }
  }
  for (int i = 0; i < tasks; ++i) {
    const int row = i / kGridWidth % 2;
    const int column = i % kGridWidth;
    engine.push(&rows[1 - row][column], 2, rows[row][column]);
  }
}

// y = x + 1, again and again: a new array, a task, the old array goes.
template <class Engine>
void increments(Engine& engine, int tasks) {
  auto x = engine.make();
  for (int i = 0; i < tasks; ++i) {
    auto y = engine.make();
    engine.push(&x, 1, y);
    x = std::move(y);
  }
}

template <class Engine>
void waited_increments(Engine& engine, int tasks) {
  auto x = engine.make();
  for (int i = 0; i < tasks; ++i) {
    auto y = engine.make();
    engine.push(&x, 1, y);
    engine.wait(y);
    x = std::move(y);
  }
}

template <class Engine>
void run_stream(Engine& engine, const std::string& stream, int tasks) {
  if (stream == "writes") {
    writes(engine, tasks);
  } else if (stream == "chain") {
    chain(engine, tasks);
  } else if (stream == "grid") {
    grid(engine, tasks);
  } else if (stream == "increments") {
    increments(engine, tasks);
  } else {
    waited_increments(engine, tasks);
  }
}

using Versions = std::map<std::string, std::string>;

template <class Engine>
void run_streams(const contender::Task& task, const Versions& versions, Engine& engine) {
  const std::string stream = task.text.at("stream");
  const int tasks = static_cast<int>(task.number.at("tasks"));
  if (task.number.contains("traced") && task.number.at("traced") != 0) {
    if constexpr (requires { engine.start_trace(); }) {
      engine.start_trace();
    } else {
      contender::decline(task, versions);
      return;
    }
  }
  run_stream(engine, stream, tasks);
  engine.wait_all();
  std::vector<double> push_ns;
  std::vector<double> total_ns;
  const double cpu_begun = contender::cpu_seconds();
  for (const double end = now_ns() + task.seconds * 1e9; now_ns() < end;) {
    const double begun = now_ns();
    run_stream(engine, stream, tasks);
    push_ns.push_back((now_ns() - begun) / tasks);
    engine.wait_all();
    total_ns.push_back((now_ns() - begun) / tasks);
  }
  const double cpu_ns =
      (contender::cpu_seconds() - cpu_begun) * 1e9 / (static_cast<double>(tasks) * total_ns.size());
  const double total = median(total_ns);
  contender::report(task, versions,
                    {{"tasks_per_second", 1e9 / total},
                     {"push_ns", median(push_ns)},
                     {"task_ns", total},
                     {"cpu_ns", cpu_ns}});
}

template <class Engine>
void run(const contender::Task& task, const Versions& versions, Engine& engine) {
  const std::string stream = task.text.at("stream");
  if (stream == "batches") {
    run_batches(task, versions, engine);
  } else if (stream == "queued") {
    run_queued(task, versions, engine);
  } else if (stream == "products") {
    run_products(task, versions, engine);
  } else if (stream == "beside" || stream == "copies") {
    run_beside_device(task, versions, engine);
  } else {
    run_streams(task, versions, engine);
  }
}

}  // namespace engine_benchmark
