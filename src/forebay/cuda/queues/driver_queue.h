// Device queues for the engine: tasks that put work on streams, or on the simulated device's queues.
#pragma once

#include <memory>

#include "forebay/engine/device_queue.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::cuda {

/// For Engine::device_executor. Keeps `device` (whatever owns the driver) alive. To wait for another queue of
/// the same driver it uses an event on the device; for a queue of another driver the issuing thread blocks.
std::shared_ptr<engine::DeviceQueue> driver_queue(memory::Queue queue, std::shared_ptr<const void> device);

}  // namespace forebay::cuda
