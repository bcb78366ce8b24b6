#include "forebay/pipeline/samples/memory_gate.h"

#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/cord.h"
#include "forebay/memory/host/host_pool.h"

namespace forebay::pipeline {
namespace {

// Free blocks that the host pool may keep in addition to a full budget.
constexpr uint64_t kKeptBytes = uint64_t{16} << 20;

constexpr size_t kHeaderBytes = memory::kAlignment;  // holds a block's reservation
static_assert(sizeof(Reservation) <= kHeaderBytes);

// Marks a refusal: the bytes asked for and those in use, or that it is a device's.
constexpr char kRefusalType[] = "forebay.dev/memory-refusal";
constexpr char kOfDevice[] = "device";

}  // namespace

bool is_memory_refusal(const Status& status) {
  return !status.ok() && status.GetPayload(kRefusalType).has_value();
}

Status refusal_of_device(Status error) {
  error.SetPayload(kRefusalType, absl::Cord(kOfDevice));
  return error;
}

Status final_refusal(const Status& refusal, uint64_t limit_bytes) {
  const auto payload = refusal.GetPayload(kRefusalType);
  const std::string numbers = payload ? std::string(*payload) : "0 0";
  if (numbers == kOfDevice) {
    Status error = refusal;
    error.ErasePayload(kRefusalType);
    return error;
  }
  const size_t space = numbers.find(' ');
  const uint64_t asked = std::stoull(numbers.substr(0, space));
  const uint64_t held_bytes = std::stoull(numbers.substr(space));
  return resource_exhausted(
      "needs {} bytes at once ({} in use and {} more), over the memory limit of {} bytes; raise "
      "memory_limit, or "
      "make batches smaller",
      held_bytes + asked, held_bytes, asked, limit_bytes);
}

Result<Reservation> MemoryGate::reserve(uint64_t bytes) {
  auto reserved = budget_->try_reserve(bytes);
  if (!reserved.ok()) {
    Status refusal = reserved.status();
    refusal.SetPayload(kRefusalType, absl::Cord(fmt::format("{} {}", bytes, budget_->working_bytes())));
    return refusal;
  }
  // What the pool keeps is memory in use, too, and the next allocation may come from elsewhere, such as a
  // decoder.
  memory::HostPool& pool = memory::process_host_pool();
  const uint64_t limit = budget_->limit_bytes();
  if (limit != 0 && budget_->working_bytes() + pool.statistics().kept_bytes > limit + kKeptBytes) {
    pool.trim();
  }
  return reserved;
}

Result<void*> MemoryGate::Scratch::allocate(size_t bytes) {
  FOREBAY_ASSIGN_OR_RETURN(Reservation reservation, gate_.reserve(bytes));
  FOREBAY_ASSIGN_OR_RETURN(void* const block, memory::process_host_pool().allocate(kHeaderBytes + bytes));
  new (block) Reservation(std::move(reservation));
  return static_cast<std::byte*>(block) + kHeaderBytes;
}

void MemoryGate::Scratch::deallocate(void* pointer, size_t bytes, Fence last_use) noexcept {
  void* const block = static_cast<std::byte*>(pointer) - kHeaderBytes;
  auto* const kept = std::launder(static_cast<Reservation*>(block));
  // Released last: the bytes count until the memory is really freed.
  const Reservation reservation = std::move(*kept);
  kept->~Reservation();
  memory::process_host_pool().deallocate(block, kHeaderBytes + bytes, last_use);
}

Result<tensor::Tensor> MemoryGate::make_tensor(const tensor::TensorSpec& spec) {
  const std::optional<size_t> size_bytes = spec.checked_size_bytes();
  if (!size_bytes) {
    return invalid_argument("a result of shape {} is too large to address", spec.shape.to_string());
  }
  FOREBAY_ASSIGN_OR_RETURN(Reservation reservation, reserve(*size_bytes));
  FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor made, tensor::Tensor::allocate(spec));
  made.buffer()->attach(std::move(reservation));
  return made;
}

}  // namespace forebay::pipeline
