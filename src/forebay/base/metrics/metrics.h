// Named counters of the process. Once found, a counter costs one relaxed add.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace forebay {

class Counter {
 public:
  void add(uint64_t amount) { value_.fetch_add(amount, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

/// Returns the counter with that name, made at the first call; it lives as long as the process. Thread safe.
Counter& counter(std::string_view name);

struct CounterValue {
  std::string name;
  uint64_t value;
};

/// All counters, sorted by name.
std::vector<CounterValue> counter_values();

}  // namespace forebay
