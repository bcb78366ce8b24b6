// A unary call whose answer comes later, on any thread.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <memory>
#include <stop_token>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/grpc/door_state.h"

namespace forebay::serving {

/// Owned by gRPC until the call is done, and by whoever will answer it: an answer to a call that has ended
/// meanwhile is dropped. Thread safe.
class PendingCall final : public grpc::ServerUnaryReactor {
 public:
  /// `response` is where the answer's bytes go; null for calls that have none to set.
  static std::shared_ptr<PendingCall> begin(std::shared_ptr<DoorState> door, grpc::ByteBuffer* response);
  PendingCall(std::shared_ptr<DoorState> door, grpc::ByteBuffer* response);

  /// The same call for whoever is to answer it: with their last copy it ends with internal_error, unless it
  /// has ended before.
  static std::shared_ptr<PendingCall> until_answered(std::shared_ptr<PendingCall> call);

  /// Stops when the client is gone or its deadline has passed.
  std::stop_token cancel_token() const { return cancel_.get_token(); }

  /// `place` is kept until the message is sent. resource_exhausted, and the call has not ended, where too
  /// many bytes of answers lie at the door.
  Status answer(grpc::ByteBuffer message, std::shared_ptr<void> place);
  void finish(const Status& status);

 private:
  void OnCancel() override;
  void OnDone() override;
  bool take_end();

  const std::shared_ptr<DoorState> door_;
  grpc::ByteBuffer* const response_;
  std::stop_source cancel_;
  Mutex mutex_;
  std::shared_ptr<PendingCall> self_ FOREBAY_GUARDED_BY(mutex_);
  bool has_ended_ FOREBAY_GUARDED_BY(mutex_) = false;
  uint64_t call_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::shared_ptr<void> place_ FOREBAY_GUARDED_BY(mutex_);
  std::shared_ptr<void> share_ FOREBAY_GUARDED_BY(mutex_);  // of the door's unwritten answers
};

}  // namespace forebay::serving
