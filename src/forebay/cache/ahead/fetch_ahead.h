// Follows read plans: tells the eviction policy when what is held is read next, and fetches what is missing
// before its reader asks for it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <mutex>
#include <thread>

#include "forebay/cache/ahead/ahead_fetches.h"
#include "forebay/cache/policy/plan_follower.h"

namespace forebay::cache {

/// Works in a thread of its own, which begins with the first plan and sleeps while no cursor moves. Thread
/// safe. Does nothing in a forked child. May be destroyed on any thread, including its own; reads that are
/// under way are cancelled.
class FetchAhead final : public PlanFollower {
 public:
  FetchAhead(std::shared_ptr<Future> future, std::shared_ptr<const PlannedRoom> room,
             const FetchAheadOptions& options);
  ~FetchAhead() override;
  FetchAhead(const FetchAhead&) = delete;
  FetchAhead& operator=(const FetchAhead&) = delete;

  void follow(const std::shared_ptr<storage::ObjectStore>& store,
              std::shared_ptr<storage::ReadPlan> plan) override;
  PlanCounts counts() const override;

 private:
  struct State;

  const pid_t owner_;
  const std::shared_ptr<State> state_;
  std::once_flag once_;
  std::thread thread_;
};

}  // namespace forebay::cache
