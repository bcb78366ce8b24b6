// The process's byte budget: space is reserved before it is filled.
//
// There are two accounts. *Working* bytes count against the limit. *Held* bytes are in delivered batches that
// the user keeps. They block nothing; otherwise a user who keeps batches would stop the pipeline that fills
// the next one.
//
// A reservation never blocks: it is granted or refused, and the caller decides what a refusal means. (The
// executor gives a younger sample's memory back and runs it again later; the oldest sample may always
// proceed, through `reserve_anyway`, up to the whole limit.) Listeners are told when bytes are released.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"

namespace forebay {

class Budget;

/// Reserved bytes, released by the destructor. Movable. Thread compatible.
class Reservation {
 public:
  Reservation() = default;
  Reservation(Reservation&& other) noexcept { *this = std::move(other); }
  Reservation& operator=(Reservation&& other) noexcept;
  ~Reservation() { release(); }

  uint64_t bytes() const { return bytes_; }
  void release();
  /// Moves the bytes to the account of held bytes.
  void hand_to_user();

 private:
  friend class Budget;
  Reservation(std::shared_ptr<Budget> budget, uint64_t bytes) : budget_(std::move(budget)), bytes_(bytes) {}

  std::shared_ptr<Budget> budget_;
  uint64_t bytes_ = 0;
  bool held_by_user_ = false;
};

/// Thread safe.
class Budget : public std::enable_shared_from_this<Budget> {
 public:
  /// `limit_bytes` 0: no limit, only accounting.
  static std::shared_ptr<Budget> create(uint64_t limit_bytes);

  /// resource_exhausted if working + bytes would exceed the limit.
  Result<Reservation> try_reserve(uint64_t bytes);

  /// For the oldest unfinished work: granted as long as `bytes` alone fits the limit, whatever others hold at
  /// the moment; otherwise resource_exhausted, naming the bytes needed and the limit.
  Result<Reservation> reserve_anyway(uint64_t bytes);

  uint64_t limit_bytes() const { return limit_bytes_; }
  uint64_t working_bytes() const;
  uint64_t held_bytes() const;
  uint64_t peak_working_bytes() const;

  /// `listener` is called after working bytes were released, on the thread that released them. It must not
  /// block. Returns an id for remove_listener.
  int add_listener(std::function<void()> listener);
  void remove_listener(int id);

 private:
  friend class Reservation;
  explicit Budget(uint64_t limit_bytes) : limit_bytes_(limit_bytes) {}
  void give_back(uint64_t bytes, bool held_by_user);
  void move_to_user(uint64_t bytes);
  void notify();

  const uint64_t limit_bytes_;
  mutable Mutex mutex_;
  uint64_t working_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t held_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t peak_working_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  int next_listener_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::vector<std::pair<int, std::shared_ptr<std::function<void()>>>> listeners_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay
