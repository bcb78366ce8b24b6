// The device that arrays work beside: a simulated one, or the machine's GPU.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays/device_rows.h"
#include "arrays/timed_device.h"
#include "forebay/cuda/memory/resources.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device/driver_resource.h"
#include "forebay/memory/device_driver.h"

namespace arrays_benchmark {

namespace memory = forebay::memory;
using forebay::Status;

class Device {
 public:
  static constexpr uint32_t kComputing = 0;
  static constexpr uint32_t kCopying = 1;

  virtual ~Device() = default;
  virtual uint32_t driver() const = 0;
  virtual std::shared_ptr<memory::MemoryResource> resource() const = 0;
  virtual std::shared_ptr<memory::MemoryResource> pinned() const = 0;
  /// Puts work of about kDeviceTime on the computing queue, which leaves kResultFloats floats of `value`.
  virtual Status compute(void* result, float value) = 0;
};

class SimulatedTime final : public Device {
 public:
  uint32_t driver() const override { return device_.driver(); }
  std::shared_ptr<memory::MemoryResource> resource() const override {
    return *memory::driver_resource(driver(), memory::MemoryKind::kSimulated);
  }
  std::shared_ptr<memory::MemoryResource> pinned() const override { return memory::host_pool(); }
  Status compute(void* result, float value) override {
    device_.submit(
        kComputing, [=] { std::fill_n(static_cast<float*>(result), kResultFloats, value); }, kDeviceTime);
    return forebay::ok_status();
  }

 private:
  TimedDevice device_{2, kResultBytes / std::chrono::duration<double>(kCopyTime).count()};
};

/// Its work is moving a block to and fro in its memory, so often that it takes the time.
class Gpu final : public Device {
 public:
  static forebay::Result<std::shared_ptr<Gpu>> create() {
    std::shared_ptr<Gpu> made(new Gpu);
    FOREBAY_ASSIGN_OR_RETURN(made->device_, forebay::cuda::Device::create());
    FOREBAY_ASSIGN_OR_RETURN(made->from_, memory::Buffer::allocate(kMovedBytes, made->resource()));
    FOREBAY_ASSIGN_OR_RETURN(made->to_, memory::Buffer::allocate(kMovedBytes, made->resource()));
    for (int i = 0; i < kBlocks; ++i) {
      FOREBAY_ASSIGN_OR_RETURN(memory::BufferRef block,
                               memory::Buffer::allocate(kResultBytes, made->pinned()));
      std::fill_n(static_cast<float*>(block->data()), kResultFloats, value_of_block(i));
      made->values_.push_back(std::move(block));
    }
    FOREBAY_RETURN_IF_ERROR(made->calibrate());
    return made;
  }

  std::string name() const { return device_->facts().name; }
  uint32_t driver() const override { return device_->driver(); }
  std::shared_ptr<memory::MemoryResource> resource() const override {
    return forebay::cuda::device_resource(device_);
  }
  std::shared_ptr<memory::MemoryResource> pinned() const override {
    return forebay::cuda::pinned_resource(device_);
  }
  Status compute(void* result, float value) override {
    FOREBAY_RETURN_IF_ERROR(move(moves_));
    const memory::BufferRef& from = values_[block_of_value(value)];
    return memory::copy_async(driver(), kComputing, result, from->data(), kResultBytes).status();
  }

 private:
  static constexpr size_t kMovedBytes = size_t{128} << 20;
  static constexpr int kTrialMoves = 20;

  Gpu() = default;
  Status move(int times) {
    for (int i = 0; i < times; ++i) {
      FOREBAY_RETURN_IF_ERROR(
          memory::copy_async(driver(), kComputing, to_->data(), from_->data(), kMovedBytes).status());
    }
    return forebay::ok_status();
  }
  Status calibrate() {
    FOREBAY_RETURN_IF_ERROR(move(kTrialMoves));
    FOREBAY_RETURN_IF_ERROR(device_->synchronize());
    const auto begun = std::chrono::steady_clock::now();
    FOREBAY_RETURN_IF_ERROR(move(kTrialMoves));
    FOREBAY_RETURN_IF_ERROR(device_->synchronize());
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begun;
    moves_ = std::max(1, static_cast<int>(kDeviceTime / (taken / kTrialMoves)));
    return forebay::ok_status();
  }

  std::shared_ptr<forebay::cuda::Device> device_;
  memory::BufferRef from_;
  memory::BufferRef to_;
  std::vector<memory::BufferRef> values_;  // of each block's result
  int moves_ = 1;
};

}  // namespace arrays_benchmark
