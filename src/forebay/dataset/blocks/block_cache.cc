#include "forebay/dataset/blocks/block_cache.h"

#include <utility>

#include "forebay/base/random/random.h"

namespace forebay::dataset {
namespace {

/// Errors that are about the caller of a load and not about the block.
bool is_of_caller(const Status& status) {
  switch (status.code()) {
    case StatusCode::kCancelled:
    case StatusCode::kDeadlineExceeded:
    case StatusCode::kFailedPrecondition:
    case StatusCode::kUnimplemented:
      return true;
    default:
      return false;
  }
}

}  // namespace

size_t BlockCache::KeyHash::operator()(const BlockKey& key) const {
  return mix64(key.offset_bytes, uint64_t{key.object} << 32 | key.column);
}

BlockCacheStatistics BlockCache::statistics() const {
  const MutexLock lock(mutex_);
  uint64_t kept = 0;
  for (const auto& [key, entry] : entries_) {
    kept += entry.state == State::kKept ? entry.bytes : 0;
  }
  return {loads_, hits_, kept};
}

void BlockCache::get(const BlockKey& key, uint64_t bytes, LoadBlock load, BlockCallback done) {
  if (bytes > limit_bytes_) {
    done(resource_exhausted(
        "it takes about {} bytes in memory, and {} are allowed for what several samples share", bytes,
        limit_bytes_));
    return;
  }
  BlockRef kept;
  Start start;
  bool is_admitted = false;
  {
    const MutexLock lock(mutex_);
    const auto [found, is_new] = entries_.try_emplace(key);
    Entry& entry = found->second;
    hits_ += is_new ? 0 : 1;
    if (entry.state == State::kKept) {
      by_use_.splice(by_use_.begin(), by_use_, entry.place);
      kept = entry.block;
    } else {
      entry.waiters.push_back({std::move(load), std::move(done)});
    }
    if (is_new) {
      entry.bytes = bytes;
      is_admitted = queue_.empty() && admit(key, entry, &start);
      if (!is_admitted) {
        queue_.push_back(key);
      }
    }
  }
  if (kept) {
    done(std::move(kept));
  } else if (is_admitted) {
    run(std::move(start));
  }
}

void BlockCache::make_room(uint64_t bytes) {
  while (!by_use_.empty() && used_bytes_ + bytes > limit_bytes_) {
    const auto oldest = entries_.find(by_use_.back());
    used_bytes_ -= oldest->second.bytes;
    entries_.erase(oldest);
    by_use_.pop_back();
  }
}

bool BlockCache::admit(const BlockKey& key, Entry& entry, Start* start) {
  make_room(entry.bytes);
  if (used_bytes_ + entry.bytes > limit_bytes_) {
    return false;
  }
  used_bytes_ += entry.bytes;
  entry.state = State::kLoading;
  ++loads_;
  *start = {key, std::move(entry.waiters.front().load)};
  return true;
}

void BlockCache::take_queued(std::deque<Start>* starts) {
  while (!queue_.empty()) {
    Start start;
    if (!admit(queue_.front(), entries_.find(queue_.front())->second, &start)) {
      return;
    }
    queue_.pop_front();
    starts->push_back(std::move(start));
  }
}

void BlockCache::run(Start start) {
  start.load([this, key = start.key](Result<BlockRef> block) { finish(key, std::move(block)); });
}

// A load that ends inline lets others begin; they are begun here and not inside of it, however many there
// are.
void BlockCache::run_all(std::deque<Start> starts) {
  struct Begun {
    BlockCache* cache;
    Start start;
  };
  static thread_local std::deque<Begun>* begun = nullptr;
  const bool is_outermost = begun == nullptr;
  std::deque<Begun> own;
  if (is_outermost) {
    begun = &own;
  }
  for (Start& start : starts) {
    begun->push_back({this, std::move(start)});
  }
  if (!is_outermost) {
    return;
  }
  while (!own.empty()) {
    Begun next = std::move(own.front());
    own.pop_front();
    next.cache->run(std::move(next.start));
  }
  begun = nullptr;
}

void BlockCache::finish(const BlockKey& key, Result<BlockRef> block) {
  std::vector<Waiter> waiters;
  uint64_t asked_bytes = 0;
  std::deque<Start> starts;
  {
    const MutexLock lock(mutex_);
    const auto found = entries_.find(key);
    Entry& entry = found->second;
    waiters = std::move(entry.waiters);
    asked_bytes = entry.bytes;
    used_bytes_ -= entry.bytes;
    const uint64_t taken = block.ok() ? (*block)->size_bytes() : 0;
    if (block.ok()) {
      make_room(taken);
    }
    if (block.ok() && used_bytes_ + taken <= limit_bytes_) {
      entry.state = State::kKept;
      entry.bytes = taken;
      entry.block = *block;
      entry.waiters.clear();
      by_use_.push_front(key);
      entry.place = by_use_.begin();
      used_bytes_ += taken;
    } else {
      entries_.erase(found);
    }
    take_queued(&starts);
  }
  for (size_t i = 0; i < waiters.size(); ++i) {
    if (i > 0 && is_of_caller(block.status())) {
      get(key, asked_bytes, std::move(waiters[i].load), std::move(waiters[i].done));
    } else {
      waiters[i].done(block);
    }
  }
  run_all(std::move(starts));
}

}  // namespace forebay::dataset
