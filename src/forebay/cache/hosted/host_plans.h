// The plans of one process, as its daemon follows them.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/hosted/host_stores.h"
#include "forebay/cache/hosted/hosted_items.h"
#include "forebay/cache/items/host_tables.h"
#include "forebay/cache/messages/host_messages.h"
#include "forebay/net/local/local_connection.h"
#include "forebay/storage/read_plan.h"

namespace forebay::cache {

/// One plan: made again here once its table is known, then given to the cache's store. Thread safe; owned by
/// a shared_ptr.
class HostPlan final : public TableUser {
 public:
  HostPlan(uint64_t number, FollowPlan plan, std::shared_ptr<const HostStores> stores,
           CachedAddress any_object, std::shared_ptr<const HostedNames> names,
           net::LocalConnectionRef connection);

  uint64_t table() const { return plan_.table; }

  void ask() override;
  void use(std::shared_ptr<const ItemTable> table) override;
  /// Of a plan without a table. invalid_argument if it makes no sense.
  Status take_window(const PlanWindow& window);
  void advance(uint64_t cursor);
  /// Retracts what was given to the cache.
  void end();

 private:
  static constexpr size_t kMaxWindows = 16;          // a process sends two
  static constexpr uint32_t kMaxPositions = 65'536;  // of a window

  void follow(const std::shared_ptr<storage::ReadPlan>& plan);
  bool has_table() const { return plan_.table != 0; }
  uint64_t reached(uint64_t cursor) const;
  std::vector<std::shared_ptr<storage::ReadPlan>> take_read(uint64_t before) FOREBAY_REQUIRES(mutex_);

  const uint64_t number_;
  const FollowPlan plan_;
  const std::shared_ptr<const HostStores> stores_;
  const CachedAddress any_object_;
  const std::shared_ptr<const HostedNames> names_;
  const net::LocalConnectionRef connection_;
  Mutex mutex_;
  bool has_ended_ FOREBAY_GUARDED_BY(mutex_) = false;
  uint64_t cursor_ FOREBAY_GUARDED_BY(mutex_);
  std::deque<std::shared_ptr<storage::ReadPlan>> followed_ FOREBAY_GUARDED_BY(mutex_);  // windows in order
};

/// The messages about plans of one connection. Used by the loop's thread only.
class HostPlans {
 public:
  static constexpr size_t kMaxPlans = 1024;

  HostPlans(std::shared_ptr<HostStores> stores, net::LocalConnectionRef connection)
      : stores_(std::move(stores)), connection_(std::move(connection)) {}

  /// A plan that cannot be followed is not: it is a hint. `settings` are those of the plan's store.
  void take_plan(uint64_t number, FollowPlan plan, const OpenStore& settings);
  void take_table(uint64_t number, const PlanTable& table, std::vector<FileDescriptor> files);
  Status take_window(uint64_t number, const PlanWindow& window);
  void take_cursor(uint64_t number, uint64_t cursor);
  void take_end(uint64_t number);
  void end();
  size_t size() const { return plans_.size(); }

 private:
  Result<std::shared_ptr<HostPlan>> make(uint64_t number, FollowPlan plan, const OpenStore& settings);
  std::shared_ptr<HostPlan> find(uint64_t number) const;
  void drop(const std::shared_ptr<HostPlan>& plan);

  const std::shared_ptr<HostStores> stores_;
  const net::LocalConnectionRef connection_;
  std::unordered_map<uint64_t, std::shared_ptr<HostPlan>> plans_;
};

}  // namespace forebay::cache
