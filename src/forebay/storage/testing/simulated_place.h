// A simulated device as the destination of reads, and its memory's contents.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "forebay/cuda/queues/driver_queue.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/storage/device_reads/device_read.h"

namespace forebay::storage {

/// Text that never repeats, so that bytes at the wrong place are wrong.
inline std::string text_of_length(size_t bytes, uint64_t seed = 1) {
  std::string text(bytes, '\0');
  std::mt19937_64 random(seed);
  for (char& letter : text) {
    letter = static_cast<char>(random());
  }
  return text;
}

/// Tests share two devices, because the number of drivers is limited: one works eagerly, the other only when
/// it is waited for.
class SimulatedPlaceTest : public ::testing::Test {
 protected:
  static constexpr uint32_t kLookingQueue = 3;

  static std::shared_ptr<memory::SimulatedDevice> device(bool eager) {
    static const auto& devices = *new std::array<std::shared_ptr<memory::SimulatedDevice>, 2>{
        *memory::SimulatedDevice::create({.eager = false}),
        *memory::SimulatedDevice::create({.eager = true})};
    return devices[eager ? 1 : 0];
  }

  void use(bool eager, uint64_t seed) {
    device_ = device(eager);
    device_->reseed(seed);
  }

  DevicePlace place(size_t bytes, uint64_t offset_bytes = 0, uint32_t queue = 0) {
    return place_in(*memory::Buffer::allocate(bytes, device_->resource()), offset_bytes,
                    {.driver = device_->driver(), .queue = queue});
  }

  DevicePlace place_in(memory::BufferRef buffer, uint64_t offset_bytes, memory::Queue queue) {
    return {.buffer = std::move(buffer),
            .offset_bytes = offset_bytes,
            .queue = queue,
            .engine = engine_.get(),
            .lane = lane_,
            .copies = *engine_->device_executor("copies", cuda::driver_queue(queue, device_))};
  }

  /// From now on tasks run on workers instead of the thread that waits for them.
  void use_workers(int workers) {
    engine_ = std::make_unique<engine::Engine>(engine::EngineOptions{.workers = workers});
    lane_ = engine_->new_lane({.name = "reads"});
  }

  /// Waits for the read and returns its result.
  Result<DeviceRead> end_of(Result<DeviceRead> read) {
    if (read.ok()) {
      FOREBAY_RETURN_IF_ERROR(wait(read->ready));
    }
    return read;
  }

  /// Without workers, somebody has to run the tasks that a read pushes on its way.
  Status wait(const engine::Variable& variable) {
    while (engine_->step()) {
    }
    return engine_->wait(variable);
  }

  /// Reads the buffer as work behind its last write sees it, on a separate queue.
  std::string look(const memory::Buffer& buffer) {
    std::string seen(buffer.size_bytes(), '\0');
    const uint32_t driver = device_->driver();
    EXPECT_EQ(memory::wait_on_queue(driver, kLookingQueue, buffer.last_write()), ok_status());
    const Result<Fence> copied =
        memory::copy_async(driver, kLookingQueue, seen.data(), buffer.data(), seen.size());
    EXPECT_EQ(memory::wait(*copied), ok_status());
    return seen;
  }

  /// Puts work on a queue that fills the buffer with `text`, which must live until the work has run.
  Fence fill(const memory::Buffer& buffer, uint32_t queue, const std::string& text) {
    return *memory::copy_async(device_->driver(), queue, buffer.data(), text.data(), text.size());
  }

  std::shared_ptr<memory::SimulatedDevice> device_ = device(true);
  std::unique_ptr<engine::Engine> engine_ =
      std::make_unique<engine::Engine>(engine::EngineOptions{.workers = 0});
  engine::LaneRef lane_ = engine_->new_lane({.name = "reads"});
};

}  // namespace forebay::storage
