#include "forebay/pipeline/jobs/slots.h"

namespace forebay::pipeline {

using tensor::Tensor;
using tensor::TensorSpec;

void OutputSlots::open(int samples, std::optional<TensorSpec> expected, bool may_guess) {
  const MutexLock lock(mutex_);
  samples_ = samples;
  spec_ = std::move(expected);
  may_guess_ = may_guess;
}

Result<Tensor> OutputSlots::acquire(int index, const TensorSpec& spec, const TensorMaker& make) {
  {
    const MutexLock lock(mutex_);
    const uint64_t whole_bytes = static_cast<uint64_t>(spec.size_bytes()) * samples_;
    if (!spec_ && may_guess_ && whole_bytes <= kFirstGuessBytes) {
      spec_ = spec;
    }
    may_guess_ = false;
    if (spec_ && *spec_ == spec && spec.size_bytes() > 0) {
      if (!whole_.is_valid()) {
        TensorSpec flat{{static_cast<int64_t>(whole_bytes)}, tensor::DType::kUint8, {}};
        FOREBAY_ASSIGN_OR_RETURN(whole_, make(flat));
      }
      return Tensor(whole_.buffer(), index * spec.size_bytes(), spec);
    }
  }
  return make(spec);
}

void OutputSlots::close() {
  const MutexLock lock(mutex_);
  whole_ = {};
}

}  // namespace forebay::pipeline
