// A value that is made when it is first asked for.
#pragma once

#include <atomic>
#include <memory>

namespace forebay::dataset {

/// Thread safe. Threads that ask at the same time may each make one, of which the first is kept. There is no
/// lock that a fork could leave locked.
template <class T>
class MadeOnce {
 public:
  MadeOnce() = default;
  ~MadeOnce() { delete value_.load(); }
  MadeOnce(const MadeOnce&) = delete;
  MadeOnce& operator=(const MadeOnce&) = delete;

  /// `make` returns a std::unique_ptr<const T>.
  template <class Make>
  const T& get(const Make& make) const {
    if (const T* const made = value_.load(std::memory_order_acquire)) {
      return *made;
    }
    std::unique_ptr<const T> own = make();
    const T* first = nullptr;
    if (value_.compare_exchange_strong(first, own.get(), std::memory_order_acq_rel)) {
      return *own.release();
    }
    return *first;
  }

 private:
  mutable std::atomic<const T*> value_{nullptr};
};

}  // namespace forebay::dataset
