// Bounds the memory of reads that are under way upstream: those for which there is no room wait for their
// turn, the most urgent first.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/context.h"

namespace forebay::cache {

/// Thread safe. Must be owned by a shared_ptr.
class ReadGate : public std::enable_shared_from_this<ReadGate> {
 public:
  /// `held_bytes` says how much memory is held already: by reads, by what waits to be written, by those who
  /// look at bytes. It is called under a lock and must not call the gate.
  ReadGate(uint64_t most_bytes, std::function<uint64_t()> held_bytes)
      : most_bytes_(most_bytes), held_bytes_(std::move(held_bytes)) {}

  /// What a read has while it is under way. Its end lets others in, on its own thread.
  class Ticket {
   public:
    Ticket() = default;
    Ticket(std::shared_ptr<ReadGate> gate, uint64_t bytes) : gate_(std::move(gate)), bytes_(bytes) {}
    Ticket(Ticket&& other) noexcept = default;
    Ticket& operator=(Ticket&&) = delete;
    ~Ticket() {
      if (gate_) {
        gate_->leave(bytes_);
      }
    }

   private:
    std::shared_ptr<ReadGate> gate_;
    uint64_t bytes_ = 0;
  };
  using Entrant = absl::AnyInvocable<void(Ticket ticket)>;

  /// Calls `go` at once if nobody waits and there is room for `bytes`, or nobody is inside; else in its turn:
  /// those of one priority as they came, before those that are less urgent. One turn in eight is for the
  /// latter all the same: somebody may have begun to wait for what was fetched ahead. Memory that a read
  /// inside has allocated counts twice: so the bound holds, although nobody knows which memory is whose.
  void enter(uint64_t bytes, storage::Priority priority, Entrant go);

  /// How many wait.
  size_t waiting() const;

 private:
  struct Waiting {
    uint64_t bytes = 0;
    Entrant go;
  };

  using Queue = std::deque<Waiting>;

  bool has_room(uint64_t bytes) const FOREBAY_REQUIRES(mutex_);
  bool is_empty() const FOREBAY_REQUIRES(mutex_);
  /// Whose turn it is; null if nobody waits.
  Queue* next_queue() FOREBAY_REQUIRES(mutex_);
  void count_in(uint64_t bytes) FOREBAY_REQUIRES(mutex_);
  void leave(uint64_t bytes);
  /// Takes out the next whose turn it is, unless another thread, or a caller up the stack, is about that
  /// already and will look again.
  bool take_next(Waiting* next);
  void let_others_in();

  const uint64_t most_bytes_;
  const std::function<uint64_t()> held_bytes_;
  mutable Mutex mutex_;
  uint64_t inside_ FOREBAY_GUARDED_BY(mutex_) = 0;  // reads
  uint64_t inside_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_letting_in_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::array<Queue, storage::kPriorities> waiting_ FOREBAY_GUARDED_BY(mutex_);  // by priority
  uint64_t turns_ FOREBAY_GUARDED_BY(mutex_) = 0;                               // that were taken
};

}  // namespace forebay::cache
