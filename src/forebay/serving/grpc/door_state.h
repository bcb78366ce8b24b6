// What the calls of a door share: who may come in, how much is under way, which streams are open.
#pragma once

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/grpc/grpc_door.h"
#include "forebay/serving/grpc/unwritten_answers.h"

namespace grpc {
class CallbackServerContext;
}  // namespace grpc

namespace forebay::serving {

/// Owned by the door and by every call and answer that is still to come. Thread safe.
class DoorState {
 public:
  DoorState(ModelServer& models, GrpcDoorOptions options)
      : models_(models),
        options_(std::move(options)),
        unwritten_(std::make_shared<UnwrittenAnswers>(options_.max_unread_bytes)) {}

  /// Not after the door has ended: answers that come later must not use it.
  ModelServer& models() const { return models_; }
  const GrpcDoorOptions& options() const { return options_; }

  /// unauthenticated without the token.
  Status check_token(const grpc::CallbackServerContext& context) const;
  /// unavailable once stop() was called.
  Status check_open() const;

  /// A place among the requests of options().max_requests, given back with its last owner. resource_exhausted
  /// where there is none, unavailable after begin_stop().
  Result<std::shared_ptr<void>> take_place(const std::shared_ptr<DoorState>& self);

  UnwrittenAnswers& unwritten() const { return *unwritten_; }
  /// Counts an answer as unwritten until the last copy of what is returned ends. Null where there is no room
  /// for it, of which no_room_for() is the error.
  std::shared_ptr<void> keep_answer(size_t bytes) const { return UnwrittenAnswers::add(unwritten_, bytes); }
  Status no_room_for(size_t bytes) const;

  struct BegunCall {
    uint64_t number = 0;
    bool is_stopping = false;  // begin_stop() came before: `drain` is not called
  };
  /// A call that stop() waits for has begun, and has ended. `drain` is called when the door stops, with no
  /// lock held; may be empty.
  BegunCall begin_call(std::function<void()> drain);
  void end_call(uint64_t call);

  /// Refuses what is new from now on, and drains the calls that are open.
  void begin_stop();
  /// Until no call is left, or the deadline has passed.
  void wait_until_idle(int64_t deadline_ns);

 private:
  void give_place_back();

  ModelServer& models_;
  const GrpcDoorOptions options_;
  const std::shared_ptr<UnwrittenAnswers> unwritten_;
  mutable Mutex mutex_;
  std::condition_variable idle_;
  std::map<uint64_t, std::function<void()>> calls_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t next_call_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t requests_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_stopping_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::serving
