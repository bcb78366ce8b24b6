// A store that misbehaves on purpose: scripted or seeded errors, truncated objects, answers that wait until
// they are let through one by one. For the tests of everything above; counts and records the reads it passes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/storage/forwarding_store.h"

namespace forebay::storage {

/// Thread safe. Faults concern reads and stats; the other calls are passed on. Answers that wait when the
/// store goes are let through.
class FaultInjectingStore final : public ForwardingStore {
 public:
  explicit FaultInjectingStore(std::shared_ptr<ObjectStore> inner) : ForwardingStore(std::move(inner)) {}
  ~FaultInjectingStore() override;

  /// The next `times` reads of `key` fail; -1: all of them.
  void fail_reads(const std::string& key, Status error, int times = -1);

  /// `key` seems to end at `size_bytes`.
  void truncate(const std::string& key, uint64_t size_bytes);

  /// Reads fail with `probability`, drawn from (seed, key, offset): the same reads in every run, on any
  /// thread.
  void fail_randomly(double probability, uint64_t seed, Status error);

  /// From now on answers of reads wait for step() or release().
  void hold_reads();
  /// Number of answers that wait.
  size_t held_reads() const;
  /// Lets the answer through that has waited longest (or the one at `place` among those that wait), on the
  /// calling thread. False when there is none.
  bool step(size_t place = 0);
  /// Lets all through and holds no more.
  void release_reads();

  struct ReadRecord {
    std::string key;
    uint64_t offset_bytes;
    uint64_t length_bytes;
    std::string if_version;
    Priority priority;
    std::shared_ptr<const Caller> who;
  };
  uint64_t read_count() const;
  uint64_t read_count(std::string_view key) const;
  /// All reads asked for, in order.
  std::vector<ReadRecord> reads() const;
  /// All plans that were sent, in order.
  std::vector<std::shared_ptr<ReadPlan>> plans() const;
  void forget_reads();

  void stat(std::string key, const CallContext& context, StatCallback done) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  /// None: whoever opened the file would read past the faults.
  std::optional<std::string> local_file(std::string_view) const override { return std::nullopt; }
  void advise(std::shared_ptr<ReadPlan> plan) override;

 private:
  struct ScriptedFailure {
    Status error;
    int times;
  };
  struct HeldRead {
    ReadCallback done;
    Result<ReadBytes> result;
  };

  /// What answers need, which may come when the store has gone.
  struct State {
    mutable std::mutex mutex;
    std::map<std::string, ScriptedFailure, std::less<>> failures;
    std::map<std::string, uint64_t, std::less<>> truncated;
    double random_probability = 0;
    uint64_t random_seed = 0;
    Status random_error;
    bool holds = false;
    std::deque<HeldRead> held;
    std::vector<ReadRecord> reads;
    std::vector<std::shared_ptr<ReadPlan>> plans;

    void answer(ReadCallback done, Result<ReadBytes> result);
    bool step(size_t place);
  };

  /// What the faults make of a read: an error, or nothing. Changes the request of a truncated object.
  std::optional<Status> fault_of(ReadRequest* request, const CallContext& context);

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace forebay::storage
