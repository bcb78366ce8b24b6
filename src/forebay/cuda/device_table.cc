// The C table of a CUDA device.
#include <string>

#include "forebay/cuda/device.h"
#include "forebay/cuda/driver/error.h"

namespace forebay::cuda {
namespace {

const char* text_of(void* context, int error) {
  if (error == kNoSuchPoint) {
    return "the queue was never given that point";
  }
  if (error == kIsCapturing) {
    return "the queue is being captured: it has no points";
  }
  if (error == kNoSuchQueue) {
    return "the device has no such queue";
  }
  thread_local std::string text;  // a C table has no other way to return it
  text = words_of(Device::of(context).context()->functions(), -error);
  return text.c_str();
}

}  // namespace

memory::DeviceDriver Device::make_table(Device* device) {
  memory::DeviceDriver table{.version = memory::kDeviceDriverVersion, .name = "cuda", .context = device};
  table.record = [](void* context, uint32_t queue, uint64_t* sequence) {
    return Device::of(context).record(queue, sequence);
  };
  table.wait = [](void* context, uint32_t queue, uint64_t sequence) {
    return Device::of(context).wait(queue, sequence);
  };
  table.wait_on_queue = [](void* context, uint32_t queue, uint32_t other_queue, uint64_t sequence) {
    return Device::of(context).wait_on_queue(queue, other_queue, sequence);
  };
  table.query = [](void* context, uint32_t queue, uint64_t sequence) {
    return Device::of(context).query(queue, sequence);
  };
  table.copy = [](void* context, uint32_t queue, void* destination, const void* source, size_t bytes) {
    return Device::of(context).copy(queue, destination, source, bytes);
  };
  table.allocate = [](void* context, size_t bytes, void** pointer) {
    return Device::of(context).allocate(bytes, pointer);
  };
  table.deallocate = [](void* context, void* pointer, size_t) { Device::of(context).deallocate(pointer); };
  table.error_text = text_of;
  table.is_final = [](void*, int error) { return is_final(-error) ? 1 : 0; };
  table.graphs = &graph_table();
  return table;
}

}  // namespace forebay::cuda
