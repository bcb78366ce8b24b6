// The host as a device driver: one queue, whose work is done when the call returns.
#pragma once

#include "forebay/memory/device_driver.h"

namespace forebay::memory {

/// Has driver id 0.
const DeviceDriver& host_driver();

}  // namespace forebay::memory
