#include "forebay/dataset/index/scan_progress.h"

#include <algorithm>
#include <cstdlib>

namespace forebay::dataset {
namespace {

constexpr int64_t kTellEveryNs = 100'000'000;
// A longer way between two reads is one to another part of a tree, not past what lies between.
constexpr int64_t kLongestStepBytes = int64_t{1} << 30;

}  // namespace

ScanProgress::ScanProgress(const Tell& tell, size_t shards, const Clock& clock)
    : tell_(tell), clock_(clock), shards_(tell ? shards : 0), told_ns_(clock.now_ns()) {
  progress_.shards = shards;
}

void ScanProgress::expect(size_t which, uint64_t bytes) {
  if (!is_watched()) {
    return;
  }
  const MutexLock lock(mutex_);
  Shard& shard = shards_[which];
  move_behind(shard, 0);
  progress_.bytes += bytes - shard.bytes;
  shard.bytes = bytes;
}

void ScanProgress::begin(size_t which, uint64_t behind_bytes) {
  if (!is_watched()) {
    return;
  }
  const MutexLock lock(mutex_);
  Shard& shard = shards_[which];
  progress_.samples_found -= shard.samples;
  move_behind(shard, static_cast<int64_t>(behind_bytes));
  shard.samples = 0;
  shard.read_end = behind_bytes;
}

void ScanProgress::add(size_t which, uint64_t samples) {
  if (!is_watched()) {
    return;
  }
  const MutexLock lock(mutex_);
  shards_[which].samples += samples;
  progress_.samples_found += samples;
  tell_at_times();
}

// Reads follow each other up the file; those beside each other may be told in any order.
void ScanProgress::read(size_t which, uint64_t offset_bytes, uint64_t length_bytes) {
  if (!is_watched()) {
    return;
  }
  const MutexLock lock(mutex_);
  Shard& shard = shards_[which];
  const uint64_t end = offset_bytes + length_bytes;
  const auto step = static_cast<int64_t>(end) - static_cast<int64_t>(shard.read_end);
  shard.read_end = end;
  if (std::abs(step) <= kLongestStepBytes) {
    move_behind(shard, shard.behind + step);
  }
  tell_at_times();
}

void ScanProgress::done(size_t which, uint64_t samples) {
  if (!is_watched()) {
    return;
  }
  const MutexLock lock(mutex_);
  Shard& shard = shards_[which];
  progress_.samples_found += samples - shard.samples;
  progress_.samples += samples;
  ++progress_.shards_done;
  shard.samples = samples;
  move_behind(shard, static_cast<int64_t>(shard.bytes));
  told_ns_ = clock_.now_ns();
  tell_(progress_);
}

void ScanProgress::move_behind(Shard& shard, int64_t behind) {
  const int64_t most = static_cast<int64_t>(shard.bytes);
  progress_.bytes_done -= static_cast<uint64_t>(std::clamp<int64_t>(shard.behind, 0, most));
  shard.behind = behind;
  progress_.bytes_done += static_cast<uint64_t>(std::clamp<int64_t>(behind, 0, most));
}

void ScanProgress::tell_at_times() {
  const int64_t now_ns = clock_.now_ns();
  if (now_ns - told_ns_ >= kTellEveryNs) {
    told_ns_ = now_ns;
    tell_(progress_);
  }
}

}  // namespace forebay::dataset
