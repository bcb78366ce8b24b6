// The memory limit as samples meet it. A refusal is an error with a mark: the executor takes it for "not
// now", gives back what the sample holds, and runs it again later.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "forebay/base/budget.h"
#include "forebay/base/status.h"
#include "forebay/tensor/tensor.h"

namespace forebay::pipeline {

/// True for the errors that MemoryGate marks.
bool is_memory_refusal(const Status& status);

/// The refusal as a plain error for the user: says how many bytes were needed in all, with those that were in
/// use when it was refused.
Status final_refusal(const Status& refusal, uint64_t limit_bytes);

/// Thread safe.
class MemoryGate {
 public:
  explicit MemoryGate(uint64_t limit_bytes) : budget_(Budget::create(limit_bytes)) {}

  /// A reservation, or a marked refusal.
  Result<Reservation> reserve(uint64_t bytes);

  /// A tensor in host memory whose buffer carries its reservation.
  Result<tensor::Tensor> make_tensor(const tensor::TensorSpec& spec);

  Budget& budget() { return *budget_; }
  const Budget& budget() const { return *budget_; }

 private:
  std::shared_ptr<Budget> budget_;
};

}  // namespace forebay::pipeline
