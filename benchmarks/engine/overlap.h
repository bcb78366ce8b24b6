// Time to enqueue against time to finish, and work beside a device that is simulated: a thread of its own
// that takes a fixed time a task and no processor.
#pragma once

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>
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

inline constexpr int kBlocks = 10;
inline constexpr int kExtent = 256;
inline constexpr std::chrono::microseconds kDeviceTime{4000};

/// A product of two square matrices by plain loops.
class Product {
 public:
  void compute() {
    std::fill(out_.begin(), out_.end(), 0.0f);
    for (int row = 0; row < kExtent; ++row) {
      for (int inner = 0; inner < kExtent; ++inner) {
        add_row(row, inner);
      }
    }
  }

 private:
  void add_row(int row, int inner) {
    const float factor = left_[row * kExtent + inner];
    const float* const right = &right_[inner * kExtent];
    float* const out = &out_[row * kExtent];
    for (int column = 0; column < kExtent; ++column) {
      out[column] += factor * right[column];
    }
  }

  std::vector<float> left_ = std::vector<float>(kExtent * kExtent, 1.5f);
  std::vector<float> right_ = std::vector<float>(kExtent * kExtent, 0.5f);
  std::vector<float> out_ = std::vector<float>(kExtent * kExtent);
};

template <class Engine>
void push_products(Engine& engine, const typename Engine::Variable& stream,
                   std::shared_ptr<Product> product) {
  for (int i = 0; i < kBlocks; ++i) {
    engine.push(
        &stream, 1, stream, [product] { product->compute(); }, Place::kCompute);
  }
}

template <class Engine>
void run_products(const contender::Task& task, const std::map<std::string, std::string>& versions,
                  Engine& engine) {
  const auto product = std::make_shared<Product>();
  const auto stream = engine.make();
  std::vector<double> enqueue_ms;
  std::vector<double> finish_ms;
  for (const double end = now_ns() + task.seconds * 1e9; now_ns() < end;) {
    const double begun = now_ns();
    push_products(engine, stream, product);
    enqueue_ms.push_back((now_ns() - begun) * 1e-6);
    engine.wait(stream);
    finish_ms.push_back((now_ns() - begun) * 1e-6);
  }
  contender::report(task, versions, {{"finish_ms", median(finish_ms)}, {"enqueue_ms", median(enqueue_ms)}});
}

inline void take_device_time() {
  std::this_thread::sleep_for(kDeviceTime);
}

/// Pushes the parts of a row that are switched on: blocks of one kind, then of the other.
template <class Engine>
class DeviceRow {
 public:
  explicit DeviceRow(Engine& engine)
      : engine_(engine), cpu_(engine.make()), device_(engine.make()), link_(engine.make()) {}

  void push_cpu() { push_products(engine_, cpu_, product_); }
  /// A device's results, a block each.
  void push_device() {
    results_.clear();
    for (int i = 0; i < kBlocks; ++i) {
      results_.push_back(engine_.make());
      engine_.push(nullptr, 0, device_, take_device_time, Place::kDevice);
      engine_.push(
          &device_, 1, results_.back(), [] {}, Place::kDevice);
    }
  }
  /// A copy of each result, one after the other.
  void push_copies() {
    for (const auto& result : results_) {
      engine_.push(&result, 1, link_, take_device_time, Place::kCopy);
    }
  }
  template <class Push>
  double time_ms(Push push) {
    const double begun = now_ns();
    push();
    engine_.wait_all();
    return (now_ns() - begun) * 1e-6;
  }

 private:
  Engine& engine_;
  const std::shared_ptr<Product> product_ = std::make_shared<Product>();
  typename Engine::Variable cpu_;
  typename Engine::Variable device_;
  typename Engine::Variable link_;
  std::vector<typename Engine::Variable> results_;
};

// "beside": products on the CPU and work on the device. "copies": work on the device and copies of its
// results.
template <class Engine>
void run_beside_device(const contender::Task& task, const std::map<std::string, std::string>& versions,
                       Engine& engine) {
  if (!Engine::kHasDevices) {
    return contender::decline(task, versions);
  }
  const bool copies = task.text.at("stream") == "copies";
  DeviceRow<Engine> row(engine);
  std::vector<double> alone;
  std::vector<double> device;
  std::vector<double> both;
  for (const double end = now_ns() + task.seconds * 1e9; now_ns() < end;) {
    device.push_back(row.time_ms([&] { row.push_device(); }));
    alone.push_back(row.time_ms([&] { copies ? row.push_copies() : row.push_cpu(); }));
    both.push_back(row.time_ms([&] {
      row.push_device();
      copies ? row.push_copies() : row.push_cpu();
    }));
  }
  contender::report(task, versions,
                    {{"both_ms", median(both)},
                     {"device_ms", median(device)},
                     {copies ? "copies_ms" : "cpu_ms", median(alone)}});
}

}  // namespace engine_benchmark
