// Queues of a device driver for the engine: tasks that put work on streams, and on the simulated device's
// queues.
#pragma once

#include <memory>

#include "forebay/engine/device_queue.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::cuda {

/// For Engine::device_executor. Keeps `device` (whatever owns the driver) alive. A queue comes after another
/// one of its driver by an event on the device; for one of another driver the thread that issues waits.
std::shared_ptr<engine::DeviceQueue> driver_queue(memory::Queue queue, std::shared_ptr<const void> device);

}  // namespace forebay::cuda
