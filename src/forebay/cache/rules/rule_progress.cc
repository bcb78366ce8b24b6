#include "forebay/cache/rules/rule_progress.h"

#include <utility>

namespace forebay::cache {

bool RuleProgress::begin(Done done) {
  const MutexLock lock(mutex_);
  if (done) {
    waiting_.push_back(std::move(done));
  }
  piece_ = {.kind = WalkKind::kApplyRules};
  is_begun_anew_ = true;
  return !std::exchange(is_running_, true);
}

CacheWalk RuleProgress::next_piece() {
  const MutexLock lock(mutex_);
  is_begun_anew_ = false;
  return piece_;
}

std::optional<std::vector<RuleProgress::Done>> RuleProgress::end_piece(const CacheWalked& walked) {
  const MutexLock lock(mutex_);
  if (is_begun_anew_) {
    return std::nullopt;
  }
  piece_.begin = walked.next;
  piece_.end = walked.end;
  if (!walked.is_over()) {
    return std::nullopt;
  }
  is_running_ = false;
  return std::exchange(waiting_, {});
}

}  // namespace forebay::cache
