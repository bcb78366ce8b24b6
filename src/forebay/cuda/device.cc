#include "forebay/cuda/device.h"

#include <algorithm>

#include "forebay/cuda/files/direct_file.h"

namespace forebay::cuda {
namespace {

StreamHandle handle_of(uintptr_t number) {
  return reinterpret_cast<StreamHandle>(number);
}

Address address_of(const void* pointer) {
  return reinterpret_cast<Address>(pointer);
}

}  // namespace

Device::Device(std::shared_ptr<const Context> context)
    : context_(std::move(context)), events_(std::make_shared<EventPool>(context_)) {
}

Result<std::shared_ptr<Device>> Device::create(const DeviceOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const Context> context, Context::open(options.number));
  if (options.queues == 0 || options.queues > kMaxQueues) {
    return invalid_argument("a CUDA device with {} queues; it has 1 to {}", options.queues, kMaxQueues);
  }
  std::shared_ptr<Device> device(new Device(std::move(context)));
  FOREBAY_RETURN_IF_ERROR(device->add_queues(options.queues));
  device->table_ = make_table(device.get());
  FOREBAY_ASSIGN_OR_RETURN(device->driver_id_, memory::register_driver(device->table_));
  memory::set_direct_reader(device->driver_id_, direct_reader(device->context_));
  return device;
}

Device::~Device() {
  if (driver_id_ != memory::kHostDriver) {
    memory::set_direct_reader(driver_id_, nullptr);
    memory::unregister_driver(driver_id_);
  }
  const ContextScope scope(*context_);
  for (std::unique_ptr<StreamQueue>& queue : queues_) {
    queue.reset();
  }
}

Status Device::add_queues(uint32_t count) {
  for (uint32_t queue = 0; queue < count; ++queue) {
    FOREBAY_RETURN_IF_ERROR(add_queue().status());
  }
  return ok_status();
}

Result<uint32_t> Device::add_locked(StreamHandle stream, StreamQueue::Ownership ownership) {
  const uint32_t number = queue_count_.load(std::memory_order_relaxed);
  queues_[number] = std::make_unique<StreamQueue>(context_, events_, stream, ownership);
  queue_count_.store(number + 1, std::memory_order_release);
  return number;
}

Result<uint32_t> Device::add_queue() {
  const ContextScope scope(*context_);
  const MutexLock lock(mutex_);
  if (queues() == kMaxQueues) {
    return resource_exhausted("no more than {} queues of a CUDA device", kMaxQueues);
  }
  StreamHandle stream = nullptr;
  FOREBAY_RETURN_IF_ERROR(context_->status(context_->functions().stream_create(&stream, kStreamNonBlocking),
                                           "stream of a CUDA device"));
  return add_locked(stream, StreamQueue::Ownership::kOwned);
}

Result<uint32_t> Device::adopt(StreamHandle stream) {
  constexpr uintptr_t kLegacyDefault = 1;
  constexpr uintptr_t kPerThreadDefault = 2;
  if (stream == handle_of(kPerThreadDefault)) {
    return unimplemented(
        "the per-thread default stream differs from thread to thread; pass a stream of your own");
  }
  const StreamHandle named = stream == nullptr ? handle_of(kLegacyDefault) : stream;
  const MutexLock lock(mutex_);
  for (uint32_t number = 0; number < queues(); ++number) {
    if (queues_[number]->stream() == named) {
      return number;
    }
  }
  if (queues() == kMaxQueues) {
    return resource_exhausted("no more than {} queues of a CUDA device", kMaxQueues);
  }
  return add_locked(named, StreamQueue::Ownership::kBorrowed);
}

StreamQueue* Device::find(uint32_t queue) const {
  return queue < queues() ? queues_[queue].get() : nullptr;
}

Result<StreamHandle> Device::stream_of(uint32_t queue) const {
  const StreamQueue* const found = find(queue);
  if (found == nullptr) {
    return invalid_argument("queue {} of a CUDA device with {}", queue, queues());
  }
  return found->stream();
}

Status Device::synchronize() {
  const ContextScope scope(*context_);
  return context_->status(context_->functions().context_synchronize(), "waiting for a CUDA device");
}

Result<uint64_t> Device::free_bytes() const {
  const ContextScope scope(*context_);
  size_t free = 0;
  size_t total = 0;
  FOREBAY_RETURN_IF_ERROR(
      context_->status(context_->functions().memory_info(&free, &total), "free memory of a CUDA device"));
  return free;
}

int Device::record(uint32_t queue, uint64_t* sequence) {
  StreamQueue* const found = find(queue);
  const ContextScope scope(*context_);
  return found == nullptr ? kNoSuchQueue : found->record(sequence);
}

int Device::wait(uint32_t queue, uint64_t sequence) {
  StreamQueue* const found = find(queue);
  const ContextScope scope(*context_);
  return found == nullptr ? kNoSuchQueue : found->wait(sequence);
}

int Device::wait_on_queue(uint32_t queue, uint32_t other_queue, uint64_t sequence) {
  StreamQueue* const found = find(queue);
  StreamQueue* const other = find(other_queue);
  const ContextScope scope(*context_);
  return found == nullptr || other == nullptr ? kNoSuchQueue : found->wait_on(*other, sequence);
}

int Device::query(uint32_t queue, uint64_t sequence) {
  StreamQueue* const found = find(queue);
  const ContextScope scope(*context_);
  return found == nullptr ? kNoSuchQueue : found->query(sequence);
}

int Device::copy(uint32_t queue, void* destination, const void* source, size_t bytes) {
  const StreamQueue* const found = find(queue);
  if (found == nullptr || bytes == 0) {
    return found == nullptr ? kNoSuchQueue : 0;
  }
  const ContextScope scope(*context_);
  return -context_->functions().copy(address_of(destination), address_of(source), bytes, found->stream());
}

int Device::allocate(size_t bytes, void** pointer) {
  const ContextScope scope(*context_);
  Address address = 0;
  const int error = context_->functions().memory_allocate(&address, std::max(bytes, memory::kAlignment));
  *pointer = reinterpret_cast<void*>(address);
  return -error;
}

void Device::deallocate(void* pointer) {
  const ContextScope scope(*context_);
  context_->functions().memory_free(address_of(pointer));
}

}  // namespace forebay::cuda
