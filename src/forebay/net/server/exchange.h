// One request and its answer, between the connection's thread and whoever answers.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/metrics/metrics.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/net/server/answer_room.h"
#include "forebay/net/server/content_coding.h"
#include "forebay/net/server/server_response.h"

namespace forebay::net {

/// Told, on any thread, that an answer is there.
class AnswerSink {
 public:
  virtual ~AnswerSink() = default;
  virtual void answered() = 0;
};

/// What of a request its answer depends on.
struct ExchangeFacts {
  bool is_head_request = false;
  bool is_http_1_0 = false;
  ContentCoding accepted = ContentCoding::kIdentity;
  bool closes = false;  // the connection ends with this answer
};

/// An answer as it goes to the socket.
struct EncodedResponse {
  std::string head;  // without a Connection field and without the empty line at its end
  std::vector<BodyPiece> body;
};

/// The answers of all connections of a server.
struct ServerRoom {
  std::shared_ptr<AnswerRoom> answers;
  ServerResponse no_room;  // in place of an answer for which there is none
  Counter* refused = nullptr;
};

/// The answer with its head written out and its body compressed where that is wanted.
EncodedResponse encode_response(ServerResponse response, const ExchangeFacts& facts);

/// Thread safe. In a forked child it does nothing.
class Exchange {
 public:
  /// `room` may be null.
  Exchange(const ExchangeFacts& facts, std::shared_ptr<AnswerSink> sink,
           std::shared_ptr<const ServerRoom> room = nullptr);
  ~Exchange();

  /// Before whoever answers is told of the request.
  void begin(AnswerRoom::Place place) { place_ = std::move(place); }
  /// An answer for which there is no room is not kept: its place takes one that says so (503).
  void answer(ServerResponse response);
  bool is_gone() const { return is_gone_.load(std::memory_order_acquire); }
  void on_gone(absl::AnyInvocable<void()> callback);

  /// For the connection: whether the answer is there, and the answer, once.
  bool is_answered() const { return is_answered_.load(std::memory_order_acquire); }
  EncodedResponse take_answer();
  /// Bytes of the answer's body, from when it is there until the exchange ends.
  uint64_t lying_bytes() const { return lying_bytes_.load(std::memory_order_relaxed); }
  /// When the answer came (steady_clock()); of one that is_answered().
  int64_t answered_at_ns() const { return answered_at_ns_.load(std::memory_order_relaxed); }
  /// For the connection: the answer is sent, or nobody wants it.
  void forget_answer();
  /// For the connection: the client has gone.
  void leave();
  bool closes() const { return facts_.closes; }
  bool is_http_1_0() const { return facts_.is_http_1_0; }

 private:
  bool is_forked_copy() const;
  EncodedResponse encode(ServerResponse response);
  EncodedResponse encode_no_room();
  bool keep(uint64_t bytes);

  const ExchangeFacts facts_;
  const std::shared_ptr<AnswerSink> sink_;
  const std::shared_ptr<const ServerRoom> room_;
  const pid_t owner_;
  AnswerRoom::Place place_;
  std::atomic<uint64_t> lying_bytes_{0};
  std::atomic<int64_t> answered_at_ns_{0};
  std::atomic<bool> is_claimed_{false};  // by the first who answers
  std::atomic<bool> is_answered_{false};
  std::atomic<bool> is_gone_{false};
  Mutex mutex_;
  EncodedResponse answer_ FOREBAY_GUARDED_BY(mutex_);
  absl::AnyInvocable<void()> on_gone_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::net
