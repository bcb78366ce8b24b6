#include "forebay/exchange/devices/cuda_devices.h"

#include <map>
#include <memory>
#include <optional>

#include "forebay/base/sync/mutex.h"
#include "forebay/cuda/device.h"
#include "forebay/exchange/devices/streams.h"

namespace forebay::exchange {
namespace {

class CudaStreamNames final : public StreamNames {
 public:
  explicit CudaStreamNames(std::shared_ptr<cuda::Device> device) : device_(std::move(device)) {}

  Result<uint32_t> queue_of(uint64_t stream) const override {
    return device_->adopt(reinterpret_cast<cuda::StreamHandle>(stream));
  }

  Result<uint64_t> stream_of(uint32_t queue) const override {
    FOREBAY_ASSIGN_OR_RETURN(const cuda::StreamHandle stream, device_->stream_of(queue));
    return reinterpret_cast<uint64_t>(stream);
  }

 private:
  const std::shared_ptr<cuda::Device> device_;
};

struct OpenDevices {
  Mutex mutex;
  std::map<int, uint32_t> drivers FOREBAY_GUARDED_BY(mutex);
};

// Never destroyed, and neither are the devices: frameworks free memory during process exit.
OpenDevices& open_devices() {
  static auto* instance = new OpenDevices;
  return *instance;
}

}  // namespace

Result<uint32_t> cuda_driver(int number) {
  OpenDevices& open = open_devices();
  const MutexLock lock(open.mutex);
  const auto found = open.drivers.find(number);
  if (found != open.drivers.end()) {
    return found->second;
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<cuda::Device> device, cuda::Device::create({.number = number}));
  const uint32_t driver = device->driver();
  set_stream_names(driver, std::make_shared<CudaStreamNames>(std::move(device)));
  open.drivers.emplace(number, driver);
  return driver;
}

Result<uint32_t> driver_of_streams() {
  const std::optional<uint32_t> named = driver_with_stream_names();
  return named ? Result<uint32_t>(*named) : cuda_driver(0);
}

}  // namespace forebay::exchange
