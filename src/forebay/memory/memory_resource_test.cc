// Resources of this folder against the conformance suite.
#include <gtest/gtest.h>

#include "forebay/memory/host_pool.h"
#include "forebay/memory/huge_page_resource.h"
#include "forebay/memory/memory_resource_conformance.h"
#include "forebay/memory/simulated_device.h"

namespace forebay::memory {
namespace {

TEST(HostResource, Conforms) {
  check_conformance({.make = host_resource});
}

TEST(HostPoolResource, Conforms) {
  check_conformance({.make = host_pool, .largest_bytes = size_t{40} << 20});
}

TEST(HugePageResource, Conforms) {
  check_conformance({.make = huge_page_resource});
}

TEST(SimulatedResource, Conforms) {
  check_conformance({.make = [] { return (*SimulatedDevice::create())->resource(); }});
}

}  // namespace
}  // namespace forebay::memory
