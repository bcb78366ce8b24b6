#include "forebay/pipeline/samples/action_services.h"

#include <cxxabi.h>

#include <exception>
#include <mutex>
#include <stdexcept>
#include <string>

#include "forebay/base/caught.h"
#include "forebay/memory/scratch.h"

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

// Rethrows here, where the operator is called, what an item throws: of several exceptions, that of the first
// item, whatever the number of workers.
void ActionServices::parallel_for(int64_t count, const std::function<void(int64_t)>& function) {
  std::mutex mutex;
  std::exception_ptr thrown;
  int64_t thrown_by = count;
  const Status ran = engine::parallel_for(static_cast<size_t>(count), [&](size_t item) -> Status {
    const memory::ScratchScope scratch(runner_->gate().scratch());
    try {
      function(static_cast<int64_t>(item));
    } catch (const abi::__forced_unwind&) {
      throw;
    } catch (...) {
      const std::lock_guard lock(mutex);
      if (static_cast<int64_t>(item) < thrown_by) {
        thrown = std::current_exception();
        thrown_by = static_cast<int64_t>(item);
      }
      return status_of_exception();
    }
    return ok_status();
  });
  if (thrown != nullptr) {
    std::rethrow_exception(thrown);
  }
  if (!ran.ok()) {
    throw std::runtime_error(std::string(message(ran)));
  }
}

}  // namespace forebay::pipeline
