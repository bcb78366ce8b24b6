#include "forebay/cache/policy/future.h"

#include <algorithm>
#include <utility>

namespace forebay::cache {
namespace {

constexpr uint64_t kEpochsAhead = 2;
constexpr uint64_t kShardsAhead = 32;    // of a rank's own epochs, where these are short
constexpr uint64_t kItemsLookedAt = 64;  // of those in one entry
constexpr uint64_t kLeastProgress = 64;  // positions from which rates are computed
constexpr double kWeightOfNewRate = 0.25;
constexpr double kLeastRate = 1e-6;

uint64_t horizon_of(const storage::PlanDescription& plan) {
  const uint64_t epoch = plan.num_items / std::max(1u, plan.num_shards) + 1;
  return std::min(kEpochsAhead * (plan.num_items + 1), kShardsAhead * epoch);
}

uint64_t end_of(uint64_t first, uint64_t count) {
  return count > std::numeric_limits<uint64_t>::max() - first ? std::numeric_limits<uint64_t>::max()
                                                              : first + count;
}

}  // namespace

void Future::follow(std::shared_ptr<storage::ReadPlan> plan, std::shared_ptr<const ObjectTable> objects) {
  Job job = {.plan = std::move(plan), .objects = std::move(objects)};
  job.items = job.plan->items();
  if (!job.items) {
    return;
  }
  job.horizon = horizon_of(job.items->description());
  job.cursor = job.plan->cursor();
  MutexLock lock(mutex_);
  update();
  for (Job& other : jobs_) {
    other.rate *= static_cast<double>(jobs_.size()) / static_cast<double>(jobs_.size() + 1);
  }
  job.rate = 1.0 / static_cast<double>(jobs_.size() + 1);
  jobs_.push_back(std::move(job));
  ++changes_;
}

void Future::forget_retracted() {
  const size_t gone = std::erase_if(jobs_, [](const Job& job) { return job.plan->is_retracted(); });
  changes_ += gone;
  double all = 0;
  for (const Job& job : jobs_) {
    all += job.rate;
  }
  for (Job& job : jobs_) {
    job.rate = gone == 0 ? job.rate : job.rate / all;
  }
}

void Future::update() {
  forget_retracted();
  uint64_t window = 0;
  for (Job& job : jobs_) {
    const uint64_t moved = job.plan->cursor() - job.cursor;
    job.cursor += moved;
    job.progress += moved;
    progress_ += moved;
    now_ += static_cast<double>(moved);
    window = std::max(window, job.plan->reader_window());
  }
  if (progress_ >= std::max(kLeastProgress, 4 * window)) {
    compute_rates(std::exchange(progress_, 0));
  }
}

void Future::compute_rates(uint64_t progress) {
  for (Job& job : jobs_) {
    const double rate = static_cast<double>(std::exchange(job.progress, 0)) / static_cast<double>(progress);
    job.rate = std::max(kLeastRate, job.rate + kWeightOfNewRate * (rate - job.rate));
  }
}

double Future::time_at(const Job& job, uint64_t position) const {
  if (position == storage::kNeverRead) {
    return kNoRead;
  }
  const uint64_t ahead = position - std::min(position, job.cursor);
  return now_ + static_cast<double>(ahead) / job.rate;
}

/// Whether an entry that was used then was used for the read at this position.
bool Future::was_read(const Job& job, uint64_t position, double last_used) const {
  const uint64_t window = std::max<uint64_t>(1, job.plan->reader_window());
  const uint64_t end = end_of(job.cursor, window);
  if (position >= end) {
    return false;
  }
  // Speeds are known roughly, so a use shortly before the window counts, too.
  const uint64_t in_window = end - position + window / 4;
  return last_used >= now_ - static_cast<double>(in_window) / job.rate;
}

uint64_t Future::next_position(const Job& job, storage::ItemRun run, double last_used) const {
  uint64_t before = std::min(job.plan->end(), end_of(job.cursor, job.horizon));
  uint64_t next = storage::kNeverRead;
  const uint64_t step = std::max<uint64_t>(1, run.count / kItemsLookedAt);
  for (uint64_t i = 0; i < run.count && job.cursor < before; i += step) {
    const uint64_t item = run.first + i;
    uint64_t position = job.items->next_position(item, job.cursor, before);
    while (position != storage::kNeverRead && was_read(job, position, last_used)) {
      position = job.items->next_position(item, position + 1, before);
    }
    if (position != storage::kNeverRead) {
      next = position;
      before = position;
    }
  }
  return next;
}

std::optional<double> Future::next_read(const EntryPlace& entry, double last_used) {
  MutexLock lock(mutex_);
  update();
  std::optional<double> next;
  for (const Job& job : jobs_) {
    const std::optional<uint64_t> object = job.objects->find(entry.object);
    if (!object) {
      continue;
    }
    const storage::ItemRun run = job.items->items_in(*object, entry.start_bytes, entry.bytes);
    if (run.count > 0) {
      const double time = time_at(job, next_position(job, run, last_used));
      next = std::min(time, next.value_or(kNoRead));
    }
  }
  return next;
}

double Future::time_of(uint64_t plan_id, uint64_t position) {
  MutexLock lock(mutex_);
  update();
  const auto found = std::ranges::find(jobs_, plan_id, [](const Job& job) { return job.plan->id(); });
  return found == jobs_.end() ? kNoRead : time_at(*found, position);
}

double Future::now() {
  MutexLock lock(mutex_);
  update();
  return now_;
}

uint64_t Future::changes() {
  MutexLock lock(mutex_);
  update();
  return changes_;
}

size_t Future::memory_bytes() const {
  MutexLock lock(mutex_);
  size_t bytes = jobs_.capacity() * sizeof(Job);
  std::vector<const ObjectTable*> counted;
  for (const Job& job : jobs_) {
    if (std::ranges::find(counted, job.objects.get()) == counted.end()) {
      counted.push_back(job.objects.get());
      bytes += job.objects->memory_bytes();
    }
  }
  return bytes;
}

}  // namespace forebay::cache
