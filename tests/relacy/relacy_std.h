// Puts the real code under Relacy, which runs the threads of a test in every order (or in many) and simulates
// what C++ lets processors do with relaxed loads and stores: included first, it makes `std::atomic`,
// `std::mutex` and `std::this_thread::yield` of every Forebay header included later Relacy's. Plain<T> is a
// variable that is no atomic: Relacy reports two threads that use it without order.
//
// Headers of the standard library and others must have been included before: here.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <relacy/relacy.hpp>

#undef memory_order_relaxed
#undef memory_order_consume
#undef memory_order_acquire
#undef memory_order_release
#undef memory_order_acq_rel
#undef memory_order_seq_cst
#undef new
#undef delete
#undef malloc
#undef calloc
#undef realloc
#undef free
#undef assert
#undef errno

namespace relacy_std {

inline rl::memory_order order_of(std::memory_order order) {
  switch (order) {
    case std::memory_order_relaxed:
      return rl::mo_relaxed;
    case std::memory_order_consume:
      return rl::mo_consume;
    case std::memory_order_acquire:
      return rl::mo_acquire;
    case std::memory_order_release:
      return rl::mo_release;
    case std::memory_order_acq_rel:
      return rl::mo_acq_rel;
    default:
      return rl::mo_seq_cst;
  }
}

/// std::atomic, as far as the code under test uses it.
template <class T>
class Atomic {
 public:
  using Order = std::memory_order;
  static constexpr Order kStrict = std::memory_order_seq_cst;

  Atomic() { value_.store(T(), rl::mo_relaxed, $); }
  Atomic(T value) { value_.store(value, rl::mo_relaxed, $); }  // NOLINT: as std::atomic

  T load(Order order = kStrict) const { return value_.load(order_of(order), $); }
  void store(T value, Order order = kStrict) { value_.store(value, order_of(order), $); }
  T exchange(T value, Order order = kStrict) { return value_($).exchange(value, order_of(order)); }
  T fetch_add(T value, Order order = kStrict) { return value_($).fetch_add(value, order_of(order)); }
  T fetch_sub(T value, Order order = kStrict) { return value_($).fetch_sub(value, order_of(order)); }
  bool compare_exchange_weak(T& expected, T value, Order order = kStrict) {
    return value_($).compare_exchange_weak(expected, value, order_of(order), rl::mo_relaxed);
  }
  operator T() const { return load(); }  // NOLINT: as std::atomic

 private:
  rl::atomic<T> value_;
};

template <class T>
class Plain {
 public:
  Plain() { value_($) = T(); }
  Plain(T value) { value_($) = value; }  // NOLINT: stands for a T
  Plain(const Plain& other) { value_($) = other.load(); }
  Plain& operator=(const Plain& other) {
    value_($) = other.load();
    return *this;
  }
  T load() const { return value_($); }
  operator T() const { return load(); }  // NOLINT: stands for a T

 private:
  rl::var<T> value_;
};

class Mutex {
 public:
  void lock() { mutex_.lock($); }
  void unlock() { mutex_.unlock($); }
  bool try_lock() { return mutex_.try_lock($); }

 private:
  rl::mutex mutex_;
};

}  // namespace relacy_std

namespace std {
template <class T>
using relacy_atomic = relacy_std::Atomic<T>;
using relacy_mutex = relacy_std::Mutex;
namespace this_thread {
inline void relacy_yield() {
  rl::yield(1, $);
}
}  // namespace this_thread
}  // namespace std

#define atomic relacy_atomic
#define mutex relacy_mutex
#define yield relacy_yield
