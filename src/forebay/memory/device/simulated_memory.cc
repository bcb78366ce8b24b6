// The simulated device's memory (first fit in one mapping) and its driver table.
#include <algorithm>

#include "forebay/base/check.h"
#include "forebay/base/round_up.h"
#include "forebay/memory/copy.h"
#include "forebay/memory/device/simulated_device.h"

namespace forebay::memory {
namespace {

constexpr size_t kGranule = 256;  // the alignment of CUDA's allocator
constexpr int kCallFailed = -1;
constexpr int kHasStopped = -2;

// The description of this thread's last error: a C table has no other way to pass it on.
thread_local std::string last_device_error;

}  // namespace

int SimulatedDevice::code_of(const Status& status) const {
  if (status.ok()) {
    return 0;
  }
  last_device_error = std::string(message(status));
  const MutexLock lock(mutex_);
  return has_stopped_ ? kHasStopped : kCallFailed;
}

void SimulatedDevice::add_all_memory() {
  const MutexLock lock(mutex_);
  free_[0] = memory_bytes_;
}

Result<void*> SimulatedDevice::allocate(size_t bytes) {
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(refuse_in_capture_of_thread());
  take_back_returned();
  if (bytes > memory_bytes_) {
    return resource_exhausted("{} bytes requested from a simulated device with {}", bytes, memory_bytes_);
  }
  const size_t rounded = std::max(kGranule, round_up(bytes, kGranule));
  for (int attempt = 0; attempt < 2; ++attempt) {
    for (auto block = free_.begin(); block != free_.end(); ++block) {
      if (block->second < rounded) {
        continue;
      }
      const size_t offset = block->first;
      const size_t left = block->second - rounded;
      free_.erase(block);
      if (left > 0) {
        free_[offset + rounded] = left;
      }
      used_[offset] = rounded;
      bytes_in_use_ += rounded;
      return memory_ + offset;
    }
    // Full: let the queues that still use freed memory finish, then look again.
    while (!returned_.empty() && step_locked()) {
      take_back_returned();
    }
  }
  return resource_exhausted("{} bytes requested; {} of the simulated device's {} bytes are in use", bytes,
                            bytes_in_use_, memory_bytes_);
}

void SimulatedDevice::deallocate(void* pointer, Fence last_use) {
  const MutexLock lock(mutex_);
  const size_t offset = static_cast<size_t>(static_cast<std::byte*>(pointer) - memory_);
  FOREBAY_CHECK(used_.contains(offset));
  returned_.push_back({offset, last_use});
  take_back_returned();
}

void SimulatedDevice::take_back_returned() {
  std::erase_if(returned_, [this](const Returned& returned) FOREBAY_REQUIRES(mutex_) {
    const Fence& fence = returned.last_use;
    const bool is_ours = fence.driver == driver_id_ && fence.queue < queue_count_;
    if (!fence.is_trivial() && is_ours && !has_passed_locked(queues_[fence.queue], fence.sequence)) {
      return false;
    }
    free_block(returned.offset);
    return true;
  });
}

void SimulatedDevice::free_block(size_t offset) {
  const auto used = used_.find(offset);
  size_t bytes = used->second;
  used_.erase(used);
  bytes_in_use_ -= bytes;
  auto next = free_.lower_bound(offset);
  if (next != free_.end() && offset + bytes == next->first) {
    bytes += next->second;
    next = free_.erase(next);
  }
  if (next != free_.begin()) {
    const auto previous = std::prev(next);
    if (previous->first + previous->second == offset) {
      previous->second += bytes;
      return;
    }
  }
  free_[offset] = bytes;
}

DeviceDriver SimulatedDevice::make_table(SimulatedDevice* device) {
  DeviceDriver table{.version = kDeviceDriverVersion, .name = "simulated", .context = device};
  table.record = [](void* context, uint32_t queue, uint64_t* sequence) {
    const Result<Fence> fence = SimulatedDevice::of(context).record(queue);
    *sequence = fence.ok() ? fence->sequence : 0;
    return SimulatedDevice::of(context).code_of(fence.status());
  };
  table.wait = [](void* context, uint32_t queue, uint64_t sequence) {
    return SimulatedDevice::of(context).code_of(SimulatedDevice::of(context).wait(queue, sequence));
  };
  table.wait_on_queue = [](void* context, uint32_t queue, uint32_t other_queue, uint64_t sequence) {
    return SimulatedDevice::of(context).code_of(
        SimulatedDevice::of(context).wait_on_queue(queue, other_queue, sequence));
  };
  table.query = [](void* context, uint32_t queue, uint64_t sequence) {
    const Result<bool> passed = SimulatedDevice::of(context).has_passed(queue, sequence);
    return passed.ok() ? static_cast<int>(*passed) : SimulatedDevice::of(context).code_of(passed.status());
  };
  table.copy = [](void* context, uint32_t queue, void* destination, const void* source, size_t bytes) {
    return SimulatedDevice::of(context).code_of(SimulatedDevice::of(context).submit(queue, [=] {
      copy_for_driver(destination, source, bytes);
      return ok_status();
    }));
  };
  table.allocate = [](void* context, size_t bytes, void** pointer) {
    const Result<void*> allocated = SimulatedDevice::of(context).allocate(bytes);
    *pointer = allocated.ok() ? *allocated : nullptr;
    return SimulatedDevice::of(context).code_of(allocated.status());
  };
  table.deallocate = [](void* context, void* pointer, size_t) {
    SimulatedDevice::of(context).deallocate(pointer, Fence{});
  };
  table.error_text = [](void*, int) { return last_device_error.c_str(); };
  table.is_final = [](void*, int error) { return error == kHasStopped ? 1 : 0; };
  table.graphs = &graph_table();
  return table;
}

}  // namespace forebay::memory
