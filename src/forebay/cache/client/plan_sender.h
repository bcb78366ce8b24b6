// The plans of this process's readers, on their way to its host's daemon.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/disk/disk_worker.h"
#include "forebay/cache/messages/host_messages.h"
#include "forebay/engine/process.h"
#include "forebay/net/local/local_connection.h"
#include "forebay/storage/described_items.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/read_plan.h"

namespace forebay::cache {

/// Thread safe. Must be owned by a shared_ptr. Sends nothing in a forked child.
class PlanSender : public std::enable_shared_from_this<PlanSender> {
 public:
  explicit PlanSender(net::LocalConnectionRef connection) : connection_(std::move(connection)) {}
  ~PlanSender();
  PlanSender(const PlanSender&) = delete;
  PlanSender& operator=(const PlanSender&) = delete;

  /// Sends a plan, and from then on how far its reader is, until it is retracted. `store` is the number of
  /// `names`' settings. Not sent: a plan whose next reads are in no object that the daemon knows by its URI.
  void send(uint32_t store, std::shared_ptr<storage::ObjectStore> names,
            const std::shared_ptr<storage::ReadPlan>& plan);

  /// The daemon asks what there is to read by a plan. The table is made on a thread of its own, once the
  /// reader has its first batch.
  void give_table(uint64_t number);

  /// The connection has ended.
  void end();

 private:
  struct Sent;
  using SentRef = std::shared_ptr<Sent>;

  bool describe(const Sent& sent, FollowPlan* plan) const;
  void moved(const SentRef& sent);
  void make_owed_table(const SentRef& sent);
  void tell_cursor(Sent& sent, uint64_t cursor);
  void send_windows(Sent& sent, uint64_t cursor);
  PlanWindow window_from(const Sent& sent, uint64_t first) const;
  void forget(const Sent& sent);

  const engine::Identity identity_;
  const net::LocalConnectionRef connection_;
  Mutex mutex_;
  uint64_t last_number_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool has_ended_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::unordered_map<uint64_t, SentRef> sent_ FOREBAY_GUARDED_BY(mutex_);
  std::unique_ptr<DiskWorker> worker_ = std::make_unique<DiskWorker>();  // makes tables
};

}  // namespace forebay::cache
