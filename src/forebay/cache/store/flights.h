// Reads that are under way upstream, so that bytes which several readers want are read once. A flight belongs
// to no reader: one that is cancelled leaves it to the others, and it ends with the last. When more urgent
// readers want it too, they must not wait for its turn: one that waits at the gate goes ahead, and one that
// is under way as bulk work begins again, with their priority.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/ahead/demand.h"
#include "forebay/cache/core/cache_core.h"
#include "forebay/cache/store/read_gate.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// An object that is read.
struct Wanted {
  std::string key;
  ObjectVersion object;
  std::optional<uint64_t> object_bytes;
  /// What is cached does not do: whether its user may have it (access_check.h), or whether it is still this
  /// version, is not known but by that.
  bool must_go_upstream = false;
};

/// A range that is wanted, and what is read upstream for it: the chunks around it, or just as much.
struct WantedPart {
  ByteRange wanted;
  ByteRange fetched;
  bool is_chunk = false;
};

/// Thread safe. Must be owned by a shared_ptr.
class Flights : public std::enable_shared_from_this<Flights> {
 public:
  /// `is_immutable`: objects never change, so a weak version names its bytes as well as a strong one.
  Flights(std::shared_ptr<storage::ObjectStore> upstream, std::shared_ptr<CacheCore> core, bool is_immutable)
      : upstream_(std::move(upstream)), core_(std::move(core)), is_immutable_(is_immutable) {}

  using PartCallback = std::function<void(size_t part, Result<storage::ReadBytes>)>;

  /// Answers each part: from the cache, from a flight that is under way, or from a new one. Chunks come in
  /// order; neighbours that nobody reads yet become one flight.
  void read(const Wanted& wanted, const std::vector<WantedPart>& parts, const storage::CallContext& context,
            const PartCallback& done);

  /// Whether a flight is under way that will answer this range, or its beginning.
  bool covers(const Wanted& wanted, ByteRange range);

  /// Of the reads that took off for somebody who waits.
  Demand demand() const {
    return {.in_flight_bytes = demanded_bytes_.load(), .landed_bytes = demanded_landed_bytes_.load()};
  }

 private:
  struct Flight;
  struct Waiter;
  /// What read() does once the lock is released.
  struct Departures {
    std::vector<std::shared_ptr<Flight>> new_flights;
    std::vector<std::pair<size_t, storage::ReadBytes>> ready;
    std::vector<size_t> cancelled;
    std::vector<std::stop_source> outdated;       // reads that begin again
    std::vector<std::shared_ptr<Flight>> raised;  // at the gate
  };

  std::shared_ptr<Flight> covering(const Wanted& wanted, ByteRange range) FOREBAY_REQUIRES(mutex_);
  std::shared_ptr<Flight> open_flight(const Wanted& wanted, const WantedPart& part, Departures* departures)
      FOREBAY_REQUIRES(mutex_);
  void board(const Wanted& wanted, const WantedPart& part, const std::shared_ptr<Waiter>& waiter,
             Departures* departures) FOREBAY_REQUIRES(mutex_);
  void raise(const std::shared_ptr<Flight>& flight, const storage::CallContext& context,
             Departures* departures) FOREBAY_REQUIRES(mutex_);
  void unregister(const Flight& flight) FOREBAY_REQUIRES(mutex_);

  void start(const std::shared_ptr<Flight>& flight, const storage::CallContext& context);
  /// It takes off when the gate lets it in, if there is one. It may wait there several times.
  void enter_gate(const std::shared_ptr<Flight>& flight);
  void take_off(const std::shared_ptr<Flight>& flight, ReadGate::Ticket ticket);
  void note_landed_demand(uint64_t bytes, const Result<storage::ReadBytes>& result);
  void landed(const std::shared_ptr<Flight>& flight, Result<storage::ReadBytes> result);
  bool start_raised(const std::shared_ptr<Flight>& flight, const Status& error);
  bool start_again(const std::shared_ptr<Flight>& flight, const Status& error);
  Status keep(const Flight& flight, const storage::ReadBytes& bytes);
  void cancel(Waiter* waiter);

  const std::shared_ptr<storage::ObjectStore> upstream_;
  const std::shared_ptr<CacheCore> core_;
  const bool is_immutable_;
  std::atomic<uint64_t> demanded_bytes_ = 0;
  std::atomic<uint64_t> demanded_landed_bytes_ = 0;
  Mutex mutex_;
  /// By the start of a flight, and of each of its chunks.
  std::unordered_map<EntryKey, std::shared_ptr<Flight>, EntryKeyHash> flights_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::cache
