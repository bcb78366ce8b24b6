// The memory limit for samples. A refusal is an error with a mark: the executor treats it as "not now", frees
// what the sample holds, and runs it again later.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "forebay/base/budget/budget.h"
#include "forebay/base/status.h"
#include "forebay/memory/memory_resource.h"
#include "forebay/tensor/tensor.h"

namespace forebay::pipeline {

/// True for the errors that MemoryGate and refusal_of_device() mark.
bool is_memory_refusal(const Status& status);

/// Marks an error of an exhausted device as a refusal, because other samples will free their memory there.
Status refusal_of_device(Status error);

/// The refusal as a plain error for the user: says how many bytes were needed in all, with those that were in
/// use when it was refused. A device's is as it was.
Status final_refusal(const Status& refusal, uint64_t limit_bytes);

/// Thread safe.
class MemoryGate {
 public:
  explicit MemoryGate(uint64_t limit_bytes) : budget_(Budget::create(limit_bytes)) {}
  MemoryGate(const MemoryGate&) = delete;
  MemoryGate& operator=(const MemoryGate&) = delete;

  /// Returns a reservation, or a marked refusal.
  Result<Reservation> reserve(uint64_t bytes);

  /// Makes a tensor in host memory whose buffer holds its reservation.
  Result<tensor::Tensor> make_tensor(const tensor::TensorSpec& spec);

  /// Scratch memory for kernels (memory/host/scratch.h), reserved in the budget; refusals are marked.
  memory::MemoryResource& scratch() { return scratch_; }

  Budget& budget() { return *budget_; }
  const Budget& budget() const { return *budget_; }

 private:
  /// Host memory in which each block holds its reservation.
  class Scratch final : public memory::MemoryResource {
   public:
    explicit Scratch(MemoryGate& gate) : gate_(gate) {}
    Result<void*> allocate(size_t bytes) override;
    void deallocate(void* pointer, size_t bytes, Fence last_use) noexcept override;
    memory::MemoryKind kind() const override { return memory::MemoryKind::kHost; }
    std::string_view name() const override { return "budget"; }

   private:
    MemoryGate& gate_;
  };

  std::shared_ptr<Budget> budget_;
  Scratch scratch_{*this};
};

}  // namespace forebay::pipeline
