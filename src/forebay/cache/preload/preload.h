// A preload under way: takes batches from a source, has a bounded number of them brought at a time, and keeps
// a record of what is finished.
//
// Batches finish in any order; the mark of the record is that of the last one before which all are finished.
// So whenever the process ends, at most a window is brought again, and that costs a look into the cache.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <stop_token>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/preload/preload_file.h"
#include "forebay/cache/preload/preload_source.h"
#include "forebay/storage/remote/rate_limiter.h"

namespace forebay::cache {

struct PreloadOptions {
  bool is_verified = false;       // see storage::BringRequest
  uint64_t bytes_per_second = 0;  // of what has to be fetched; 0: no limit
  /// Ends before more than this has been brought: the cache would give up its beginning for its end.
  uint64_t most_bytes = std::numeric_limits<uint64_t>::max();
  int64_t save_every_ns = 1'000'000'000;
  Timer* timer = nullptr;  // null: the process's
  /// Called by the thread of run(), now and then.
  std::function<void(const PreloadCounts& counts, uint64_t known_objects)> on_progress;
};

/// One run.
class Preload {
 public:
  static constexpr size_t kMaxBatches = 16;                  // under way
  static constexpr uint64_t kMaxBytes = uint64_t{64} << 20;  // one batch may be more

  /// All must outlive it. `record` is what an earlier run left, or a new one; its mark is where `source`
  /// begins.
  Preload(PreloadSource& source, const PreloadFile& file, PreloadRecord record, PreloadOptions options);
  ~Preload();
  Preload(const Preload&) = delete;
  Preload& operator=(const Preload&) = delete;

  /// Blocks until all is brought, or `stop`. Objects that cannot be brought are counted, and end nothing;
  /// resource_exhausted beyond most_bytes; `cancelled` when stopped; `unavailable` without the cache; errors
  /// of the source. In each case the record says how far it is.
  Status run(const std::stop_token& stop);

  /// Whether run() ended because the cache has gone, and nobody had asked it to stop: another run may go on
  /// with the next cache.
  bool has_lost_cache() const { return has_lost_cache_; }

  const PreloadRecord& record() const { return record_; }

 private:
  struct Flight;
  struct Shared;

  Status bring_all(const storage::CallContext& context);
  Status wait_for_rate(const PreloadBatch& batch, const storage::CallContext& context);
  Status look_around(const PreloadBatch& batch);
  void send(PreloadBatch batch, const storage::CallContext& context);
  Status take_finished(size_t most_batches, uint64_t most_bytes);
  Status save_now_and_then();
  void count(const Flight& flight);

  PreloadSource& source_;
  const PreloadFile& file_;
  const PreloadOptions options_;
  Timer& timer_;
  PreloadRecord record_;
  storage::RateLimiter limiter_;
  uint64_t sent_bytes_ = 0;
  int64_t saved_ns_ = 0;
  const std::shared_ptr<Shared> shared_;
  std::deque<std::shared_ptr<Flight>> flights_;  // in the order of the source
  uint64_t bytes_under_way_ = 0;
  bool has_lost_cache_ = false;
  Status broken_;  // why a batch is not finished; what follows it does not count
};

}  // namespace forebay::cache
