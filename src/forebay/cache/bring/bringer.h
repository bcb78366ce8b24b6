// Brings objects into a cache before somebody reads them: piece by piece, few at a time, on threads of its
// own, so that neither memory nor those who read are burdened by how much is asked for.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/bring/bring_source.h"
#include "forebay/cache/core/cache_core.h"
#include "forebay/cache/disk/disk_worker.h"
#include "forebay/storage/basic_store.h"

namespace forebay::cache {

/// Thread safe. Must be owned by a shared_ptr. Keeps the order of requests. Its threads start with the first.
class Bringer : public std::enable_shared_from_this<Bringer> {
 public:
  /// What may be on its way at once, for all who ask.
  static constexpr uint64_t kMaxBytes = uint64_t{32} << 20;
  static constexpr size_t kMaxPieces = 64;
  /// Large objects come in pieces of several chunks.
  static constexpr uint64_t kPieceBytes = 4 * kChunkBytes;

  explicit Bringer(std::shared_ptr<CacheCore> core) : core_(std::move(core)) {}

  /// See ObjectStore::bring_many(); of an object whose version is empty, the one that there is. What was not
  /// begun when the call is cancelled is `cancelled`.
  void bring(std::shared_ptr<BringSource> reads, std::vector<storage::BringRequest> requests,
             const storage::CallContext& context, storage::BringManyCallback each);

  /// What waits is `cancelled`; waits for what is begun at the moment, unless that is what calls. Nothing is
  /// begun from then on.
  void close();

 private:
  struct Job;
  /// A part of one request; without bytes, the question which version there is.
  struct Piece {
    std::shared_ptr<Job> job;
    size_t request = 0;
    ByteRange range;
  };

  /// What is to be done for a request; the answer if that is nothing.
  std::optional<Result<storage::BringOutcome>> enter(const std::shared_ptr<Job>& job, size_t request,
                                                     std::vector<Piece>* pieces) const;
  void cut(const std::shared_ptr<Job>& job, size_t request, std::vector<Piece>* pieces) const;
  Status check(const Job& job, const storage::BringRequest& request) const;
  void pump();
  bool take_next(Piece* piece);
  void wake() FOREBAY_REQUIRES(mutex_);
  void start(const Piece& piece);
  void ask_version(const Piece& piece);
  void answered(const Piece& piece, const Result<storage::ObjectStat>& stat);
  void end(const Piece& piece, std::vector<Piece> next) FOREBAY_EXCLUDES(mutex_);
  void landed(const Piece& piece, const Result<storage::BringOutcome>& outcome);
  void tell(const Piece& piece, const Result<storage::BringOutcome>& outcome);
  void answer_later(const std::shared_ptr<Job>& job, size_t request);
  void verify();

  const std::shared_ptr<CacheCore> core_;
  Mutex mutex_;
  std::deque<Piece> waiting_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t bytes_under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t pieces_under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_pumping_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::atomic<std::thread::id> pump_;  // the thread of the pump that is under way
  /// {job, request}: kept, and to be compared once it is on disk.
  std::vector<std::pair<std::shared_ptr<Job>, size_t>> unverified_ FOREBAY_GUARDED_BY(mutex_);
  DiskWorker worker_;    // begins pieces
  DiskWorker verifier_;  // reads back
};

}  // namespace forebay::cache
