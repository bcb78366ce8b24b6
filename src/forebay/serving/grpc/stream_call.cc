// The state of a stream, and the one step of gRPC's that follows from it.
#include "forebay/serving/grpc/stream_call.h"

#include <utility>

#include "forebay/base/caught.h"
#include "forebay/serving/grpc/grpc_status.h"
#include "forebay/serving/grpc/wire_writer.h"

namespace forebay::serving {
namespace {

grpc::ByteBuffer stream_message(RequestOutcome& outcome) {
  Result<grpc::ByteBuffer> message = caught([&]() -> Result<grpc::ByteBuffer> {
    FOREBAY_RETURN_IF_ERROR(outcome.status);
    // One answer a request, so each is the last.
    outcome.response.parameters["triton_final_response"] = true;
    return write_stream_response(outcome.response, outcome.outputs);
  });
  return message.ok() ? *std::move(message) : write_stream_error(message.status(), outcome.id, outcome.model);
}

class RefusedStream final : public StreamReactor {
 public:
  explicit RefusedStream(const Status& status) { Finish(to_grpc(status)); }

 private:
  void OnDone() override { delete this; }
};

}  // namespace

StreamReactor* refuse_stream(const Status& status) {
  return new RefusedStream(status);
}

StreamCall::StreamCall(std::shared_ptr<DoorState> door, int64_t deadline_ns)
    : door_(std::move(door)), deadline_ns_(deadline_ns) {
}

StreamCall* StreamCall::begin(std::shared_ptr<DoorState> door, int64_t deadline_ns) {
  const auto stream = std::make_shared<StreamCall>(std::move(door), deadline_ns);
  const std::weak_ptr<StreamCall> weak = stream;
  const DoorState::BegunCall call = stream->door_->begin_call([weak] {
    if (const std::shared_ptr<StreamCall> open = weak.lock()) {
      open->drain();
    }
  });
  {
    const MutexLock lock(stream->mutex_);
    stream->call_ = call.number;
    stream->self_ = stream;
    stream->is_draining_ = stream->is_draining_ || call.is_stopping;
  }
  stream->act();
  return stream.get();
}

std::shared_ptr<StreamCall> StreamCall::self() {
  const MutexLock lock(mutex_);
  return self_;
}

void StreamCall::OnReadDone(bool ok) {
  if (ok) {
    begin_read_request();
  }
  {
    const MutexLock lock(mutex_);
    is_reading_ = false;
    has_all_requests_ = has_all_requests_ || !ok;
  }
  act();
}

void StreamCall::begin_read_request() {
  grpc::ByteBuffer message;
  message.Swap(&message_);
  {
    const MutexLock lock(mutex_);
    ++under_way_;
  }
  begin_request(door_, message, CallTerms{deadline_ns_, cancel_.get_token()},
                [stream = self()](RequestOutcome outcome) { stream->answer(std::move(outcome)); });
}

void StreamCall::answer(RequestOutcome outcome) {
  const Status status = caught([&]() -> Status {
    add(unwritten_of(std::move(outcome)));
    return ok_status();
  });
  if (!status.ok()) {
    fail(status);
  }
  act();
}

StreamCall::Unwritten StreamCall::unwritten_of(RequestOutcome outcome) {
  Unwritten unwritten;
  unwritten.message = stream_message(outcome);
  unwritten.place = std::move(outcome.place);
  unwritten.bytes = unwritten.message.Length();
  unwritten.share = door_->keep_answer(unwritten.bytes);
  if (unwritten.share == nullptr) {
    unwritten.message = write_stream_error(door_->no_room_for(unwritten.bytes), outcome.id, outcome.model);
    unwritten.bytes = unwritten.message.Length();
    unwritten.share = door_->keep_answer(unwritten.bytes);
  }
  return unwritten;
}

void StreamCall::add(Unwritten unwritten) {
  const MutexLock lock(mutex_);
  if (is_finished_ || is_broken_) {
    --under_way_;
  } else {
    unwritten_bytes_ += unwritten.bytes;
    unwritten_.push_back(std::move(unwritten));
  }
}

void StreamCall::fail(const Status& error) {
  cancel_.request_stop();
  const MutexLock lock(mutex_);
  --under_way_;
  is_broken_ = true;
  error_ = error;
}

void StreamCall::OnWriteDone(bool ok) {
  {
    Unwritten written;  // ends outside the lock
    const MutexLock lock(mutex_);
    is_writing_ = false;
    written = std::move(unwritten_.front());
    unwritten_.pop_front();
    unwritten_bytes_ -= written.bytes;
    --under_way_;
    is_broken_ = is_broken_ || !ok;
  }
  act();
}

void StreamCall::OnCancel() {
  cancel_.request_stop();
  {
    const MutexLock lock(mutex_);
    is_broken_ = true;
  }
  act();
}

void StreamCall::drain() {
  {
    const MutexLock lock(mutex_);
    is_draining_ = true;
  }
  act();
}

StreamCall::Step StreamCall::next_step() {
  if (is_finished_) {
    return Step::kNone;
  }
  const bool has_no_more = has_all_requests_ || is_draining_;
  if (!is_writing_ && (is_broken_ || (has_no_more && under_way_ == 0))) {
    is_finished_ = true;
    return Step::kFinish;
  }
  if (!is_writing_ && !unwritten_.empty()) {
    is_writing_ = true;
    return Step::kWrite;
  }
  if (!is_reading_ && !has_no_more && !is_broken_ && may_read()) {
    is_reading_ = true;
    return Step::kRead;
  }
  return Step::kNone;
}

// A stream without anything under way always may: so a client that waits for this one's answer before it
// takes those of others waits for nobody.
bool StreamCall::may_read() {
  const GrpcDoorOptions& options = door_->options();
  return under_way_ < options.max_requests_per_stream &&
         unwritten_bytes_ <= options.max_unread_bytes_per_stream && (under_way_ == 0 || has_room_at_door());
}

bool StreamCall::has_room_at_door() {
  if (waits_for_door_) {
    return false;
  }
  const Result<bool> waits =
      caught([door = door_.get(), key = this, weak = std::weak_ptr<StreamCall>(self_)] {
        return Result<bool>(door->unwritten().wait_if_over(key, [weak] {
          if (const std::shared_ptr<StreamCall> stream = weak.lock()) {
            stream->go_on();
          }
        }));
      });
  waits_for_door_ = waits.value_or(false);  // without memory to be woken it does not wait
  return !waits_for_door_;
}

void StreamCall::go_on() {
  {
    const MutexLock lock(mutex_);
    waits_for_door_ = false;
  }
  act();
}

void StreamCall::take(Step step) {
  const grpc::ByteBuffer* first = nullptr;
  {
    const MutexLock lock(mutex_);
    first = unwritten_.empty() ? nullptr : &unwritten_.front().message;
  }
  switch (step) {
    case Step::kRead:
      StartRead(&message_);
      return;
    case Step::kWrite:
      StartWrite(first);
      return;
    case Step::kFinish:
      Finish(to_grpc(end_status()));
      return;
    case Step::kNone:
      return;
  }
}

Status StreamCall::end_status() {
  const MutexLock lock(mutex_);
  if (!error_.ok()) {
    return error_;
  }
  return has_all_requests_ ? ok_status() : unavailable("the server is stopping");
}

void StreamCall::OnDone() {
  std::shared_ptr<StreamCall> self;
  std::deque<Unwritten> unwritten;  // nobody wants it: it does not lie until the last request is answered
  uint64_t call = 0;
  {
    const MutexLock lock(mutex_);
    self = std::move(self_);
    unwritten.swap(unwritten_);
    call = call_;
  }
  door_->unwritten().stop_waiting(this);
  unwritten.clear();
  door_->end_call(call);
}

void StreamCall::act() {
  UniqueMutexLock lock(mutex_);
  if (is_acting_) {
    return;
  }
  is_acting_ = true;
  for (Step step = next_step(); step != Step::kNone; step = next_step()) {
    lock.unlock();
    take(step);
    lock.lock();
  }
  is_acting_ = false;
}

}  // namespace forebay::serving
