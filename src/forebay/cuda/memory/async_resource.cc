#include "forebay/cuda/memory/async_resource.h"

#include <algorithm>

#include "forebay/cuda/driver/error.h"
#include "forebay/memory/last_use.h"

namespace forebay::cuda {

Result<std::shared_ptr<AsyncResource>> AsyncResource::create(std::shared_ptr<Device> device,
                                                             const AsyncOptions& options) {
  if (!device->facts().has_memory_pools) {
    return unimplemented("CUDA device {} has no memory pools", device->facts().number);
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t host_queue, device->add_queue());
  std::shared_ptr<AsyncResource> resource(new AsyncResource(std::move(device), host_queue));
  FOREBAY_RETURN_IF_ERROR(resource->open(options));
  return resource;
}

Status AsyncResource::open(const AsyncOptions& options) {
  const Context& context = *device_->context();
  const DriverFunctions& functions = context.functions();
  const ContextScope scope(context);
  const MemoryPoolProperties properties{.allocation_kind = kAllocationPinned,
                                        .place = {kPlaceDevice, device_->facts().number},
                                        .maximum_bytes = options.maximum_bytes};
  FOREBAY_RETURN_IF_ERROR(context.status(functions.pool_create(&pool_, &properties), "a CUDA memory pool"));
  uint64_t keep_bytes = options.keep_bytes;
  return context.status(functions.pool_set(pool_, kPoolReleaseThreshold, &keep_bytes),
                        "what a CUDA memory pool keeps");
}

AsyncResource::~AsyncResource() {
  if (pool_ != nullptr) {
    const ContextScope scope(*device_->context());
    device_->context()->functions().pool_destroy(pool_);
  }
}

Result<void*> AsyncResource::take(size_t bytes, uint32_t queue) {
  FOREBAY_ASSIGN_OR_RETURN(const StreamHandle stream, device_->stream_of(queue));
  const Context& context = *device_->context();
  const ContextScope scope(context);
  Address address = 0;
  const int error =
      bytes > kMaxRequestBytes
          ? kErrorOutOfMemory
          : context.functions().pool_allocate(&address, std::max(bytes, memory::kAlignment), pool_, stream);
  if (error == kErrorOutOfMemory) {
    return resource_exhausted("CUDA's memory pool of device {} could not provide {} bytes",
                              device_->facts().number, bytes);
  }
  FOREBAY_RETURN_IF_ERROR(context.status(error, name()));
  void* const pointer = reinterpret_cast<void*>(address);
  const MutexLock lock(mutex_);
  owners_[pointer] = queue;
  return pointer;
}

void AsyncResource::give(void* pointer, uint32_t queue) {
  {
    const MutexLock lock(mutex_);  // before the block can be allocated again
    owners_.erase(pointer);
  }
  const Result<StreamHandle> stream = device_->stream_of(queue);
  const ContextScope scope(*device_->context());
  device_->context()->functions().pool_free(reinterpret_cast<Address>(pointer),
                                            stream.ok() ? *stream : nullptr);
}

uint32_t AsyncResource::owner_of(void* pointer) const {
  const MutexLock lock(mutex_);
  const auto found = owners_.find(pointer);
  return found == owners_.end() ? host_queue_ : found->second;
}

Result<void*> AsyncResource::allocate(size_t bytes) {
  FOREBAY_ASSIGN_OR_RETURN(void* pointer, take(bytes, host_queue_));
  const Status ready = memory::wait(memory::end_of_queue(device_->driver(), host_queue_));
  if (!ready.ok()) {
    give(pointer, host_queue_);
    return ready;
  }
  return pointer;
}

Result<void*> AsyncResource::allocate_on(size_t bytes, memory::Queue queue) {
  if (queue.driver == memory::kHostDriver) {
    return allocate(bytes);
  }
  if (queue.driver != device_->driver()) {
    return invalid_argument("a queue of driver {} asks for memory of driver {}", queue.driver,
                            device_->driver());
  }
  return take(bytes, queue.queue);
}

void AsyncResource::deallocate(void* pointer, size_t, Fence last_use) noexcept {
  if (!last_use.is_trivial() && last_use.driver == device_->driver() && last_use.queue < device_->queues()) {
    give(pointer, last_use.queue);  // behind the fence, and behind later work on that queue
    return;
  }
  memory::give_back_after(last_use, [resource = shared_from_this(), pointer] {
    resource->give(pointer, resource->owner_of(pointer));
  });
}

void AsyncResource::deallocate_on(void* pointer, size_t bytes, memory::Queue queue) noexcept {
  if (queue.driver != device_->driver() || queue.queue >= device_->queues()) {
    MemoryResource::deallocate_on(pointer, bytes, queue);
    return;
  }
  give(pointer, queue.queue);
}

Status AsyncResource::trim() {
  const ContextScope scope(*device_->context());
  return device_->context()->status(device_->context()->functions().pool_trim(pool_, 0),
                                    "trimming a CUDA memory pool");
}

Result<uint64_t> AsyncResource::reserved_bytes() const {
  const ContextScope scope(*device_->context());
  uint64_t bytes = 0;
  FOREBAY_RETURN_IF_ERROR(
      device_->context()->status(device_->context()->functions().pool_get(pool_, kPoolReservedBytes, &bytes),
                                 "bytes of a CUDA memory pool"));
  return bytes;
}

}  // namespace forebay::cuda
