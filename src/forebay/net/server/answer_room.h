// Room for the answers of a server: bytes that lie here, and those that requests under way will make.
//
// How long an answer will be is known from those of its kind before. So that clients that take theirs well
// need not be cut off when many fetch long answers at once, a request waits while its answer would not fit.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"

namespace forebay::net {

struct AnswerRoomLimits {
  uint64_t bytes = 0;  // of answers; beside others, none is kept that would make twice as many
  // How long a request waits: for room, and for the first answer of its kind while kFirstAtOnce are under
  // way.
  int64_t longest_wait_ns = 0;
  int64_t longest_first_wait_ns = 0;
};

/// Held by a shared_ptr. Thread safe.
class AnswerRoom : public std::enable_shared_from_this<AnswerRoom> {
 public:
  /// Answers up to this size always have room: errors, and what says how a server is.
  static constexpr uint64_t kSmallBytes = uint64_t{64} << 10;
  /// Requests of a kind of which no answer is known.
  static constexpr uint64_t kFirstAtOnce = 16;
  /// Kinds that are remembered; requests of others do not wait.
  static constexpr size_t kMaxKinds = 4096;

  /// That a request of some kind is under way, until its end. Thread compatible.
  class Place {
   public:
    Place() = default;
    Place(Place&& other) noexcept = default;
    Place& operator=(Place&& other) noexcept;
    ~Place() { leave(nullptr); }

    /// Ends it: there is an answer, and those of its kind are about as long.
    void answered(uint64_t bytes) { leave(&bytes); }
    /// In a forked child, where the room is not to be touched.
    void forget() { room_ = nullptr; }

   private:
    friend class AnswerRoom;
    Place(std::shared_ptr<AnswerRoom> room, std::string kind)
        : room_(std::move(room)), kind_(std::move(kind)) {}
    void leave(const uint64_t* answer_bytes);

    std::shared_ptr<AnswerRoom> room_;
    std::string kind_;
  };
  using Begin = absl::AnyInvocable<void(Place)>;

  explicit AnswerRoom(const AnswerRoomLimits& limits) : limits_(limits) {}
  AnswerRoom(const AnswerRoom&) = delete;
  AnswerRoom& operator=(const AnswerRoom&) = delete;

  /// A place where there is room for an answer of this kind. Otherwise the request waits in its turn: `begin`
  /// is called once, with no lock held, on whatever thread makes room. It must not throw.
  std::optional<Place> enter(const std::string& kind, int64_t now_ns, Begin begin);
  /// Lets those begin that have waited longest_wait_ns. Now and then.
  void look(int64_t now_ns);
  /// Drops who waits, from now on too.
  void close();

  /// Counts the bytes of an answer. False where, beside others, they would make twice the limit: it must not
  /// be kept then. An answer that is alone may have any size.
  bool add(uint64_t bytes);
  void remove(uint64_t bytes);

  uint64_t lying_bytes() const;
  bool is_over() const { return lying_bytes() > limits_.bytes; }
  size_t waiting() const;

 private:
  struct Waiting {
    std::string kind;
    int64_t since_ns = 0;
    Begin begin;
  };
  struct Kind {
    std::optional<uint64_t> bytes;  // of an answer: what was longest lately
    uint64_t under_way = 0;
    std::deque<Waiting> first;  // they wait until it is known
  };
  struct Due {
    Place place;
    Begin begin;
  };

  static void begin_all(std::vector<Due> due);
  bool has_room(const Kind& kind) const FOREBAY_REQUIRES(mutex_);
  Place take_place(const std::string& name, Kind& kind) FOREBAY_REQUIRES(mutex_);
  void take_due(std::deque<Waiting>& waiting, std::vector<Due>& due) FOREBAY_REQUIRES(mutex_);
  void take_all_due(std::vector<Due>& due) FOREBAY_REQUIRES(mutex_);
  void learn(Kind& kind, uint64_t answer_bytes) FOREBAY_REQUIRES(mutex_);
  void leave(const std::string& name, const uint64_t* answer_bytes);

  const AnswerRoomLimits limits_;
  mutable Mutex mutex_;
  uint64_t lying_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  uint64_t coming_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;  // of requests under way, as far as they are known
  std::unordered_map<std::string, Kind> kinds_ FOREBAY_GUARDED_BY(mutex_);
  std::deque<Waiting> waiting_ FOREBAY_GUARDED_BY(mutex_);  // of kinds that are known, in their order
  bool is_closed_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::net
