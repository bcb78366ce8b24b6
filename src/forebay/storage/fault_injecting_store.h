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

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Thread safe. Faults concern reads and stats; the other calls are passed on.
class FaultInjectingStore final : public ObjectStore {
 public:
  explicit FaultInjectingStore(std::shared_ptr<ObjectStore> inner) : inner_(std::move(inner)) {}

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
  };
  uint64_t read_count() const;
  uint64_t read_count(std::string_view key) const;
  /// All reads asked for, in order.
  std::vector<ReadRecord> reads() const;
  /// All plans' ranges, in order.
  std::vector<ReadPlan::Range> advised() const;
  void forget_reads();

  std::string uri_of(std::string_view key) const override { return inner_->uri_of(key); }
  void stat(std::string key, StatCallback done) override;
  void list(ListRequest request, ListCallback done) override {
    inner_->list(std::move(request), std::move(done));
  }
  void read(ReadRequest request, ReadCallback done) override;
  void write(std::string key, Bytes content, WriteOptions options, StatCallback done) override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, StatusCallback done) override {
    inner_->remove(std::move(key), std::move(done));
  }
  void advise(const ReadPlan& plan) override;
  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override;

 private:
  struct ScriptedFailure {
    Status error;
    int times;
  };
  struct HeldRead {
    ReadCallback done;
    Result<ReadBytes> result;
  };

  /// What the faults make of a read: an error, or nothing. Changes the request of a truncated object.
  std::optional<Status> fault_of(ReadRequest* request);
  void answer(ReadCallback done, Result<ReadBytes> result);

  const std::shared_ptr<ObjectStore> inner_;
  mutable std::mutex mutex_;
  std::map<std::string, ScriptedFailure, std::less<>> failures_;
  std::map<std::string, uint64_t, std::less<>> truncated_;
  double random_probability_ = 0;
  uint64_t random_seed_ = 0;
  Status random_error_;
  bool holds_ = false;
  std::deque<HeldRead> held_;
  std::vector<ReadRecord> reads_;
  std::vector<ReadPlan::Range> advised_;
};

}  // namespace forebay::storage
