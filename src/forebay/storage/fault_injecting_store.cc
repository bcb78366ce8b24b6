#include "forebay/storage/fault_injecting_store.h"

#include <algorithm>
#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/storage/range.h"

namespace forebay::storage {

void FaultInjectingStore::fail_reads(const std::string& key, Status error, int times) {
  const MutexLock lock(state_->mutex);
  state_->failures.insert_or_assign(key, ScriptedFailure{std::move(error), times});
}

void FaultInjectingStore::fail_stats(const std::string& key, Status error, int times) {
  const MutexLock lock(state_->mutex);
  state_->stat_failures.insert_or_assign(key, ScriptedFailure{std::move(error), times});
}

std::optional<Status> FaultInjectingStore::ScriptedFailure::next() {
  if (times == 0) {
    return std::nullopt;
  }
  times -= times > 0;
  return error;
}

void FaultInjectingStore::truncate(const std::string& key, uint64_t size_bytes) {
  const MutexLock lock(state_->mutex);
  state_->truncated.insert_or_assign(key, size_bytes);
}

void FaultInjectingStore::fail_randomly(double probability, uint64_t seed, Status error) {
  const MutexLock lock(state_->mutex);
  state_->random_probability = probability;
  state_->random_seed = seed;
  state_->random_error = std::move(error);
}

void FaultInjectingStore::hold_reads() {
  const MutexLock lock(state_->mutex);
  state_->holds = true;
}

size_t FaultInjectingStore::held_reads() const {
  const MutexLock lock(state_->mutex);
  return state_->held.size();
}

FaultInjectingStore::~FaultInjectingStore() {
  release_reads();
}

bool FaultInjectingStore::State::step(size_t place) {
  std::optional<HeldRead> next;
  {
    const MutexLock lock(mutex);
    if (place >= held.size()) {
      return false;
    }
    next = std::move(held[place]);
    held.erase(held.begin() + static_cast<std::ptrdiff_t>(place));
  }
  if (!is_wanted(next->context)) {
    next->result = not_wanted(next->context, next->uri);
  }
  next->done(std::move(next->result));
  return true;
}

bool FaultInjectingStore::step(size_t place) {
  return state_->step(place);
}

void FaultInjectingStore::release_reads() {
  const std::shared_ptr<State> state = state_;  // a callback may drop the last owner of this
  {
    const MutexLock lock(state->mutex);
    state->holds = false;
  }
  while (state->step(0)) {
  }
}

uint64_t FaultInjectingStore::read_count() const {
  const MutexLock lock(state_->mutex);
  return state_->reads.size();
}

uint64_t FaultInjectingStore::read_count(std::string_view key) const {
  const MutexLock lock(state_->mutex);
  return static_cast<uint64_t>(std::count_if(state_->reads.begin(), state_->reads.end(),
                                             [&](const ReadRecord& read) { return read.key == key; }));
}

std::vector<FaultInjectingStore::ReadRecord> FaultInjectingStore::reads() const {
  const MutexLock lock(state_->mutex);
  return state_->reads;
}

std::vector<std::shared_ptr<ReadPlan>> FaultInjectingStore::plans() const {
  const MutexLock lock(state_->mutex);
  return state_->plans;
}

void FaultInjectingStore::forget_reads() {
  const MutexLock lock(state_->mutex);
  state_->reads.clear();
  state_->plans.clear();
}

std::optional<Status> FaultInjectingStore::fault_of(ReadRequest* request, const CallContext& context) {
  const MutexLock lock(state_->mutex);
  state_->reads.push_back({request->key, request->offset_bytes, request->length_bytes, request->if_version,
                           request->only_resident, context});
  const auto scripted = state_->failures.find(request->key);
  if (scripted != state_->failures.end()) {
    if (std::optional<Status> fault = scripted->second.next()) {
      return fault;
    }
  }
  if (state_->random_probability > 0) {
    RandomStream draws(mix64(state_->random_seed, hash64(request->key)), request->offset_bytes);
    if (draws.uniform_double() < state_->random_probability) {
      return state_->random_error;
    }
  }
  const auto truncated = state_->truncated.find(request->key);
  if (truncated != state_->truncated.end()) {
    const Result<uint64_t> length = range_length(*request, truncated->second, uri_of(request->key));
    if (!length.ok()) {
      return length.status();
    }
    request->length_bytes = *length;
  }
  return std::nullopt;
}

void FaultInjectingStore::State::answer(HeldRead read) {
  {
    const MutexLock lock(mutex);
    if (holds) {
      held.push_back(std::move(read));
      return;
    }
  }
  read.done(std::move(read.result));
}

void FaultInjectingStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  std::string uri = uri_of(request.key);
  if (std::optional<Status> fault = fault_of(&request, context)) {
    state_->answer({std::move(uri), context, std::move(done), *std::move(fault)});
    return;
  }
  inner().read(std::move(request), context,
               [state = state_, uri = std::move(uri), context,
                done = std::move(done)](Result<ReadBytes> result) mutable {
                 state->answer({std::move(uri), context, std::move(done), std::move(result)});
               });
}

void FaultInjectingStore::stat(std::string key, const CallContext& context, StatCallback done) {
  std::optional<Status> fault;
  {
    const MutexLock lock(state_->mutex);
    const auto scripted = state_->stat_failures.find(key);
    if (scripted != state_->stat_failures.end()) {
      fault = scripted->second.next();
    }
  }
  if (fault) {
    done(*std::move(fault));
    return;
  }
  inner().stat(std::move(key), context,
               [state = state_, done = std::move(done)](Result<ObjectStat> stat) mutable {
                 if (stat.ok()) {
                   const MutexLock lock(state->mutex);
                   const auto truncated = state->truncated.find(stat->key);
                   if (truncated != state->truncated.end()) {
                     stat->size_bytes = std::min(stat->size_bytes, truncated->second);
                   }
                 }
                 done(std::move(stat));
               });
}

void FaultInjectingStore::advise(std::shared_ptr<ReadPlan> plan) {
  {
    const MutexLock lock(state_->mutex);
    state_->plans.push_back(plan);
  }
  inner().advise(std::move(plan));
}

}  // namespace forebay::storage
