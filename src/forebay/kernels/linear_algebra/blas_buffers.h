// The working memory of OpenBLAS: a buffer for each product that is under way, which it keeps for later ones.
//
// Where it gets no memory for another (a process under `ulimit -v`, or a system that does not overcommit) it
// asks again for ever, at full speed. So room for a buffer is looked for before OpenBLAS does; where there is
// none, products take turns with the buffers that there are.
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
  /// none and no room for one.
  Status use(absl::FunctionRef<void()> multiply);

  /// In a forked child: buffers of products that other threads were making are lost, as OpenBLAS's own.
  void forget_other_threads();

  static bool can_map_now(uint64_t bytes);

 private:
  bool take(std::unique_lock<std::mutex>& lock, bool* is_new);

  absl::AnyInvocable<bool(uint64_t bytes)> can_map_;
  std::mutex mutex_;
  std::condition_variable freed_;
  int there_ = 0;            // that OpenBLAS has, or gets in the product that is under way
  int in_use_ = 0;           // of those
  bool is_growing_ = false;  // a product is under way that gets a new one
};

/// The process's.
BlasBuffers& blas_buffers();

}  // namespace forebay::kernels
