// Whoever ends a call first does: its answer, or its cancellation.
#include "forebay/serving/grpc/pending_call.h"

#include <utility>

#include "forebay/serving/grpc/grpc_status.h"

namespace forebay::serving {

PendingCall::PendingCall(std::shared_ptr<DoorState> door, grpc::ByteBuffer* response)
    : door_(std::move(door)), response_(response) {
}

std::shared_ptr<PendingCall> PendingCall::begin(std::shared_ptr<DoorState> door, grpc::ByteBuffer* response) {
  auto call = std::make_shared<PendingCall>(std::move(door), response);
  const uint64_t number = call->door_->begin_call({}).number;
  const MutexLock lock(call->mutex_);
  call->call_ = number;
  call->self_ = call;
  return call;
}

std::shared_ptr<PendingCall> PendingCall::until_answered(std::shared_ptr<PendingCall> call) {
  PendingCall* const same = call.get();
  return {same, [call = std::move(call)](PendingCall*) {
            call->finish(internal_error("the call was let go without an answer"));
          }};
}

bool PendingCall::take_end() {
  const MutexLock lock(mutex_);
  return !std::exchange(has_ended_, true);
}

Status PendingCall::answer(grpc::ByteBuffer message, std::shared_ptr<void> place) {
  std::shared_ptr<void> share = door_->keep_answer(message.Length());
  if (share == nullptr) {
    return door_->no_room_for(message.Length());
  }
  if (take_end()) {
    {
      const MutexLock lock(mutex_);
      place_ = std::move(place);
      share_ = std::move(share);
    }
    response_->Swap(&message);
    Finish(grpc::Status::OK);
  }
  return ok_status();
}

void PendingCall::finish(const Status& status) {
  if (take_end()) {
    Finish(to_grpc(status));
  }
}

void PendingCall::OnCancel() {
  cancel_.request_stop();
  finish(cancelled("the client has gone, or its deadline has passed"));
}

void PendingCall::OnDone() {
  std::shared_ptr<PendingCall> self;
  std::shared_ptr<void> place;
  std::shared_ptr<void> share;
  uint64_t call = 0;
  {
    const MutexLock lock(mutex_);
    self = std::move(self_);
    place = std::move(place_);
    share = std::move(share_);
    call = call_;
  }
  door_->end_call(call);
}

}  // namespace forebay::serving
