#include "forebay/cuda/check/device_check.h"

#include "forebay/cuda/check/pattern.h"
#include "forebay/cuda/check/pattern_word.h"
#include "forebay/cuda/device.h"
#include "forebay/cuda/memory/resources.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/copy.h"

namespace forebay::cuda {
namespace {

constexpr size_t kBytes = size_t{1} << 20;
constexpr uint32_t kSeed = 1;

Status compare(const memory::Buffer& buffer) {
  const auto* words = static_cast<const uint32_t*>(buffer.data());
  for (uint32_t place = 0; place < kBytes / sizeof(uint32_t); ++place) {
    if (words[place] != pattern_word(place, kSeed)) {
      return data_loss("word {} is {:08x}, not {:08x}", place, words[place], pattern_word(place, kSeed));
    }
  }
  return ok_status();
}

}  // namespace

Status check_device(int number) {
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<Device> device,
                           Device::create({.number = number, .queues = 2}));
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<Pattern> pattern, Pattern::load(device));
  FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef on_device,
                           memory::Buffer::allocate(kBytes, device_resource(device)));
  FOREBAY_ASSIGN_OR_RETURN(const memory::BufferRef on_host,
                           memory::Buffer::allocate(kBytes, pinned_resource(device)));
  FOREBAY_RETURN_IF_ERROR(pattern->fill(0, on_device->data(), kBytes, kSeed));
  FOREBAY_ASSIGN_OR_RETURN(const Fence filled, memory::record(device->driver(), 0));
  FOREBAY_RETURN_IF_ERROR(memory::wait_on_queue(device->driver(), 1, filled));
  FOREBAY_ASSIGN_OR_RETURN(const Fence copied, memory::copy_async(device->driver(), 1, on_host->data(),
                                                                  on_device->data(), kBytes));
  FOREBAY_RETURN_IF_ERROR(memory::wait(copied));
  return compare(*on_host);
}

}  // namespace forebay::cuda
