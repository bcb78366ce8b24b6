#include "forebay/cuda/driver/devices.h"

#include <array>

#include "forebay/cuda/driver/driver_functions.h"
#include "forebay/cuda/driver/error.h"

namespace forebay::cuda {
namespace {

Result<int> attribute(const DriverFunctions& functions, int what, int device) {
  int value = 0;
  FOREBAY_RETURN_IF_ERROR(
      status_of(functions, functions.device_attribute(&value, what, device), "fact about a device"));
  return value;
}

Result<int> count_devices(const DriverFunctions& functions) {
  int count = 0;
  FOREBAY_RETURN_IF_ERROR(status_of(functions, functions.device_count(&count), "number of devices"));
  return count;
}

Status read_name(const DriverFunctions& functions, int device, DeviceFacts& facts) {
  std::array<char, 256> name{};
  FOREBAY_RETURN_IF_ERROR(
      status_of(functions, functions.device_name(name.data(), name.size() - 1, device), "name of a device"));
  facts.name = name.data();
  size_t bytes = 0;
  FOREBAY_RETURN_IF_ERROR(
      status_of(functions, functions.device_memory(&bytes, device), "memory of a device"));
  facts.memory_bytes = bytes;
  return ok_status();
}

Status read_attributes(const DriverFunctions& functions, int device, DeviceFacts& facts) {
  FOREBAY_ASSIGN_OR_RETURN(facts.capability_major, attribute(functions, kCapabilityMajor, device));
  FOREBAY_ASSIGN_OR_RETURN(facts.capability_minor, attribute(functions, kCapabilityMinor, device));
  FOREBAY_ASSIGN_OR_RETURN(facts.multiprocessors, attribute(functions, kMultiprocessors, device));
  FOREBAY_ASSIGN_OR_RETURN(const int pools, attribute(functions, kMemoryPoolsSupported, device));
  FOREBAY_ASSIGN_OR_RETURN(const int managed, attribute(functions, kConcurrentManagedAccess, device));
  facts.has_memory_pools = pools != 0;
  facts.has_concurrent_managed = managed != 0;
  return ok_status();
}

}  // namespace

Result<int> driver_version() {
  FOREBAY_ASSIGN_OR_RETURN(const DriverFunctions* functions, driver_functions());
  int version = 0;
  FOREBAY_RETURN_IF_ERROR(
      status_of(*functions, functions->driver_version(&version), "version of the driver"));
  return version;
}

Result<DeviceFacts> describe_device(int number) {
  FOREBAY_ASSIGN_OR_RETURN(const DriverFunctions* functions, driver_functions());
  FOREBAY_ASSIGN_OR_RETURN(const int count, count_devices(*functions));
  if (number < 0 || number >= count) {
    return invalid_argument("there is no CUDA device {}; this process sees {}", number, count);
  }
  int device = 0;
  FOREBAY_RETURN_IF_ERROR(status_of(*functions, functions->device_get(&device, number), "a device"));
  DeviceFacts facts{.number = number};
  FOREBAY_RETURN_IF_ERROR(read_name(*functions, device, facts));
  FOREBAY_RETURN_IF_ERROR(read_attributes(*functions, device, facts));
  return facts;
}

Result<std::vector<DeviceFacts>> list_devices() {
  FOREBAY_ASSIGN_OR_RETURN(const DriverFunctions* functions, driver_functions());
  FOREBAY_ASSIGN_OR_RETURN(const int count, count_devices(*functions));
  std::vector<DeviceFacts> devices;
  for (int number = 0; number < count; ++number) {
    FOREBAY_ASSIGN_OR_RETURN(DeviceFacts facts, describe_device(number));
    devices.push_back(std::move(facts));
  }
  return devices;
}

}  // namespace forebay::cuda
