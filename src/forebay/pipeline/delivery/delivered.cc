#include "forebay/pipeline/delivery/delivered.h"

#include "forebay/pipeline/jobs/collect.h"

namespace forebay::pipeline {

Status first_error(const BatchJob& batch, OnError policy) {
  FOREBAY_RETURN_IF_ERROR(batch.error);
  bool has_sample = batch.samples.empty();
  for (const SampleJob& job : batch.samples) {
    if (job.ends_batch) {
      FOREBAY_RETURN_IF_ERROR(job.error);
    }
  }
  for (const SampleJob& job : batch.samples) {
    if (!job.error.ok() && policy == OnError::kRaise) {
      return job.error;
    }
    has_sample = has_sample || job.error.ok();
  }
  // Nothing could replace it: that is an error even under a policy that continues.
  return has_sample ? ok_status() : batch.samples[0].error;
}

Delivered::Delivered(const Plan& plan, OnError policy, const Clock& clock)
    : plan_(plan),
      policy_(policy),
      clock_(clock),
      opened_ns_(clock.now_ns()),
      expected_(plan.outputs().size()) {
  position_.used.resize(plan.phases().size() - 1);
}

void Delivered::open_slots(BatchJob* batch) const {
  const MutexLock lock(mutex_);
  for (size_t output = 0; output < batch->slots.size(); ++output) {
    batch->slots[output].open(static_cast<int>(batch->samples.size()), expected_[output], !has_delivered_);
  }
}

Result<Delivery> Delivered::take(const BatchJob& batch) {
  Delivery delivery;
  const Status error = first_error(batch, policy_);
  delivery.iteration = note(batch, error);
  if (error.ok() || is_of_sample(error)) {
    FOREBAY_RETURN_IF_ERROR(check_merges(plan_, batch));
  }
  FOREBAY_RETURN_IF_ERROR(error);
  FOREBAY_ASSIGN_OR_RETURN(delivery.outputs, collect_outputs(plan_, batch));
  delivery.samples.reserve(batch.samples.size());
  for (const SampleJob& job : batch.samples) {
    if (job.error.ok()) {
      delivery.samples.push_back({job.identity, job.is_padding, job.is_replacement});
    }
  }
  expect_more_of(delivery.outputs);
  return delivery;
}

int64_t Delivered::note(const BatchJob& batch, const Status& error) {
  const MutexLock lock(mutex_);
  const bool counts = error.ok() || is_of_sample(error);
  log_faults(batch, counts);
  const int64_t iteration = position_.iterations;
  if (counts) {
    position_ = batch.after;
    position_.used.resize(plan_.phases().size() - 1);
    position_.iterations = iteration + 1;
  }
  return iteration;
}

void Delivered::log_faults(const BatchJob& batch, bool counts) {
  for (const SampleJob& job : batch.samples) {
    if (counts) {
      for (const SampleFault& fault : job.faults) {
        log_.add(fault.error, fault.action);
      }
    }
    if (!job.error.ok() && (counts || job.ends_batch)) {
      log_.add(job.error, policy_ == OnError::kRaise || job.ends_batch ? "raised" : "skipped");
    }
  }
  if (!batch.error.ok()) {
    log_.add(batch.error, "raised");
  }
}

void Delivered::expect_more_of(const std::vector<tensor::Batch>& outputs) {
  const MutexLock lock(mutex_);
  for (size_t i = 0; i < outputs.size(); ++i) {
    expected_[i].reset();
    if (outputs[i].size() > 0 && outputs[i].has_uniform_shape()) {
      expected_[i] = outputs[i][0].spec();
    }
  }
  has_delivered_ = true;
}

Position Delivered::position() const {
  const MutexLock lock(mutex_);
  return position_;
}

void Delivered::set_position(const Position& position) {
  const MutexLock lock(mutex_);
  position_ = position;
}

FeedRequest Delivered::begin_epoch(int64_t stream_index) {
  const MutexLock lock(mutex_);
  position_.stream_index = stream_index;
  position_.read = stream_index;
  position_.is_amid_sample = false;
  position_.used.assign(plan_.phases().size() - 1, 0);
  position_.feed = {0, position_.feed.epoch + 1, 0, plan_.options().batch_size};
  return position_.feed;
}

void Delivered::note_wait(int64_t entered_ns, size_t samples) {
  const int64_t left_ns = clock_.now_ns();
  const MutexLock lock(mutex_);
  if (times_.batches == 0) {
    times_.first_batch_ns = left_ns - opened_ns_;
  } else {
    times_.consumer_work_ns += entered_ns - last_delivery_ns_;
    times_.consumer_wait_ns += left_ns - entered_ns;
  }
  ++times_.batches;
  times_.samples += static_cast<int64_t>(samples);
  last_delivery_ns_ = left_ns;
}

ErrorLog Delivered::errors() const {
  const MutexLock lock(mutex_);
  return log_;
}

uint64_t Delivered::error_count() const {
  const MutexLock lock(mutex_);
  return log_.count();
}

RunTimes Delivered::times() const {
  const MutexLock lock(mutex_);
  return times_;
}

}  // namespace forebay::pipeline
