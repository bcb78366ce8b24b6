// The requests that wait for a batch: in groups of those that may join, each in order of priority and
// arrival. It has no thread and no lock, and learns the time from its caller.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "forebay/serving/batching/batching_options.h"
#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

struct QueuedRequest {
  InferRequest request;
  InferAnswer answer;
  uint64_t turn = 0;  // among answers that keep the order
  int64_t arrived_ns = 0;
  int64_t rows = 0;
};
using WaitingRequestPtr = std::unique_ptr<QueuedRequest>;

/// Thread compatible.
class BatchQueue {
 public:
  explicit BatchQueue(BatchingOptions options) : options_(std::move(options)) {}

  /// resource_exhausted, and `waiting` stays the caller's, if the queue is full in number or in bytes.
  Status add(WaitingRequestPtr* waiting);
  /// What is to be refused at `now_ns`: its deadline has passed, or its time in the queue. Requests that are
  /// only delayed then change their place.
  std::vector<WaitingRequestPtr> take_overdue(int64_t now_ns);
  /// The next batch that is ready at `now_ns`; empty if there is none. `at_once`: whatever waits is ready.
  /// Once a request of it turns out to be cancelled, all that are go to `cancelled` instead.
  std::vector<WaitingRequestPtr> take_batch(int64_t now_ns, bool at_once,
                                            std::vector<WaitingRequestPtr>* cancelled);
  std::vector<WaitingRequestPtr> take_all();

  /// When a request is overdue next; kNoDeadlineNs: never.
  int64_t next_overdue_ns() const { return overdue_.empty() ? kNoDeadlineNs : overdue_.begin()->first; }
  /// When a group has waited long enough next, if nothing else happens.
  int64_t next_ready_ns() const;
  bool empty() const { return items_.empty(); }
  /// Takes those that are cancelled out, and appends them.
  void take_cancelled(std::vector<WaitingRequestPtr>* cancelled);

 private:
  /// Priority, whether it is overdue and therefore comes later, arrival.
  using Place = std::tuple<uint64_t, bool, uint64_t>;
  struct Group {
    std::map<Place, WaitingRequestPtr> waiting;
    std::map<uint64_t, int64_t> arrivals;  // arrival's number -> when
    int64_t rows = 0;
    bool is_alone = false;  // of requests that nothing may join
  };
  using Groups = std::map<std::string, Group>;
  struct Item {
    Groups::iterator group;
    Place place;
    int64_t refused_ns;  // when it is to be refused
    int64_t overdue_ns;  // its next change: when it is refused or delayed
    uint64_t bytes;
  };

  uint64_t priority_of(const InferRequest& request) const;
  const QueuePolicy& policy_of(uint64_t priority) const;
  bool is_ready(const Group& group, int64_t now_ns) const;
  /// How many of the first requests make the batch; 0 if it had better wait.
  size_t batch_size(const Group& group, bool must_run) const;
  /// The numbers of the requests that are the next batch.
  std::vector<uint64_t> next_batch(int64_t now_ns, bool at_once) const;
  const InferRequest& request_of(uint64_t number) const;
  void delay(uint64_t number);
  WaitingRequestPtr take(uint64_t number);

  const BatchingOptions options_;
  Groups groups_;
  std::unordered_map<uint64_t, Item> items_;
  std::set<std::pair<int64_t, uint64_t>> overdue_;  // when, and the arrival's number
  std::map<uint64_t, uint64_t> waiting_of_level_;
  uint64_t bytes_ = 0;
  uint64_t next_number_ = 0;
};

}  // namespace forebay::serving
