#include "forebay/cache/bring/bringer.h"

#include <algorithm>
#include <utility>

#include "forebay/cache/entries/object_name.h"

namespace forebay::cache {

using storage::BringOutcome;
using storage::BringRequest;

/// The requests of one call.
struct Bringer::Job {
  struct State {
    size_t pieces_left = 0;
    Result<BringOutcome> outcome = BringOutcome::kWasThere;  // the worst of its pieces
  };

  Job(std::shared_ptr<BringSource> store, std::vector<BringRequest> wanted, storage::CallContext wanted_by,
      storage::BringManyCallback told)
      : reads(std::move(store)),
        requests(std::move(wanted)),
        context(std::move(wanted_by)),
        states(requests.size()),
        each(std::move(told)) {}

  const std::shared_ptr<BringSource> reads;
  std::vector<BringRequest> requests;  // one that asks for its version is changed by the answer to that
  const storage::CallContext context;
  Mutex mutex;
  std::vector<State> states FOREBAY_GUARDED_BY(mutex);
  Mutex answering;
  storage::BringManyCallback each FOREBAY_GUARDED_BY(answering);

  ByteRange range_of(const BringRequest& request) const {
    const uint64_t left = request.object_bytes - std::min(request.offset_bytes, request.object_bytes);
    return {request.offset_bytes, std::min(request.length_bytes, left)};
  }
  void set_pieces(size_t request, size_t pieces) {
    const MutexLock lock(mutex);
    states[request].pieces_left = pieces;
  }
  Result<BringOutcome> outcome_of(size_t request) {
    const MutexLock lock(mutex);
    return states[request].outcome;
  }
  void answer(size_t request, Result<BringOutcome> outcome) {
    const MutexLock lock(answering);
    each(request, std::move(outcome));
  }
};

/// What cannot be kept is not read.
Status Bringer::check(const Job& job, const BringRequest& request) const {
  const std::string uri = job.reads->uri_of(request.key);
  const bool is_in_object = request.offset_bytes <= request.object_bytes &&
                            (request.length_bytes == storage::kToEnd ||
                             request.length_bytes <= request.object_bytes - request.offset_bytes);
  if (!is_in_object) {
    return out_of_range("{}: {} bytes at {} of an object of {}", uri, request.length_bytes,
                        request.offset_bytes, request.object_bytes);
  }
  const RuleTableRef rules = core_->rules();
  const AdmissionRule& rule = rules->of(uri);
  const bool is_beyond_quota = rule.quota_bytes > 0 && request.object_bytes > rule.quota_bytes;
  const uint64_t most_bytes = std::min(rule.largest_object_bytes, kMaxObjectBytes);
  if (!rule.is_cached || request.object_bytes > most_bytes || is_beyond_quota) {
    return failed_precondition("{}: by rule or by its size of {} bytes the cache does not keep it", uri,
                               request.object_bytes);
  }
  return ok_status();
}

/// A small object is one piece, whichever part of it is asked for.
void Bringer::cut(const std::shared_ptr<Job>& job, size_t request, std::vector<Piece>* pieces) const {
  const BringRequest& wanted = job->requests[request];
  const ByteRange range = job->range_of(wanted);
  if (wanted.object_bytes <= kChunkBytes) {
    pieces->push_back({job, request, {0, wanted.object_bytes}});
    return;
  }
  for (uint64_t at = range.offset_bytes; at < range.end_bytes();) {
    const uint64_t stop = std::min(at / kChunkBytes * kChunkBytes + kPieceBytes, range.end_bytes());
    pieces->push_back({job, request, {at, stop - at}});
    at = stop;
  }
}

std::optional<Result<BringOutcome>> Bringer::enter(const std::shared_ptr<Job>& job, size_t request,
                                                   std::vector<Piece>* pieces) const {
  const BringRequest& wanted = job->requests[request];
  const size_t before = pieces->size();
  if (wanted.version.empty()) {
    pieces->push_back({job, request, {}});
  } else if (Status status = check(*job, wanted); !status.ok()) {
    return status;
  } else if (job->range_of(wanted).length_bytes == 0) {
    return BringOutcome::kWasThere;
  } else {
    cut(job, request, pieces);
  }
  job->set_pieces(request, pieces->size() - before);
  return std::nullopt;
}

void Bringer::bring(std::shared_ptr<BringSource> reads, std::vector<BringRequest> requests,
                    const storage::CallContext& context, storage::BringManyCallback each) {
  const auto job = std::make_shared<Job>(std::move(reads), std::move(requests), context, std::move(each));
  std::vector<Piece> pieces;
  for (size_t i = 0; i < job->requests.size(); ++i) {
    if (std::optional<Result<BringOutcome>> outcome = enter(job, i, &pieces)) {
      job->answer(i, *std::move(outcome));
    }
  }
  {
    const MutexLock lock(mutex_);
    if (!is_closed_) {
      waiting_.insert(waiting_.end(), std::make_move_iterator(pieces.begin()),
                      std::make_move_iterator(pieces.end()));
      wake();
      return;
    }
  }
  for (const Piece& piece : pieces) {
    tell(piece, cancelled("the cache was closed"));
  }
}

/// Lets the worker look for what may begin. A worker keeps nobody: what waits keeps its cache by itself.
void Bringer::wake() {
  if (!is_pumping_ && !waiting_.empty()) {
    is_pumping_ = true;
    worker_.add([self = shared_from_this()] { self->pump(); }, 0);
  } else {
    worker_.start_if_needed();
  }
}

void Bringer::pump() {
  pump_ = std::this_thread::get_id();
  Piece piece;
  while (take_next(&piece)) {
    start(std::exchange(piece, {}));
  }
  pump_ = std::thread::id();
}

void Bringer::close() {
  std::deque<Piece> waiting;
  {
    const MutexLock lock(mutex_);
    is_closed_ = true;
    waiting.swap(waiting_);
  }
  for (const Piece& piece : waiting) {
    tell(piece, cancelled("the cache was closed"));
  }
  if (pump_ != std::this_thread::get_id()) {
    worker_.flush();
  }
}

/// False, and no pump any more, if nothing may begin now.
bool Bringer::take_next(Piece* piece) {
  const MutexLock lock(mutex_);
  const bool is_alone = pieces_under_way_ == 0;  // what is larger than a limit goes by itself
  if (waiting_.empty() || pieces_under_way_ >= kMaxPieces ||
      (bytes_under_way_ + waiting_.front().range.length_bytes > kMaxBytes && !is_alone)) {
    is_pumping_ = false;
    return false;
  }
  *piece = std::move(waiting_.front());
  waiting_.pop_front();
  bytes_under_way_ += piece->range.length_bytes;
  ++pieces_under_way_;
  return true;
}

void Bringer::start(const Piece& piece) {
  const Job& job = *piece.job;
  const BringRequest& request = job.requests[piece.request];
  if (!is_wanted(job.context)) {
    landed(piece, not_wanted(job.context, job.reads->uri_of(request.key)));
  } else if (piece.range.length_bytes == 0) {
    ask_version(piece);
  } else {
    job.reads->bring(request, piece.range, job.context,
                     [self = shared_from_this(), piece](const Result<BringOutcome>& outcome) {
                       self->landed(piece, outcome);
                     });
  }
}

void Bringer::ask_version(const Piece& piece) {
  const Job& job = *piece.job;
  job.reads->stat(job.requests[piece.request].key, job.context,
                  [self = shared_from_this(), piece](const Result<storage::ObjectStat>& stat) {
                    self->answered(piece, stat);
                  });
}

void Bringer::answered(const Piece& piece, const Result<storage::ObjectStat>& stat) {
  Job& job = *piece.job;
  BringRequest& request = job.requests[piece.request];
  if (!stat.ok() || stat->version.empty()) {
    landed(piece, stat.ok()
                      ? failed_precondition("{}: its store knows no versions, so the cache does not keep it",
                                            job.reads->uri_of(request.key))
                      : stat.status());
    return;
  }
  request.version = stat->version;
  request.object_bytes = stat->size_bytes;
  std::vector<Piece> pieces;
  std::optional<Result<BringOutcome>> outcome = enter(piece.job, piece.request, &pieces);
  end(piece, std::move(pieces));
  if (outcome) {
    job.answer(piece.request, *std::move(outcome));
  }
}

/// What follows from a piece goes before what waits.
void Bringer::end(const Piece& piece, std::vector<Piece> next) {
  const MutexLock lock(mutex_);
  bytes_under_way_ -= piece.range.length_bytes;
  --pieces_under_way_;
  waiting_.insert(waiting_.begin(), std::make_move_iterator(next.begin()),
                  std::make_move_iterator(next.end()));
  wake();
}

void Bringer::landed(const Piece& piece, const Result<BringOutcome>& outcome) {
  end(piece, {});
  tell(piece, outcome);
}

void Bringer::tell(const Piece& piece, const Result<BringOutcome>& outcome) {
  Job& job = *piece.job;
  Result<BringOutcome> whole = BringOutcome::kWasThere;
  {
    const MutexLock lock(job.mutex);
    Job::State& state = job.states[piece.request];
    const bool is_worse = state.outcome.ok() && (!outcome.ok() || *outcome == BringOutcome::kCame);
    if (is_worse) {
      state.outcome = outcome;
    }
    if (--state.pieces_left > 0) {
      return;
    }
    whole = state.outcome;
  }
  if (whole.ok() && job.requests[piece.request].is_verified) {
    answer_later(piece.job, piece.request);
  } else {
    job.answer(piece.request, std::move(whole));
  }
}

void Bringer::answer_later(const std::shared_ptr<Job>& job, size_t request) {
  const MutexLock lock(mutex_);
  unverified_.emplace_back(job, request);
  if (unverified_.size() == 1) {
    verifier_.add([self = shared_from_this()] { self->verify(); }, 0);
  }
}

/// Many together, since they wait for one flush.
void Bringer::verify() {
  std::vector<std::pair<std::shared_ptr<Job>, size_t>> kept;
  {
    const MutexLock lock(mutex_);
    kept.swap(unverified_);
  }
  core_->flush();
  for (const auto& [job, request] : kept) {
    const BringRequest& wanted = job->requests[request];
    const Status status = job->reads->read_back(wanted, job->range_of(wanted));
    job->answer(request, status.ok() ? job->outcome_of(request) : status);
  }
}

}  // namespace forebay::cache
