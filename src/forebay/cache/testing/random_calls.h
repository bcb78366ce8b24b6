// Random calls to stores that share one cache, over an upstream that fails and changes, compared with a map
// of versioned objects after each.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/random/random.h"
#include "forebay/storage/fault_injecting_store.h"
#include "forebay/storage/memory/memory_store.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// What the calls are made to: one cache, and the stores in front of it.
class CachedStores {
 public:
  virtual ~CachedStores() = default;
  virtual size_t count() const = 0;
  virtual storage::ObjectStore& store(size_t number) = 0;
  /// Waits until the cache has heard of what this store has changed.
  virtual void settle(size_t) {}
  /// Waits until what was read is on disk.
  virtual void flush() = 0;
  /// Ends the cache and opens it again over the same directory.
  virtual void restart(RandomStream& random) = 0;
  /// Whether views of what the cache held may outlive it: otherwise they go before restart().
  virtual bool outlives_restart() const { return false; }
  /// Something befalls the cache that must not be noticed.
  virtual void disturb(RandomStream&) {}
};

/// The objects behind the cache, and the calls. Expectations fail with GoogleTest's.
class RandomCalls {
 public:
  static constexpr int64_t kTrustedNs = 1'000'000'000;

  /// `upstream` fails as it is told, over `bucket`, which never does. `clock` is the cache's; the cache
  /// trusts answers for kTrustedNs. All keys begin with `prefix`: calls on several threads need different
  /// ones.
  RandomCalls(uint64_t seed, CachedStores& stores, std::shared_ptr<storage::MemoryStore> bucket,
              std::shared_ptr<storage::FaultInjectingStore> upstream, SteppedClock& clock,
              std::string prefix = {});

  ~RandomCalls();
  RandomCalls(const RandomCalls&) = delete;
  RandomCalls& operator=(const RandomCalls&) = delete;

  void step();
  /// Ends the cache and opens it again.
  void restart();

  /// How many calls were answered without an error.
  uint64_t answered() const { return answered_; }

 private:
  static constexpr size_t kNobody = ~size_t{0};

  /// One state of an object; an absent one has no version.
  struct State {
    std::string version;
    std::string content;
    int64_t until_ns = -1;         // when it was replaced; -1: it is there
    size_t replaced_by = kNobody;  // the number of the store; kNobody: behind the cache's back
  };

  /// A view that is kept for a while, and what it showed at first.
  struct Held {
    storage::ReadBytes view;
    std::string content;
  };

  void call();
  void hold(const storage::ReadBytes& view);
  void look_at(const Held& held) const;
  std::string random_key();
  std::string random_content();
  void remember(const std::string& key, State state, size_t by);
  bool is_there(const std::string& key) const;

  void change_behind(const std::string& key);
  void write(size_t by, const std::string& key);
  void write_in_parts(size_t by, const std::string& key);
  void remove(size_t by, const std::string& key);
  void copy_or_rename(size_t by, const std::string& from);
  void read(size_t by, const std::string& key);
  void stat(size_t by, const std::string& key);
  void list(size_t by);

  /// Whether a call by store `by` that names no version may see the state.
  bool may_be_seen(const State& state, size_t by) const;
  /// Whether `by` may find no such object.
  bool may_be_absent(const std::string& key, size_t by) const;
  bool may_be(const storage::ObjectStat& stat, size_t by) const;

  RandomStream random_;
  CachedStores& stores_;
  const std::shared_ptr<storage::MemoryStore> bucket_;
  const std::shared_ptr<storage::FaultInjectingStore> upstream_;
  SteppedClock& clock_;
  const std::string prefix_;
  int64_t began_ns_ = 0;  // the call; others may move the clock on meanwhile
  std::map<std::string, std::vector<State>> objects_;
  std::vector<Held> held_;
  uint64_t answered_ = 0;
};

}  // namespace forebay::cache
