// One step of many small kernels, again and again, on a GPU.
#pragma once

#include <chrono>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <string>

#include "forebay/cuda/check/pattern.h"
#include "forebay/cuda/memory/resources.h"
#include "forebay/cuda/queues/driver_queue.h"
#include "forebay/cuda/queues/repeated_work.h"
#include "forebay/cuda/queues/task_stream.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/device_driver.h"
#include "harness/contender.h"

namespace repeated_step_benchmark {

using forebay::Result;
using forebay::Status;
using forebay::memory::Queue;

// The value, or the end of the program with the reason, which the runner prints.
template <class T>
T value_of(Result<T> result) {
  if (!result.ok()) {
    std::cerr << result.status() << "\n";
    std::exit(1);
  }
  return *std::move(result);
}

inline void check(const Status& status) {
  if (!status.ok()) {
    std::cerr << status << "\n";
    std::exit(1);
  }
}

inline double microseconds_since(std::chrono::steady_clock::time_point begun) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begun).count();
}

// What a step works on: kernel after kernel writes the same few words.
struct Bench {
  explicit Bench(const contender::Task& task)
      : kernels(static_cast<uint32_t>(task.number.at("kernels"))),
        bytes(static_cast<size_t>(task.number.at("bytes"))),
        device(value_of(forebay::cuda::Device::create({.queues = 2}))),
        pattern(value_of(forebay::cuda::Pattern::load(device))),
        buffer(value_of(forebay::memory::Buffer::allocate(bytes, forebay::cuda::device_resource(device)))),
        work(value_of(forebay::cuda::RepeatedWork::create(
            {.queue = device->queue(0), .capture_queue = 1, .fewest_pieces = 1}, device))) {}

  Status put_kernel(Queue queue, uint32_t number) const {
    return pattern->fill(queue.queue, buffer->data(), bytes, number);
  }
  Status put_all(Queue queue) const {
    for (uint32_t number = 0; number < kernels; ++number) {
      FOREBAY_RETURN_IF_ERROR(put_kernel(queue, number));
    }
    return forebay::ok_status();
  }
  void wait() const { check(forebay::memory::wait(value_of(forebay::memory::record(device->driver(), 0)))); }

  const uint32_t kernels;
  const size_t bytes;
  const std::shared_ptr<forebay::cuda::Device> device;
  const std::unique_ptr<forebay::cuda::Pattern> pattern;
  const forebay::memory::BufferRef buffer;
  const std::shared_ptr<forebay::cuda::RepeatedWork> work;
};

// `step` puts one step on the queue, or sees to it; `wait` waits for all of them. Steps go in batches with a
// wait after each, so that the queue never fills up.
inline int measure(const contender::Task& task, const std::function<void()>& step,
                   const std::function<void()>& wait) {
  constexpr int kBatch = 20;
  step();
  wait();
  const auto second_begun = std::chrono::steady_clock::now();
  step();  // captured, where that is done
  const double second_us = microseconds_since(second_begun);
  wait();
  double total_us = 0;
  double put_us = 0;
  double steps = 0;
  const double cpu_before = contender::cpu_seconds();
  while (total_us < task.seconds * 1e6) {
    const auto begun = std::chrono::steady_clock::now();
    for (int i = 0; i < kBatch; ++i) {
      step();
    }
    put_us += microseconds_since(begun);
    wait();
    total_us += microseconds_since(begun);
    steps += kBatch;
  }
  const double cpu_us = (contender::cpu_seconds() - cpu_before) * 1e6;
  contender::report(task, {{"forebay", FOREBAY_VERSION}},
                    {{"step_us", total_us / steps},
                     {"put_us", put_us / steps},
                     {"step_cpu_us", cpu_us / steps},
                     {"second_us", second_us}});
  return 0;
}

}  // namespace repeated_step_benchmark
