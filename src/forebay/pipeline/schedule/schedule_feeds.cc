// Epochs of feeds: their data ends when they say so, and continues when the consumer asks.
#include <algorithm>

#include "forebay/base/end_of_data.h"
#include "forebay/pipeline/schedule/schedule.h"

namespace forebay::pipeline {

std::optional<FeedRequest> Schedule::next_feed(BatchJob* batch) {
  const MutexLock lock(mutex_);
  batch->is_end = streams_[0].has_ended || batch->is_past_end;
  batch->before.feed = feed_next_;
  batch->after.feed = feed_next_;
  return batch->is_end ? std::nullopt : std::optional(feed_next_);
}

void Schedule::note_fed(BatchJob* batch, int samples) {
  const MutexLock lock(mutex_);
  ++feed_next_.iteration;
  feed_next_.position += samples;
  batch->after.feed = feed_next_;
}

void Schedule::end_feeds(BatchJob* batch) {
  const MutexLock lock(mutex_);
  streams_[0].has_ended = true;
  feeds_end_ = batch->stream_begin;
  batch->is_end = true;
}

Status Schedule::report_end(bool is_of_an_earlier_epoch) {
  const MutexLock lock(mutex_);
  return report_end_locked(is_of_an_earlier_epoch);
}

Status Schedule::report_end_locked(bool is_of_an_earlier_epoch) {
  has_reported_end_ = has_reported_end_ || !is_of_an_earlier_epoch;
  return end_of_data("the data has ended; reset the pipeline to start the next epoch");
}

int64_t Schedule::end_of_feeds() const {
  const MutexLock lock(mutex_);
  return feeds_end_;
}

bool Schedule::has_reported_end() const {
  const MutexLock lock(mutex_);
  return has_reported_end_;
}

// Batches begun after the one in which the data ended may not have reached the feeds yet. They must not take
// the new epoch's data, and what they took from readers is read again; how many such batches there are
// depends on the prefetch depth and on timing.
void Schedule::begin_epoch(const FeedRequest& first_request) {
  const MutexLock lock(mutex_);
  has_reported_end_ = false;
  Stream& first = streams_[0];
  for (const BatchRef& batch : first.under_way) {
    batch->is_past_end = batch->is_past_end || batch->stream_begin >= feeds_end_;
  }
  const auto unpromised = std::remove_if(first.under_way.begin() + first.promised, first.under_way.end(),
                                         [](const BatchRef& batch) { return batch->is_past_end; });
  first.under_way.erase(unpromised, first.under_way.end());
  stream_origin_ = feeds_end_ - first.next_iteration * plan_.options().batch_size;
  for (Stream& stream : streams_) {
    stream.has_ended = false;
    stream.used = 0;
    if (&stream != &first) {
      std::erase_if(stream.under_way, [](const BatchRef& batch) { return batch->is_end; });
    }
  }
  feed_next_ = first_request;
}

}  // namespace forebay::pipeline
