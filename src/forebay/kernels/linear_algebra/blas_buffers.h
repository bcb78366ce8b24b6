// The working memory of OpenBLAS: a buffer for each product that is under way, which it keeps for later ones.
//
// Where it gets no memory for another (a process under `ulimit -v`, or a system that does not overcommit) it
// asks again for ever, at full speed. So buffers are made before products need them, where room is found for
// them; where there is none, products take turns with the buffers that there are. Which products do without
// a buffer (small ones, on CPUs with AVX-512) need not be known then.
//
// OpenBLAS gives the first of its places that is free, and maps memory only for one that has none
// (blas_memory_alloc of driver/others/memory.c): whoever holds `n` buffers at once while nobody else has one
// leaves `n` that are mapped, and products that are no more than those find one each.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "absl/functional/any_invocable.h"
#include "absl/functional/function_ref.h"
#include "forebay/base/status.h"

namespace forebay::kernels {

/// What OpenBLAS maps for a buffer on x86-64 and ARM64: its BUFFER_SIZE, and some pages.
inline constexpr uint64_t kBlasBufferBytes = (uint64_t{128} << 20) + (uint64_t{1} << 20);

/// Thread safe.
class BlasBuffers {
 public:
  /// `can_map`: whether the process can map so many bytes; by default it is tried.
  explicit BlasBuffers(absl::AnyInvocable<bool(uint64_t bytes)> can_map = can_map_now);

  /// Calls `multiply`, which makes one product, once there is a buffer for it. resource_exhausted if there is
  /// none and no room for one. `make_buffers(count)` sees to it that OpenBLAS has so many; it is called while
  /// no product is under way. Neither may throw, or ask for another product.
  Status use(absl::FunctionRef<void(int count)> make_buffers, absl::FunctionRef<void()> multiply);

  /// In a forked child: buffers that other threads were using are lost, as those of OpenBLAS itself.
  void forget_other_threads();

  static bool can_map_now(uint64_t bytes);

 private:
  bool take(std::unique_lock<std::mutex>& lock, absl::FunctionRef<void(int)> make_buffers);
  void grow(absl::FunctionRef<void(int)> make_buffers);

  absl::AnyInvocable<bool(uint64_t bytes)> can_map_;
  std::mutex mutex_;
  std::condition_variable changed_;
  int there_ = 0;            // that OpenBLAS has at least
  int in_use_ = 0;           // of those, at most: products that are under way
  int waiting_ = 0;          // products that are not yet
  bool is_growing_ = false;  // one of them waits until none is under way, to have more made
  bool is_making_ = false;   // somebody holds all that there are
};

/// The process's.
BlasBuffers& blas_buffers();

}  // namespace forebay::kernels
