// The resources of this folder against the conformance suite.
#include <gtest/gtest.h>

#include "forebay/memory/device/driver_resource.h"
#include "forebay/memory/device/simulated_device.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/host/host_pool.h"
#include "forebay/memory/host/huge_page_resource.h"
#include "forebay/memory/testing/memory_resource_conformance.h"

namespace forebay::memory {
namespace {

TEST(HostResource, Conforms) {
  check_conformance({.make = host_resource, .waits = true});
}

TEST(HostResource, WaitsForTheLastUseOfWhatComesBack) {
  const auto device = *SimulatedDevice::create({.eager = false});
  void* const block = *host_resource()->allocate(64);
  ASSERT_EQ(device->submit(0, [] { return ok_status(); }), ok_status());
  host_resource()->deallocate(block, 64, *device->record(0));
  EXPECT_EQ(device->pending(), 0);
}

TEST(HostPoolResource, Conforms) {
  check_conformance({.make = host_pool, .largest_bytes = size_t{40} << 20});
}

TEST(HugePageResource, Conforms) {
  check_conformance({.make = huge_page_resource, .waits = true});
}

TEST(SimulatedResource, Conforms) {
  check_conformance({.make = [] { return (*SimulatedDevice::create())->resource(); }});
}

// Uses only the driver's memory: the device's own resource keeps memory that is still in use.
TEST(DriverResource, WaitsForTheLastUse) {
  const auto device = *SimulatedDevice::create({.eager = false});
  const auto resource = *driver_resource(device->driver(), MemoryKind::kSimulated);
  conformance::check_last_use(*resource, /*waits=*/true);
}

}  // namespace
}  // namespace forebay::memory
