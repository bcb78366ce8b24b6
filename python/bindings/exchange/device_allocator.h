// The device's pool in the forms that frameworks of CUDA ask for: C functions for PyTorch, an object that
// owns a block for CuPy and Numba.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/exchange/devices/device_pool.h"

extern "C" {

/// PyTorch's pluggable allocator (torch.cuda.memory.CUDAPluggableAllocator), found by name in this module's
/// file. `stream` is a cudaStream_t. When there is no memory it throws std::runtime_error, which PyTorch
/// makes a RuntimeError: PyTorch does not look for a null pointer.
__attribute__((visibility("default"))) void* forebay_device_allocate(size_t bytes, int device, void* stream);
__attribute__((visibility("default"))) void forebay_device_deallocate(void* pointer, size_t bytes, int device,
                                                                      void* stream) noexcept;

}  // extern "C"

namespace forebay::bindings {

/// A block of the device's pool, returned on any thread when this is destroyed. Work that its stream was
/// given until then may still use it.
class DeviceBlock {
 public:
  DeviceBlock(uint64_t bytes, int device, uint64_t stream);
  ~DeviceBlock();
  DeviceBlock(const DeviceBlock&) = delete;
  DeviceBlock& operator=(const DeviceBlock&) = delete;

  uint64_t pointer() const { return reinterpret_cast<uint64_t>(pointer_); }
  uint64_t bytes() const { return bytes_; }

 private:
  exchange::DevicePool* const pool_;
  const uint64_t bytes_;
  const uint64_t stream_;
  void* const pointer_;
};

}  // namespace forebay::bindings
