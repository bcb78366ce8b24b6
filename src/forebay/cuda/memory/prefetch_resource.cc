#include "forebay/cuda/memory/prefetch_resource.h"

namespace forebay::cuda {
namespace {

Status check_device(const Device& device) {
  if (device.facts().has_concurrent_managed) {
    return ok_status();
  }
  return unimplemented(
      "CUDA device {} cannot share managed memory with the host, so nothing can be prefetched",
      device.facts().number);
}

MemoryPlace place_of(const Device& device, Place place) {
  if (place == Place::kHost) {
    return {kPlaceHost, 0};
  }
  return {kPlaceDevice, device.facts().number};
}

}  // namespace

Status prefetch(Device& device, uint32_t queue, void* pointer, size_t bytes, Place place) {
  FOREBAY_RETURN_IF_ERROR(check_device(device));
  FOREBAY_ASSIGN_OR_RETURN(const StreamHandle stream, device.stream_of(queue));
  if (bytes == 0) {
    return ok_status();
  }
  const Context& context = *device.context();
  const ContextScope scope(context);
  const int error = context.functions().managed_prefetch(reinterpret_cast<Address>(pointer), bytes,
                                                         place_of(device, place), 0, stream);
  return context.status(error, "moving managed memory");
}

Result<std::shared_ptr<PrefetchResource>> PrefetchResource::create(
    std::shared_ptr<memory::MemoryResource> upstream, std::shared_ptr<Device> device,
    const PrefetchOptions& options) {
  if (upstream->kind() != memory::MemoryKind::kManaged) {
    return invalid_argument("{} memory cannot be prefetched; only managed memory can",
                            memory::name_of(upstream->kind()));
  }
  FOREBAY_RETURN_IF_ERROR(check_device(*device));
  return std::shared_ptr<PrefetchResource>(
      new PrefetchResource(std::move(upstream), std::move(device), options));
}

PrefetchResource::PrefetchResource(std::shared_ptr<memory::MemoryResource> upstream,
                                   std::shared_ptr<Device> device, const PrefetchOptions& options)
    : Adaptor(std::move(upstream)), device_(std::move(device)), options_(options) {
}

Result<void*> PrefetchResource::take(size_t bytes, const memory::Queue* queue) {
  FOREBAY_ASSIGN_OR_RETURN(void* pointer, take_upstream(bytes, queue));
  if (queue != nullptr && queue->driver == device_->driver() && bytes >= options_.least_bytes) {
    move(pointer, bytes, queue->queue);
  }
  return pointer;
}

void PrefetchResource::give(void* pointer, size_t bytes, const LastUse& last_use) noexcept {
  give_upstream(pointer, bytes, last_use);
}

void PrefetchResource::move(void* pointer, size_t bytes, uint32_t queue) {
  if (!prefetch(*device_, queue, pointer, bytes, Place::kDevice).ok()) {
    refused_.fetch_add(1, std::memory_order_relaxed);  // costs page faults, but the block is usable
    return;
  }
  prefetches_.fetch_add(1, std::memory_order_relaxed);
  bytes_.fetch_add(bytes, std::memory_order_relaxed);
}

PrefetchStatistics PrefetchResource::statistics() const {
  return {.prefetches = prefetches_.load(std::memory_order_relaxed),
          .bytes = bytes_.load(std::memory_order_relaxed),
          .refused = refused_.load(std::memory_order_relaxed)};
}

}  // namespace forebay::cuda
