#include "forebay/memory/host_driver.h"

#include "forebay/memory/copy.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::memory {
namespace {

constexpr int kOutOfMemory = -1;

int record(void*, uint32_t, uint64_t* sequence) {
  *sequence = 0;  // always passed
  return 0;
}

int wait(void*, uint32_t, uint64_t) {
  return 0;
}
int wait_on_queue(void*, uint32_t, uint32_t, uint64_t) {
  return 0;
}
int query(void*, uint32_t, uint64_t) {
  return 1;
}

int copy_now(void*, uint32_t, void* destination, const void* source, size_t bytes) {
  copy_for_driver(destination, source, bytes);
  return 0;
}

int allocate(void*, size_t bytes, void** pointer) {
  const Result<void*> allocated = host_resource()->allocate(bytes);
  if (!allocated.ok()) {
    return kOutOfMemory;
  }
  *pointer = *allocated;
  return 0;
}

void deallocate(void*, void* pointer, size_t bytes) {
  host_resource()->deallocate(pointer, bytes, Fence{});
}

const char* text_of_error(void*, int error) {
  return error == kOutOfMemory ? "out of memory" : "unknown error";
}

constexpr DeviceDriver kDriver = {
    .version = kDeviceDriverVersion,
    .name = "host",
    .context = nullptr,
    .record = record,
    .wait = wait,
    .wait_on_queue = wait_on_queue,
    .query = query,
    .copy = copy_now,
    .allocate = allocate,
    .deallocate = deallocate,
    .error_text = text_of_error,
    .is_final = [](void*, int) { return 0; },
    .graphs = nullptr,
};

}  // namespace

const DeviceDriver& host_driver() {
  return kDriver;
}

}  // namespace forebay::memory
