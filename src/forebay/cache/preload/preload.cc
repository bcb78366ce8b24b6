#include "forebay/cache/preload/preload.h"

#include <chrono>
#include <future>
#include <utility>

#include "forebay/cache/messages/cache_trouble.h"

namespace forebay::cache {
namespace {

constexpr size_t kMaxErrorBytes = 4096;
constexpr auto kBetweenLooks = std::chrono::milliseconds(100);

}  // namespace

/// What the threads of the answers change.
struct Preload::Shared {
  Mutex mutex;
  std::condition_variable changed;
};

struct Preload::Flight {
  PreloadBatch batch;
  size_t left = 0;  // under the lock of Shared, as what follows
  PreloadCounts counts;
  std::string first_error;
  Status fatal;  // it was stopped, or there is no cache any more

  /// Because of a stop, or because its cache has gone; another may serve by now.
  bool says_unfinished(const Status& status) const {
    const bool is_gone = status.code() == StatusCode::kUnavailable && is_cache_trouble(status);
    return status.code() == StatusCode::kCancelled || is_gone ||
           (!status.ok() && !batch.store->features().can_bring);
  }

  void take(size_t i, const Result<storage::BringOutcome>& outcome) {
    const uint64_t bytes = bytes_of(batch.requests[i]);
    if (says_unfinished(outcome.status())) {
      fatal.Update(outcome.status());
      return;
    }
    if (!outcome.ok()) {
      ++counts.failed;
      if (first_error.empty()) {
        first_error = std::string(message(outcome.status())).substr(0, kMaxErrorBytes);
      }
      return;
    }
    ++counts.objects;
    counts.bytes += bytes;
    if (*outcome == storage::BringOutcome::kCame) {
      ++counts.came_objects;
      counts.came_bytes += bytes;
    }
  }
};

Preload::Preload(PreloadSource& source, const PreloadFile& file, PreloadRecord record, PreloadOptions options)
    : source_(source),
      file_(file),
      options_(std::move(options)),
      timer_(options_.timer == nullptr ? process_timer() : *options_.timer),
      record_(std::move(record)),
      limiter_({.bytes_per_second = static_cast<double>(options_.bytes_per_second)}, timer_),
      sent_bytes_(record_.counts.bytes),
      shared_(std::make_shared<Shared>()) {
}

Preload::~Preload() = default;

Status Preload::run(const std::stop_token& stop) {
  const storage::CallContext context = {.cancellation = stop,
                                        .priority = storage::Priority::kBulk,
                                        .who = std::make_shared<storage::Caller>(storage::Caller{"preload"})};
  record_.state = PreloadState::kUnfinished;
  FOREBAY_RETURN_IF_ERROR(file_.save(record_));
  saved_ns_ = timer_.now_ns();
  Status status = bring_all(context);
  const Status rest = take_finished(0, 0);  // what is under way is waited for, whatever has happened
  status = status.ok() ? rest : status;
  has_lost_cache_ = (has_lost_cache_ || !broken_.ok()) && !stop.stop_requested();
  if (has_lost_cache_ && status.code() == StatusCode::kCancelled) {
    status = unavailable("{}", message(status));  // by a daemon that ends
  }
  if (status.ok()) {
    record_.state = PreloadState::kDone;
  }
  const Status saved = file_.save(record_);
  if (!saved.ok()) {
    record_.state = PreloadState::kUnfinished;  // as the file has it
  }
  return status.ok() ? saved : status;
}

Status Preload::bring_all(const storage::CallContext& context) {
  while (true) {
    FOREBAY_ASSIGN_OR_RETURN(PreloadBatch batch, source_.next(context));
    if (batch.requests.empty()) {
      return ok_status();
    }
    if (batch.bytes > options_.most_bytes - std::min(sent_bytes_, options_.most_bytes)) {
      return resource_exhausted(
          "the cache may keep {} bytes of it, and there is more to preload; what comes next would push out "
          "what was preloaded before",
          options_.most_bytes);
    }
    sent_bytes_ += batch.bytes;
    FOREBAY_RETURN_IF_ERROR(wait_for_rate(batch, context));
    FOREBAY_RETURN_IF_ERROR(take_finished(kMaxBatches - 1, kMaxBytes - std::min(batch.bytes, kMaxBytes)));
    if (!is_wanted(context)) {
      return not_wanted(context, record_.uri);
    }
    send(std::move(batch), context);
    FOREBAY_RETURN_IF_ERROR(save_now_and_then());
  }
}

Status Preload::wait_for_rate(const PreloadBatch& batch, const storage::CallContext& context) {
  if (options_.bytes_per_second == 0) {
    return ok_status();
  }
  std::stop_source stop;
  const std::stop_callback on_stop(context.cancellation, [&stop] { stop.request_stop(); });
  storage::CallContext passing = context;
  passing.cancellation = stop.get_token();
  std::promise<Status> passed;
  std::future<Status> goes = passed.get_future();
  limiter_.pass(batch.bytes, passing, [&](Status status) { passed.set_value(std::move(status)); });
  Status looked;
  while (goes.wait_for(kBetweenLooks) != std::future_status::ready) {
    looked = looked.ok() ? look_around(batch) : looked;
    if (!looked.ok()) {
      stop.request_stop();
    }
  }
  const Status status = goes.get();
  return looked.ok() ? status : looked;
}

/// While nothing may be sent: counts what finishes, and sees whether there is still a cache to send it to.
Status Preload::look_around(const PreloadBatch& batch) {
  FOREBAY_RETURN_IF_ERROR(take_finished(flights_.size(), std::numeric_limits<uint64_t>::max()));
  if (!batch.store->features().can_bring) {
    has_lost_cache_ = true;
    return unavailable("{}: there is no cache any more", record_.uri);
  }
  return save_now_and_then();
}

void Preload::send(PreloadBatch batch, const storage::CallContext& context) {
  const auto flight = std::make_shared<Flight>();
  flight->batch = std::move(batch);
  flight->left = flight->batch.requests.size();
  for (storage::BringRequest& request : flight->batch.requests) {
    request.is_verified = options_.is_verified;
  }
  flights_.push_back(flight);
  bytes_under_way_ += flight->batch.bytes;
  // The answers may outlive this object's caller, not the flight.
  flight->batch.store->bring_many(
      flight->batch.requests, context,
      [flight, shared = shared_](size_t i, Result<storage::BringOutcome> outcome) {
        const MutexLock lock(shared->mutex);
        flight->take(i, outcome);
        if (--flight->left == 0) {
          shared->changed.notify_all();
        }
      });
}

/// Counts what is finished, and waits until only so much is under way.
Status Preload::take_finished(size_t most_batches, uint64_t most_bytes) {
  while (!flights_.empty()) {
    Flight& first = *flights_.front();
    {
      UniqueMutexLock lock(shared_->mutex);
      const bool is_too_much = flights_.size() > most_batches || bytes_under_way_ > most_bytes;
      while (first.left > 0 && is_too_much) {
        shared_->changed.wait(lock.native());
      }
      if (first.left > 0) {
        break;
      }
    }
    broken_.Update(first.fatal);
    if (broken_.ok()) {
      count(first);
    }
    bytes_under_way_ -= first.batch.bytes;
    flights_.pop_front();
    if (options_.on_progress) {
      options_.on_progress(record_.counts, source_.known_objects());
    }
  }
  return broken_;
}

/// Only in order: what is counted lies before the mark.
void Preload::count(const Flight& flight) {
  PreloadCounts& counts = record_.counts;
  counts.objects += flight.counts.objects;
  counts.bytes += flight.counts.bytes;
  counts.came_objects += flight.counts.came_objects;
  counts.came_bytes += flight.counts.came_bytes;
  counts.failed += flight.counts.failed;
  if (record_.first_error.empty()) {
    record_.first_error = flight.first_error;
  }
  record_.mark = flight.batch.mark;
  limiter_.correct(flight.batch.bytes, flight.counts.came_bytes);
}

Status Preload::save_now_and_then() {
  const int64_t now_ns = timer_.now_ns();
  if (now_ns - saved_ns_ < options_.save_every_ns) {
    return ok_status();
  }
  saved_ns_ = now_ns;
  return file_.save(record_);
}

}  // namespace forebay::cache
