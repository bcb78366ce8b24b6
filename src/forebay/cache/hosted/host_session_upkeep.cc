// What commands ask of the daemon itself.
#include <utility>

#include "forebay/cache/hosted/host_session.h"

namespace forebay::cache {

HostActivity HostSession::activity(int64_t now_ns) const {
  HostActivity activity = {.pid = connection_->peer().pid};
  activity.plans = plans_.size();
  const MutexLock lock(mutex_);
  activity.reads = reads_;
  activity.read_bytes = read_bytes_;
  activity.leases = leases_.size();
  activity.waiting = calls_.size();
  const UnderWay* oldest = nullptr;
  for (const auto& [number, call] : calls_) {
    oldest = oldest == nullptr || call.since_ns < oldest->since_ns ? &call : oldest;
  }
  if (oldest != nullptr) {
    activity.longest_wait_ns = now_ns - oldest->since_ns;
    activity.waits_for = oldest->what;
  }
  return activity;
}

// The disk is read on a thread of the cache, a piece at a time, so that other work of that thread comes
// between them.
Status HostSession::take_walk(uint64_t number, Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(HostWalk walk, decode<HostWalk>(message));
  Result<storage::CallContext> context =
      begin(number, storage::kNoDeadline, storage::Priority::kDemand, walk.piece.uri);
  if (context.ok()) {
    const MutexLock lock(mutex_);
    if (walks_ >= kMaxWalks) {
      context = resource_exhausted("one process has {} walks through the cache under way", walks_);
    } else {
      ++walks_;
    }
  }
  if (!context.ok()) {
    answer(number, encode_answer(number, context.status()));
    return ok_status();
  }
  stores_->cache().do_later(
      [self = shared_from_this(), number, piece = std::move(walk.piece), context = *std::move(context)] {
        Result<CacheWalked> walked = cancelled("a walk through the cache that nobody waits for");
        if (!context.cancellation.stop_requested()) {
          walked = self->stores_->cache().walk(piece);
        }
        {
          const MutexLock lock(self->mutex_);
          --self->walks_;
        }
        self->answer(number, encode_answer(number, walked));
      });
  return ok_status();
}

// The file is read where the disk may keep nobody waiting.
void HostSession::take_rules(uint64_t number) {
  const Result<storage::CallContext> context =
      begin(number, storage::kNoDeadline, storage::Priority::kDemand, "the cache's rules");
  if (!context.ok()) {
    answer(number, encode_answer(number, context.status()));
    return;
  }
  stores_->cache().do_later([self = shared_from_this(), number] {
    Result<std::vector<AdmissionRule>> rules = self->stores_->read_rules();
    if (!rules.ok()) {
      self->answer(number, encode_answer(number, rules.status()));
      return;
    }
    self->stores_->cache().set_rules(*std::move(rules), [self, number] {
      self->answer(number, encode_answer(number, json_of(self->stores_->cache().statistics())));
    });
  });
}

}  // namespace forebay::cache
