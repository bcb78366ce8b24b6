#include "forebay/calls/made_batch.h"

#include <algorithm>

#include "forebay/base/check.h"
#include "forebay/memory/copy.h"
#include "forebay/ndarray/runtime.h"

namespace forebay::calls {

using ndarray::Array;
using ndarray::ArraySpec;
using tensor::Batch;
using tensor::Tensor;

void MadeBatch::set(std::vector<Tensor> samples) {
  {
    const MutexLock lock(mutex_);
    layout_ = samples.empty() ? tensor::Layout() : samples[0].layout();
    samples_ = std::move(samples);
  }
  is_ready_.store(true, std::memory_order_release);
}

// What the batch has become; null while it is none.
FutureBatchRef MadeBatch::as_array() const {
  std::optional<Array> array;
  tensor::Layout layout;
  {
    const MutexLock lock(mutex_);
    array = array_;
    layout = layout_;
  }
  if (!array) {
    return nullptr;
  }
  Result<FutureBatchRef> batch = array_batch(*array, layout.to_string(), true);
  FOREBAY_CHECK(batch.ok());  // the array has the shape of the content, which the layout fits
  return *std::move(batch);
}

Ownership MadeBatch::ownership() const {
  const MutexLock lock(mutex_);
  return array_ ? Ownership::kArray : Ownership::kOwn;
}

// The batch's own variable also when the content is there: it orders the reader before an array that takes
// the memory over.
void MadeBatch::add_reads(Variables* reads) const {
  reads->push_back(variable_);
  const MutexLock lock(mutex_);
  if (array_) {
    reads->push_back(array_->region().storage->variable());
  }
}

Result<Tensor> MadeBatch::sample(int index) const {
  {
    const MutexLock lock(mutex_);
    if (!samples_.empty()) {
      return samples_[static_cast<size_t>(index)];
    }
  }
  const FutureBatchRef array = as_array();
  if (array == nullptr) {
    return internal_error("the batch was not made");
  }
  return array->sample(index);
}

Result<Batch> MadeBatch::get() {
  if (!is_ready()) {
    FOREBAY_RETURN_IF_ERROR(ndarray::wait_for(variable_));
  }
  {
    const MutexLock lock(mutex_);
    if (!array_) {
      return Batch(samples_);
    }
  }
  return as_array()->get();
}

Result<ArraySpec> MadeBatch::spec_of_content() {
  FOREBAY_ASSIGN_OR_RETURN(const Batch batch, get());
  FOREBAY_ASSIGN_OR_RETURN(const Tensor whole, batch.stacked());
  return ArraySpec{whole.shape(), whole.dtype()};
}

// Hands the memory over, or a copy where others have it, too.
Status MadeBatch::give(const ndarray::Region& region) {
  std::vector<Tensor> samples;
  {
    const MutexLock lock(mutex_);
    samples = std::move(samples_);
    samples_.clear();
  }
  const auto held = static_cast<long>(samples.size());
  const bool is_sole_owner =
      !samples.empty() && samples[0].buffer().use_count() == held && !samples[0].buffer()->is_read_only() &&
      std::ranges::all_of(samples, [&](const Tensor& one) { return one.buffer() == samples[0].buffer(); });
  if (is_sole_owner) {
    // The count is read without an order. Letting go of one more comes after all that others did before they
    // let go.
    const memory::BufferRef last = samples[0].buffer();
  }
  FOREBAY_ASSIGN_OR_RETURN(const Tensor whole, stacked_as(Batch(std::move(samples)), region.spec));
  if (is_sole_owner && memory::is_host_accessible(whole.kind())) {
    region.storage->adopt(whole.buffer(), whole.offset_bytes());
    return ok_status();
  }
  FOREBAY_RETURN_IF_ERROR(region.storage->take_memory());
  memory::copy(region.mutable_view().data, whole.data(), whole.size_bytes());
  return ok_status();
}

Result<Array> MadeBatch::array(const std::optional<ArraySpec>& spec) {
  if (const FutureBatchRef become = as_array(); become != nullptr) {
    return become->array(spec);
  }
  std::optional<ArraySpec> wanted = spec;
  if (!wanted) {
    FOREBAY_ASSIGN_OR_RETURN(wanted, spec_of_content());
  }
  if (wanted->shape.rank() == 0 || wanted->shape[0] != size_) {
    return invalid_argument("a batch of {} samples cannot be an array of {}", size_, wanted->to_string());
  }
  FOREBAY_ASSIGN_OR_RETURN(Array made, Array::create(*wanted));
  const std::vector<engine::Variable> writes{variable_, made.region().storage->variable()};
  const auto self = std::static_pointer_cast<MadeBatch>(shared_from_this());
  // Writes the batch's own variable, too: after all that read the batch, before all that will write the
  // array.
  const std::vector<engine::Variable> reads{variable_};
  FOREBAY_RETURN_IF_ERROR(ndarray::push({.name = "array", .reads = reads, .writes = writes},
                                        [self, region = made.region()] { return self->give(region); }));
  const MutexLock lock(mutex_);
  array_ = made;
  return made;
}

}  // namespace forebay::calls
