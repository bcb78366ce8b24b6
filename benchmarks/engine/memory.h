// What queued work keeps in memory: batches that are made and used by tasks, and what the engine itself takes
// a task.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <semaphore>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "engine/place.h"
#include "harness/contender.h"
#include "harness/measure.h"

namespace engine_benchmark {

using contender::median;
using contender::now_ns;

inline constexpr int kBatches = 60;
inline constexpr size_t kBatchFloats = 1 << 20;  // 4 MiB

/// Batches that live now, and the most that lived at once.
struct Live {
  std::atomic<int> now{0};
  std::atomic<int> peak{0};

  void add() {
    const int count = ++now;
    for (int known = peak; known < count && !peak.compare_exchange_weak(known, count);) {
    }
  }
};

struct Batch {
  std::vector<float> values;
  float sum = 0;

  void make(Live& live) {
    live.add();
    values.assign(kBatchFloats, 1.0f);
  }
  void use(Live& live) {
    for (const float value : values) {
      sum += value;
    }
    values = std::vector<float>();
    --live.now;
  }
};

// A task that takes the memory of a batch. An engine that is told such things is told it.
template <class Engine>
void push_make(Engine& engine, const typename Engine::Variable& made, std::function<void()> body) {
  if constexpr (requires { engine.push_taking(made, std::move(body), size_t{}); }) {
    engine.push_taking(made, std::move(body), kBatchFloats * sizeof(float));
  } else {
    engine.push(nullptr, 0, made, std::move(body), Place::kCompute);
  }
}

// "training" of the row: each use also updates one model, so that uses go one after the other.
template <class Engine>
int peak_of_batches(Engine& engine, bool is_training, bool waits) {
  Live live;
  auto model = engine.make();
  for (int i = 0; i < kBatches; ++i) {
    auto batch = std::make_shared<Batch>();
    const auto made = engine.make();
    auto result = engine.make();
    push_make(engine, made, [batch, &live] { batch->make(live); });
    const auto& used = is_training ? model : result;
    engine.push(
        &made, 1, used, [batch, &live] { batch->use(live); }, Place::kCompute);
    if (waits) {
      engine.wait(used);
    }
  }
  engine.wait_all();
  return live.peak;
}

template <class Engine>
void run_batches(const contender::Task& task, const std::map<std::string, std::string>& versions,
                 Engine& engine) {
  std::vector<double> peaks;
  for (const double end = now_ns() + task.seconds * 1e9; now_ns() < end;) {
    peaks.push_back(peak_of_batches(engine, task.number.at("training") != 0, task.number.at("waits") != 0) *
                    (kBatchFloats * sizeof(float) / 1048576.0));
  }
  contender::report(task, versions, {{"peak_mib", median(peaks)}});
}

inline double resident_bytes() {
  long pages = 0;
  long resident = 0;
  if (std::FILE* file = std::fopen("/proc/self/statm", "r")) {
    (void)!std::fscanf(file, "%ld %ld", &pages, &resident);
    std::fclose(file);
  }
  return static_cast<double>(resident) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

// y = x + 1 so often that nothing can run: resident memory a task while all are queued, and a moment after
// the wait for all.
template <class Engine>
void run_queued(const contender::Task& task, const std::map<std::string, std::string>& versions,
                Engine& engine) {
  const int tasks = static_cast<int>(task.number.at("tasks"));
  std::binary_semaphore opened(0);
  auto x = engine.make();
  engine.push(
      nullptr, 0, x, [&] { opened.acquire(); }, Place::kCompute);
  const double before = resident_bytes();
  for (int i = 0; i < tasks; ++i) {
    auto y = engine.make();
    engine.push(&x, 1, y);
    x = std::move(y);
  }
  const double queued = resident_bytes();
  opened.release();
  engine.wait_all();
  std::this_thread::sleep_for(std::chrono::milliseconds(200));
  contender::report(
      task, versions,
      {{"queued_bytes", (queued - before) / tasks}, {"kept_bytes", (resident_bytes() - before) / tasks}});
}

}  // namespace engine_benchmark
