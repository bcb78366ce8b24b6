// The stream behind an expand operator: samples that it let through, cut into batches.
#include <utility>

#include "forebay/base/random.h"
#include "forebay/pipeline/schedule.h"

namespace forebay::pipeline {
namespace {

// A stream that lets nothing through for this many epochs of input never will.
constexpr int64_t kFruitlessEpochs = 2;

// The first output of an expand keeps its sample's sub-position, so a filter changes nobody's random numbers.
uint32_t mix_sub_position(uint32_t sub_position, uint32_t copy) {
  return copy == 0 ? sub_position : static_cast<uint32_t>(mix64(sub_position, copy)) | 1;
}

}  // namespace

void Schedule::take_pending(BatchJob* batch) {
  Stream& stream = streams_[batch->phase];
  for (size_t i = 0; i < batch->samples.size(); ++i) {
    batch->samples[i] = std::move(stream.pending.front());
    batch->samples[i].identity.index_in_batch = static_cast<int>(i);
    stream.pending.pop_front();
    if (batch->samples[i].ends_batch) {
      batch->error = std::exchange(batch->samples[i].error, ok_status());
    }
  }
  if (!batch->samples.empty()) {
    batch->stream_begin = batch->samples.front().identity.stream_index;
    batch->stream_end = batch->samples.back().identity.stream_index + 1;
  }
}

// Takes the finished batches of `phase` in order and moves what the expand operator let through to the next
// phase.
void Schedule::take_finished(int phase) {
  Stream& from = streams_[phase];
  while (!from.under_way.empty() && from.under_way.front()->is_complete) {
    const BatchRef batch = from.under_way.front();
    from.under_way.pop_front();
    if (!batch->error.ok() && !batch->samples.empty()) {
      batch->samples[0].error = batch->error;
      batch->samples[0].ends_batch = true;
    }
    for (SampleJob& job : batch->samples) {
      if (!batch->is_end) {
        let_through(phase, &job);
      }
    }
  }
}

void Schedule::let_through(int phase, SampleJob* job) {
  Stream& to = streams_[phase + 1];
  to.left_out.insert(to.left_out.end(), job->faults.begin(), job->faults.end());
  const bool is_skipped = !job->error.ok() && !job->ends_batch && options_.on_error == OnError::kSkip;
  if (is_skipped) {
    to.left_out.push_back({job->error, "skipped"});
    return;
  }
  ++to.fruitless;
  const int64_t epoch_size =
      readers_.empty() ? 0 : static_cast<int64_t>(readers_[0].order.samples_in_epoch(0));
  if (job->error.ok() && job->expanded.empty() && epoch_size > 0 &&
      to.fruitless >= kFruitlessEpochs * epoch_size) {
    job->error = failed_precondition("'{}' let no sample through for {} epochs",
                                     plan_.expands()[plan_.phases()[phase].expand].name, kFruitlessEpochs);
  }
  if (!job->error.ok()) {
    job->expanded.resize(1);  // takes a place, so that the batch it is in fails
    job->expanded[0].resize(plan_.num_values());
  }
  for (size_t copy = 0; copy < job->expanded.size(); ++copy) {
    SampleJob next;
    next.identity = job->identity;
    next.origins = job->origins;
    next.identity.sub_position = mix_sub_position(job->identity.sub_position, static_cast<uint32_t>(copy));
    next.is_padding = job->is_padding;
    next.is_replacement = job->is_replacement;
    next.merged = job->merged;
    next.error = job->error;
    next.ends_batch = job->ends_batch;
    next.values = std::move(job->expanded[copy]);
    to.fruitless = 0;
    if (!was_delivered_before(next)) {
      next.faults = std::exchange(to.left_out, {});
      to.pending.push_back(std::move(next));
    }
  }
}

// Of a session that was restored.
bool Schedule::was_delivered_before(const SampleJob& job) {
  if (job.identity.stream_index != skip_stream_ || skip_count_ == 0) {
    return false;
  }
  --skip_count_;
  return true;
}

}  // namespace forebay::pipeline
