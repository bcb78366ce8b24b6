#include "forebay/storage/fault_injecting_store.h"

#include <algorithm>
#include <utility>

#include "forebay/base/random.h"
#include "forebay/storage/range.h"

namespace forebay::storage {

void FaultInjectingStore::fail_reads(const std::string& key, Status error, int times) {
  std::lock_guard lock(mutex_);
  failures_.insert_or_assign(key, ScriptedFailure{std::move(error), times});
}

void FaultInjectingStore::truncate(const std::string& key, uint64_t size_bytes) {
  std::lock_guard lock(mutex_);
  truncated_.insert_or_assign(key, size_bytes);
}

void FaultInjectingStore::fail_randomly(double probability, uint64_t seed, Status error) {
  std::lock_guard lock(mutex_);
  random_probability_ = probability;
  random_seed_ = seed;
  random_error_ = std::move(error);
}

void FaultInjectingStore::hold_reads() {
  std::lock_guard lock(mutex_);
  holds_ = true;
}

size_t FaultInjectingStore::held_reads() const {
  std::lock_guard lock(mutex_);
  return held_.size();
}

bool FaultInjectingStore::step(size_t place) {
  std::optional<HeldRead> next;
  {
    std::lock_guard lock(mutex_);
    if (place >= held_.size()) {
      return false;
    }
    next = std::move(held_[place]);
    held_.erase(held_.begin() + static_cast<std::ptrdiff_t>(place));
  }
  next->done(std::move(next->result));
  return true;
}

void FaultInjectingStore::release_reads() {
  {
    std::lock_guard lock(mutex_);
    holds_ = false;
  }
  while (step()) {
  }
}

uint64_t FaultInjectingStore::read_count() const {
  std::lock_guard lock(mutex_);
  return reads_.size();
}

uint64_t FaultInjectingStore::read_count(std::string_view key) const {
  std::lock_guard lock(mutex_);
  return static_cast<uint64_t>(
      std::count_if(reads_.begin(), reads_.end(), [&](const ReadRecord& read) { return read.key == key; }));
}

std::vector<FaultInjectingStore::ReadRecord> FaultInjectingStore::reads() const {
  std::lock_guard lock(mutex_);
  return reads_;
}

std::vector<ReadPlan::Range> FaultInjectingStore::advised() const {
  std::lock_guard lock(mutex_);
  return advised_;
}

void FaultInjectingStore::forget_reads() {
  std::lock_guard lock(mutex_);
  reads_.clear();
  advised_.clear();
}

std::optional<Status> FaultInjectingStore::fault_of(ReadRequest* request) {
  std::lock_guard lock(mutex_);
  reads_.push_back({request->key, request->offset_bytes, request->length_bytes});
  const auto scripted = failures_.find(request->key);
  if (scripted != failures_.end() && scripted->second.times != 0) {
    scripted->second.times -= scripted->second.times > 0;
    return scripted->second.error;
  }
  if (random_probability_ > 0) {
    RandomStream draws(mix64(random_seed_, hash64(request->key)), request->offset_bytes);
    if (draws.uniform_double() < random_probability_) {
      return random_error_;
    }
  }
  const auto truncated = truncated_.find(request->key);
  if (truncated != truncated_.end()) {
    const Result<uint64_t> length = range_length(*request, truncated->second, uri_of(request->key));
    if (!length.ok()) {
      return length.status();
    }
    request->length_bytes = *length;
  }
  return std::nullopt;
}

void FaultInjectingStore::answer(ReadCallback done, Result<ReadBytes> result) {
  {
    std::lock_guard lock(mutex_);
    if (holds_) {
      held_.push_back({std::move(done), std::move(result)});
      return;
    }
  }
  done(std::move(result));
}

void FaultInjectingStore::read(ReadRequest request, ReadCallback done) {
  if (std::optional<Status> fault = fault_of(&request)) {
    answer(std::move(done), *std::move(fault));
    return;
  }
  inner_->read(std::move(request), [this, done = std::move(done)](Result<ReadBytes> result) mutable {
    answer(std::move(done), std::move(result));
  });
}

void FaultInjectingStore::stat(std::string key, StatCallback done) {
  inner_->stat(std::move(key), [this, done = std::move(done)](Result<ObjectStat> stat) mutable {
    if (stat.ok()) {
      std::lock_guard lock(mutex_);
      const auto truncated = truncated_.find(stat->key);
      if (truncated != truncated_.end()) {
        stat->size_bytes = std::min(stat->size_bytes, truncated->second);
      }
    }
    done(std::move(stat));
  });
}

void FaultInjectingStore::write(std::string key, Bytes content, WriteOptions options, StatCallback done) {
  inner_->write(std::move(key), content, std::move(options), std::move(done));
}

Result<std::unique_ptr<ObjectWriter>> FaultInjectingStore::open_writer(std::string key,
                                                                       WriteOptions options) {
  return inner_->open_writer(std::move(key), std::move(options));
}

void FaultInjectingStore::advise(const ReadPlan& plan) {
  {
    std::lock_guard lock(mutex_);
    advised_.insert(advised_.end(), plan.ranges.begin(), plan.ranges.end());
  }
  inner_->advise(plan);
}

Result<ObjectAddress> FaultInjectingStore::derived(std::string_view key, std::string_view version,
                                                   std::string_view kind) {
  return inner_->derived(key, version, kind);
}

}  // namespace forebay::storage
