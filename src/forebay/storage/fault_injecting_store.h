// A store that misbehaves on purpose: scripted or seeded errors, truncated objects, answers that are held
// until a test releases them one by one. For tests of everything above storage. Counts and records the reads
// it forwards.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::storage {

/// Thread safe. Faults affect reads and stats; other calls are forwarded. Answers still held when the store
/// is destroyed are released.
class FaultInjectingStore final : public ForwardingStore {
 public:
  explicit FaultInjectingStore(std::shared_ptr<ObjectStore> inner) : ForwardingStore(std::move(inner)) {}
  ~FaultInjectingStore() override;

  /// Makes the next `times` reads of `key` fail; -1: all of them.
  void fail_reads(const std::string& key, Status error, int times = -1);

  /// The same for stats.
  void fail_stats(const std::string& key, Status error, int times = -1);

  /// Makes `key` appear to end at `size_bytes`.
  void truncate(const std::string& key, uint64_t size_bytes);

  /// Makes reads fail with `probability`, drawn from (seed, key, offset): the same reads fail in every run,
  /// on any thread.
  void fail_randomly(double probability, uint64_t seed, Status error);

  /// Holds the answers of reads from now on, until step() or release_reads(). A held read that is no longer
  /// wanted when it is released fails with `cancelled`, as in a store that ends what is under way.
  void hold_reads();
  /// The number of held answers.
  size_t held_reads() const;
  /// Releases the answer held longest (or the one at `place` in that order) on the calling thread. Returns
  /// false when none is held.
  bool step(size_t place = 0);
  /// Releases all held answers and holds no more.
  void release_reads();

  struct ReadRecord {
    std::string key;
    uint64_t offset_bytes;
    uint64_t length_bytes;
    std::string if_version;
    bool only_resident;
    CallContext context;
  };
  uint64_t read_count() const;
  uint64_t read_count(std::string_view key) const;
  /// All reads requested, in order.
  std::vector<ReadRecord> reads() const;
  /// All plans that were sent, in order.
  std::vector<std::shared_ptr<ReadPlan>> plans() const;
  void forget_reads();

  void stat(std::string key, const CallContext& context, StatCallback done) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  /// Always nullopt: a caller that opened the file would bypass the faults.
  std::optional<std::string> local_file(std::string_view) const override { return std::nullopt; }
  void advise(std::shared_ptr<ReadPlan> plan) override;

 private:
  struct ScriptedFailure {
    Status error;
    int times;  // -1: always

    std::optional<Status> next();
  };
  struct HeldRead {
    std::string uri;
    CallContext context;
    ReadCallback done;
    Result<ReadBytes> result;
  };

  /// State that answers need even after the store is destroyed.
  struct State {
    mutable Mutex mutex;
    std::map<std::string, ScriptedFailure, std::less<>> failures FOREBAY_GUARDED_BY(mutex);
    std::map<std::string, ScriptedFailure, std::less<>> stat_failures FOREBAY_GUARDED_BY(mutex);
    std::map<std::string, uint64_t, std::less<>> truncated FOREBAY_GUARDED_BY(mutex);
    double random_probability FOREBAY_GUARDED_BY(mutex) = 0;
    uint64_t random_seed FOREBAY_GUARDED_BY(mutex) = 0;
    Status random_error FOREBAY_GUARDED_BY(mutex);
    bool holds FOREBAY_GUARDED_BY(mutex) = false;
    std::deque<HeldRead> held FOREBAY_GUARDED_BY(mutex);
    std::vector<ReadRecord> reads FOREBAY_GUARDED_BY(mutex);
    std::vector<std::shared_ptr<ReadPlan>> plans FOREBAY_GUARDED_BY(mutex);

    void answer(HeldRead read);
    bool step(size_t place);
  };

  /// Returns the error that the scripted faults give this read, if any. Adjusts the request for a truncated
  /// object.
  std::optional<Status> fault_of(ReadRequest* request, const CallContext& context);

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace forebay::storage
