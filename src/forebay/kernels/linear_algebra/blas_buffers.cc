#include "forebay/kernels/linear_algebra/blas_buffers.h"

#include <pthread.h>
#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <utility>

namespace forebay::kernels {
namespace {

BlasBuffers* made_buffers() {
  auto* const made = new BlasBuffers;  // never destroyed: threads may multiply during process exit
  pthread_atfork(nullptr, nullptr, [] { blas_buffers().forget_other_threads(); });
  return made;
}

BlasBuffers* const buffers_of_process = made_buffers();

}  // namespace

BlasBuffers::BlasBuffers(absl::AnyInvocable<bool(uint64_t bytes)> can_map) : can_map_(std::move(can_map)) {
}

bool BlasBuffers::can_map_now(uint64_t bytes) {
  void* const mapped =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, /*fd=*/-1, /*offset=*/0);
  return mapped != MAP_FAILED && ::munmap(mapped, bytes) == 0;
}

/// While no product is under way. For all that wait, if there is room, else for one.
void BlasBuffers::grow(absl::FunctionRef<void(int)> make_buffers) {
  for (const int wanted : {std::max(waiting_, there_ + 1), there_ + 1}) {
    if (can_map_(static_cast<uint64_t>(wanted - there_) * kBlasBufferBytes)) {
      is_making_ = true;
      make_buffers(wanted);
      is_making_ = false;
      there_ = wanted;
      return;
    }
  }
}

bool BlasBuffers::take(std::unique_lock<std::mutex>& lock, absl::FunctionRef<void(int)> make_buffers) {
  ++waiting_;
  while (is_growing_ || in_use_ == there_) {
    if (!is_growing_ && can_map_(kBlasBufferBytes)) {
      is_growing_ = true;
      changed_.wait(lock, [&] { return in_use_ == 0; });
      grow(make_buffers);
      is_growing_ = false;
      changed_.notify_all();
    } else if (!is_growing_ && in_use_ == 0) {
      --waiting_;
      return false;
    } else {
      changed_.wait(lock);
    }
  }
  --waiting_;
  ++in_use_;
  return true;
}

Status BlasBuffers::use(absl::FunctionRef<void(int)> make_buffers, absl::FunctionRef<void()> multiply) {
  {
    std::unique_lock lock(mutex_);
    if (!take(lock, make_buffers)) {
      return resource_exhausted(
          "a product of matrices needs {} MiB of address space for OpenBLAS's buffer, and the process has "
          "not as much left; raise its limit (ulimit -v)",
          kBlasBufferBytes >> 20);
    }
  }
  multiply();
  const std::lock_guard lock(mutex_);
  --in_use_;
  changed_.notify_all();
  return ok_status();
}

void BlasBuffers::forget_other_threads() {
  new (&mutex_) std::mutex;
  new (&changed_) std::condition_variable;
  there_ = is_making_ ? 0 : there_ - in_use_;
  in_use_ = 0;
  waiting_ = 0;
  is_growing_ = false;
  is_making_ = false;
}

BlasBuffers& blas_buffers() {
  return *buffers_of_process;
}

}  // namespace forebay::kernels
