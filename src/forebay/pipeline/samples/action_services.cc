#include "forebay/pipeline/samples/action_services.h"

#include "forebay/pipeline/samples/split_items.h"

namespace forebay::pipeline {

Result<tensor::Tensor> ActionServices::allocate_output(int output, const tensor::TensorSpec& spec) {
  const auto make = [this](const tensor::TensorSpec& wanted) { return runner_->gate().make_tensor(wanted); };
  const int slot = runner_->output_slot(batch_->phase, action_.outputs[output]);
  if (slot >= 0) {
    return batch_->slots[slot].acquire(index_, spec, make);
  }
  return make(spec);
}

Result<MutableBytes> ActionServices::scratch(size_t bytes) {
  const tensor::TensorSpec spec{{static_cast<int64_t>(bytes)}, tensor::DType::kUint8, {}};
  FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor memory, runner_->gate().make_tensor(spec));
  scratch_.push_back(memory);
  return memory.mutable_view().bytes();
}

Status ActionServices::reserve(size_t bytes) {
  FOREBAY_ASSIGN_OR_RETURN(Reservation reservation, runner_->gate().reserve(bytes));
  reservations_.push_back(std::move(reservation));
  return ok_status();
}

void ActionServices::parallel_for(int64_t count, const std::function<void(int64_t)>& function) {
  split_items(count, function, runner_->gate().scratch());
}

}  // namespace forebay::pipeline
