#include "forebay/pipeline/memory_gate.h"

#include <string>

#include "absl/strings/cord.h"

namespace forebay::pipeline {
namespace {

constexpr char kRefusalType[] = "forebay.dev/memory-refusal";

}  // namespace

bool is_memory_refusal(const Status& status) {
  return !status.ok() && status.GetPayload(kRefusalType).has_value();
}

Status final_refusal(const Status& refusal, uint64_t held_bytes, uint64_t limit_bytes) {
  const auto payload = refusal.GetPayload(kRefusalType);
  const uint64_t asked = payload ? std::stoull(std::string(*payload)) : 0;
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
    refusal.SetPayload(kRefusalType, absl::Cord(std::to_string(bytes)));
    return refusal;
  }
  return reserved;
}

Result<tensor::Tensor> MemoryGate::make_tensor(const tensor::TensorSpec& spec) {
  if (!spec.shape.checked_volume()) {
    return invalid_argument("a result of shape {} is too large to address", spec.shape.to_string());
  }
  FOREBAY_ASSIGN_OR_RETURN(Reservation reservation, reserve(spec.size_bytes()));
  FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor made, tensor::Tensor::allocate(spec));
  made.buffer()->attach(std::move(reservation));
  return made;
}

}  // namespace forebay::pipeline
