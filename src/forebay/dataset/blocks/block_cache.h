// What is read once and serves several samples: a compressed shard, a page of a column. Blocks that are
// wanted again are kept, up to a number of bytes; a block that several samples ask for at once is loaded
// once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <list>
#include <memory>
#include <unordered_map>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::dataset {

/// Immutable once loaded.
class Block {
 public:
  virtual ~Block() = default;
  /// The memory that it takes.
  virtual uint64_t size_bytes() const = 0;
};
using BlockRef = std::shared_ptr<const Block>;

/// A block's name within a source.
struct BlockKey {
  uint32_t object = 0;
  uint32_t column = 0;
  uint64_t offset_bytes = 0;

  friend bool operator==(const BlockKey&, const BlockKey&) = default;
};

using BlockCallback = absl::AnyInvocable<void(Result<BlockRef>)>;
/// Loads a block and calls back once, inline or later on another thread.
using LoadBlock = absl::AnyInvocable<void(BlockCallback)>;

struct BlockCacheStatistics {
  uint64_t loads = 0;  // begun
  uint64_t hits = 0;   // found, or joined while they were being loaded
  uint64_t kept_bytes = 0;
};

/// Thread safe. Must outlive the loads that it has begun.
class BlockCache {
 public:
  /// `limit_bytes`: what blocks that are kept and those that are being loaded take at most together. Others
  /// wait until there is room.
  explicit BlockCache(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  BlockCache(const BlockCache&) = delete;
  BlockCache& operator=(const BlockCache&) = delete;

  /// Calls `done` once with the block: inline if it is kept, else when it is loaded, by this `load` or that
  /// of another caller. `bytes`: about what the block will take; resource_exhausted if that alone exceeds the
  /// limit. Errors are not kept. Who joined a load that its own caller gave up, or that was only of resident
  /// bytes, loads for himself. A block that its caller still holds when it has given way here is no longer
  /// counted, so nobody should hold one while waiting for another.
  void get(const BlockKey& key, uint64_t bytes, LoadBlock load, BlockCallback done);

  uint64_t limit_bytes() const { return limit_bytes_; }
  BlockCacheStatistics statistics() const;

 private:
  struct KeyHash {
    size_t operator()(const BlockKey& key) const;
  };
  struct Waiter {
    LoadBlock load;
    BlockCallback done;
  };
  enum class State : uint8_t { kQueued, kLoading, kKept };
  struct Entry {
    State state = State::kQueued;
    uint64_t bytes = 0;
    BlockRef block;                       // kKept
    std::vector<Waiter> waiters;          // else; the first one loads
    std::list<BlockKey>::iterator place;  // kKept: in by_use_
  };
  struct Start {
    BlockKey key;
    LoadBlock load;
  };

  void make_room(uint64_t bytes) FOREBAY_REQUIRES(mutex_);
  bool admit(const BlockKey& key, Entry& entry, Start* start) FOREBAY_REQUIRES(mutex_);
  void take_queued(std::deque<Start>* starts) FOREBAY_REQUIRES(mutex_);
  void run(Start start);
  void run_all(std::deque<Start> starts);
  void finish(const BlockKey& key, Result<BlockRef> block);

  const uint64_t limit_bytes_;
  mutable Mutex mutex_;
  std::unordered_map<BlockKey, Entry, KeyHash> entries_ FOREBAY_GUARDED_BY(mutex_);
  std::list<BlockKey> by_use_ FOREBAY_GUARDED_BY(mutex_);  // of those that are kept: the latest first
  std::deque<BlockKey> queue_ FOREBAY_GUARDED_BY(mutex_);  // of those that wait for room
  uint64_t used_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;     // of those that are kept or being loaded
  uint64_t loads_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t hits_ FOREBAY_GUARDED_BY(mutex_) = 0;
};

}  // namespace forebay::dataset
