// Array work beside a device: its work, its results copied into arrays on the host, products of arrays there;
// each alone, and together.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "harness/contender.h"
#include "harness/measure.h"

namespace arrays_benchmark {

using contender::median;
using contender::now_ns;

inline constexpr int kBlocks = 10;
inline constexpr int kSide = 512;  // of the square matrices that results are
inline constexpr size_t kResultFloats = size_t{kSide} * kSide;
inline constexpr size_t kResultBytes = kResultFloats * sizeof(float);
// A simulated device's, for each block.
inline constexpr std::chrono::microseconds kDeviceTime{4000};
inline constexpr std::chrono::microseconds kCopyTime{4000};

/// What the device leaves in the result of that block, and back.
inline float value_of_block(int block) {
  return static_cast<float>(block + 1);
}
inline int block_of_value(float value) {
  return static_cast<int>(value) - 1;
}

// Library: as work.h has it, and bool open_device(const std::string& kind): false when there is none of that
// kind; void compute(int block): the device makes a result; Array to_host(int block): a new array of it;
// Array product(const Array&): of a square matrix with itself; bool holds(const Array&, float value): after a
// wait, in all its elements.
template <class Library>
class DeviceRow {
 public:
  explicit DeviceRow(Library& library) : library_(library), matrix_(library.ones(kSide, kSide)) {}

  void compute() {
    for (int i = 0; i < kBlocks; ++i) {
      library_.compute(i);
    }
  }
  void copy() {
    arrived_.clear();
    for (int i = 0; i < kBlocks; ++i) {
      arrived_.push_back(library_.to_host(i));
    }
  }
  void multiply() {
    products_.clear();
    for (int i = 0; i < kBlocks; ++i) {
      products_.push_back(library_.product(matrix_));
    }
  }
  void multiply_arrived() {
    products_.clear();
    for (const auto& array : arrived_) {
      products_.push_back(library_.product(array));
    }
  }
  /// Ends the program if what was computed last is wrong.
  void check(bool has_arrived) const {
    for (int i = 0; i < kBlocks; ++i) {
      const float value = has_arrived ? value_of_block(i) : 1;
      const bool is_right = (!has_arrived || library_.holds(arrived_[i], value)) &&
                            (products_.empty() || library_.holds(products_[i], value * value * kSide));
      if (!is_right) {
        std::fprintf(stderr, "block %d is wrong\n", i);
        std::exit(1);
      }
    }
  }
  template <class Push>
  double time_ms(Push push) {
    const double begun = now_ns();
    push();
    library_.wait_all();
    return (now_ns() - begun) * 1e-6;
  }

 private:
  using Array = decltype(std::declval<Library&>().ones(1, 1));

  Library& library_;
  const Array matrix_;
  std::vector<Array> arrived_;
  std::vector<Array> products_;
};

/// The times of one repetition: parts alone, where the row has them, and all together.
struct DeviceTimes {
  double device = 0;
  double copies = 0;
  double cpu = 0;
  double both = 0;
};

template <class Library>
DeviceTimes time_parts(DeviceRow<Library>& row, bool copies, bool products) {
  DeviceTimes times;
  times.device = row.time_ms([&] { row.compute(); });
  times.copies = copies ? row.time_ms([&] { row.copy(); }) : 0;
  times.cpu = products ? row.time_ms([&] { row.multiply(); }) : 0;
  times.both = row.time_ms([&] {
    if (products && !copies) {
      row.multiply();
    }
    row.compute();
    if (copies) {
      row.copy();
    }
    if (products && copies) {
      row.multiply_arrived();
    }
  });
  row.check(copies);
  return times;
}

inline double median_of(const std::vector<DeviceTimes>& found, double DeviceTimes::*part) {
  std::vector<double> values;
  for (const DeviceTimes& times : found) {
    values.push_back(times.*part);
  }
  return median(std::move(values));
}

template <class Library>
void run_beside_device(const contender::Task& task, Library& library) {
  const bool copies = task.number.at("copies") != 0;
  const bool products = task.number.at("products") != 0;
  DeviceRow<Library> row(library);
  (void)time_parts(row, copies, products);
  std::vector<DeviceTimes> found;
  for (const double end = now_ns() + task.seconds * 1e9; found.empty() || now_ns() < end;) {
    found.push_back(time_parts(row, copies, products));
  }
  const double device = median_of(found, &DeviceTimes::device);
  const double copying = median_of(found, &DeviceTimes::copies);
  const double cpu = median_of(found, &DeviceTimes::cpu);
  const double both = median_of(found, &DeviceTimes::both);
  std::map<std::string, double> figures{{"both_ms", both},
                                        {"device_ms", device},
                                        {"times_the_longer", both / std::max({device, copying, cpu})}};
  if (copies) {
    figures["copies_ms"] = copying;
  }
  if (products) {
    figures["cpu_ms"] = cpu;
  }
  contender::report(task, library.versions(), figures);
}

}  // namespace arrays_benchmark
