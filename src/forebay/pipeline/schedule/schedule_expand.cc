// The stream behind an expand operator: the samples that it let through, divided into batches.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/random/random.h"
#include "forebay/pipeline/schedule/schedule.h"

namespace forebay::pipeline {
namespace {

// A stream that lets nothing through for this many epochs of input never will.
constexpr int64_t kFruitlessEpochs = 2;

/// The place in a stream behind an expand operator that lies `used` samples behind what `origin` begins.
Position position_in(const Position& origin, int64_t used) {
  Position position = origin;
  position.used.push_back(used);
  return position;
}

// The first output of an expand keeps its sample's sub-position, so a filter does not change anybody's random
// numbers.
uint32_t mix_sub_position(uint32_t sub_position, uint32_t copy) {
  return copy == 0 ? sub_position : static_cast<uint32_t>(mix64(sub_position, copy)) | 1;
}

// Samples of the longest shard.
int64_t longest_epoch(const dataset::OrderOptions& order) {
  return static_cast<int64_t>((order.dataset_size + order.num_shards - 1) / order.num_shards);
}

constexpr size_t kNamedErrors = 5;

/// `left_out`: errors of the samples that were skipped meanwhile; several may be of one sample.
Status fruitless_error(std::string_view name, const std::vector<SampleFault>& left_out) {
  std::set<int64_t> skipped;
  std::string errors;
  for (const SampleFault& fault : left_out) {
    const std::optional<ErrorContext> context = context_of(fault.error);
    if (skipped.insert(context ? context->sample_index : -1).second && skipped.size() <= kNamedErrors) {
      errors += fmt::format("\n  {}", std::string(fault.error.message()));
    }
  }
  const bool is_named_all = skipped.size() <= kNamedErrors;
  const std::string_view these = is_named_all ? "; these were skipped:" : "; these and others were skipped:";
  return failed_precondition("'{}' let no sample through for {} epochs{}{}", name, kFruitlessEpochs,
                             errors.empty() ? "" : these, errors);
}

}  // namespace

void Schedule::take_pending(BatchJob* batch) {
  Stream& stream = streams_[batch->phase];
  for (size_t i = 0; i < batch->samples.size(); ++i) {
    SampleJob& job = batch->samples[i];
    take_copy(&stream.pending.front(), &job);
    if (i == 0) {
      batch->before = position_in(*job.origin, job.let_through_before + job.copy);
    }
    job.identity.index_in_batch = static_cast<int>(i);
    --stream.copies_pending;
    if (stream.pending.front().copy == stream.pending.front().copies) {
      stream.pending.pop_front();
    }
    if (job.ends_batch) {
      Status error = std::exchange(job.error, ok_status());
      batch->error.Update(std::move(error));
    }
  }
  if (!batch->samples.empty()) {
    const SampleJob& last = batch->samples.back();
    batch->stream_begin = batch->samples.front().identity.stream_index;
    batch->stream_end = last.identity.stream_index + 1;
    batch->after = position_in(*last.origin, last.let_through_before + last.copy + 1);
    batch->after.is_amid_sample = last.has_more;
    batch->after.read = last.has_more ? batch->stream_end - 1 : batch->stream_end;
  }
}

// Takes the next copy of a sample. All copies share what they are made from.
void Schedule::take_copy(SampleJob* from, SampleJob* copy) {
  copy->identity = from->identity;
  copy->identity.sub_position =
      mix_sub_position(from->identity.sub_position, static_cast<uint32_t>(from->copy));
  copy->origins = from->origins;
  copy->is_padding = from->is_padding;
  copy->is_replacement = from->is_replacement;
  copy->merged = from->merged;
  copy->error = from->error;
  copy->ends_batch = from->ends_batch;
  copy->faults = std::exchange(from->faults, {});
  copy->expansion = from->expansion;
  copy->origin = from->origin;
  copy->let_through_before = from->let_through_before;
  copy->has_more = from->has_more || from->copy + 1 < from->copies;
  copy->copy = from->copy++;
}

// Takes the finished batches of `phase` in order and moves the samples that the expand operator let through
// to the next phase.
void Schedule::take_finished(int phase) {
  Stream& from = streams_[phase];
  while (!from.under_way.empty() && from.under_way.front()->is_complete) {
    const BatchRef batch = from.under_way.front();
    from.under_way.pop_front();
    if (!batch->error.ok() && !batch->samples.empty()) {
      batch->samples[0].error = batch->error;
      batch->samples[0].ends_batch = true;
    }
    const auto origin = std::make_shared<const Position>(batch->before);
    int64_t count = 0;
    for (SampleJob& job : batch->samples) {
      if (!batch->is_end) {
        job.origin = origin;
        job.let_through_before = count;
        count += let_through(phase, &job);
      }
    }
  }
}

// Returns how many samples the operator makes of this one.
int64_t Schedule::let_through(int phase, SampleJob* job) {
  Stream& to = streams_[phase + 1];
  to.left_out.insert(to.left_out.end(), job->faults.begin(), job->faults.end());
  ++to.fruitless;
  const bool is_skipped = !job->error.ok() && !job->ends_batch && options_.on_error == OnError::kSkip;
  if (is_skipped) {
    to.left_out.push_back({job->error, "skipped"});
    job->error = ok_status();
    job->copies = 0;
  }
  const int64_t epoch_size = readers_.empty() ? 0 : longest_epoch(readers_[0].order().options());
  if (job->error.ok() && job->copies == 0 && epoch_size > 0 &&
      to.fruitless >= kFruitlessEpochs * epoch_size) {
    job->error = fruitless_error(plan_.expands()[plan_.phases()[phase].expand].name, to.left_out);
    job->ends_batch = true;
  }
  job->copy = 0;
  if (!job->error.ok()) {
    job->copies = 1;  // takes a place, so that its batch fails
  }
  if (job->copies > 0) {
    to.fruitless = 0;
  }
  leave_out_used(&to, job);
  const int64_t copies = job->copies;
  if (job->copy < copies) {
    job->faults = std::exchange(to.left_out, {});
    to.copies_pending += copies - job->copy;
    to.pending.push_back(std::move(*job));
  }
  return copies;
}

// For a restored session: these samples, and errors of others before them, were delivered before the state
// was saved.
void Schedule::leave_out_used(Stream* stream, SampleJob* job) {
  if (stream->used > 0 && job->copies > 0) {
    job->copy = std::min(stream->used, job->copies);
    stream->used -= job->copy;
    stream->left_out.clear();
  }
}

}  // namespace forebay::pipeline
