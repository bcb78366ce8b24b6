// A ModelStreamInfer: requests come in, answers go out as they are ready.
#pragma once

#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/server_callback.h>

#include <deque>
#include <memory>
#include <stop_token>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/grpc/begin_request.h"

namespace forebay::serving {

using StreamReactor = grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>;

/// A stream that ends with this error. gRPC owns it.
StreamReactor* refuse_stream(const Status& status);

/// Owned by gRPC until the stream is done, and by the answers that are to come. Reads no further while as
/// many requests as the door allows have not been answered and their answers written, or as many bytes of
/// answers lie: gRPC counts an answer as written once little of it is left for the client to take. So a
/// client that does not read is held back by gRPC's flow control. While the answers of all calls are too many
/// bytes it reads a request only if it has none under way. Thread safe.
class StreamCall final : public StreamReactor {
 public:
  /// A stream that reads. gRPC owns it.
  static StreamCall* begin(std::shared_ptr<DoorState> door, int64_t deadline_ns);
  StreamCall(std::shared_ptr<DoorState> door, int64_t deadline_ns);

 private:
  struct Unwritten {
    grpc::ByteBuffer message;
    std::shared_ptr<void> place;  // of its request
    std::shared_ptr<void> share;  // of the door's unwritten answers
    size_t bytes = 0;
  };
  /// What to ask of gRPC next.
  enum class Step { kNone, kRead, kWrite, kFinish };

  void OnReadDone(bool ok) override;
  void OnWriteDone(bool ok) override;
  void OnCancel() override;
  void OnDone() override;

  /// Gives the request that was read to its model. Until that has it the next one is not read: requests reach
  /// their models in the stream's order, and a model that answers at once is never ahead of the limits.
  void begin_read_request();
  /// Ends the stream once what is under way is answered.
  void drain();
  void answer(RequestOutcome outcome);
  Unwritten unwritten_of(RequestOutcome outcome);
  void add(Unwritten unwritten);
  /// Ends the stream, of which one answer is lost.
  void fail(const Status& error);
  /// Asks gRPC for everything that is due, one step at a time and on one thread at a time: nothing is asked
  /// of a stream after its end.
  void act();
  Step next_step() FOREBAY_REQUIRES(mutex_);
  bool may_read() FOREBAY_REQUIRES(mutex_);
  /// Whether the answers of all calls leave room; if not, act() is called once they do.
  bool has_room_at_door() FOREBAY_REQUIRES(mutex_);
  void go_on();
  void take(Step step);
  Status end_status();
  std::shared_ptr<StreamCall> self();

  const std::shared_ptr<DoorState> door_;
  const int64_t deadline_ns_;
  std::stop_source cancel_;
  grpc::ByteBuffer message_;  // what is being read

  Mutex mutex_;
  std::shared_ptr<StreamCall> self_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t call_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t unwritten_bytes_ FOREBAY_GUARDED_BY(mutex_) = 0;
  std::deque<Unwritten> unwritten_ FOREBAY_GUARDED_BY(mutex_);  // the first is being written
  size_t under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;             // requests whose answer is not written
  bool is_acting_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_reading_ FOREBAY_GUARDED_BY(mutex_) = false;  // until the request's model has it
  bool is_writing_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool waits_for_door_ FOREBAY_GUARDED_BY(mutex_) = false;  // will be woken
  bool has_all_requests_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_draining_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_broken_ FOREBAY_GUARDED_BY(mutex_) = false;  // cancelled, or the connection is lost
  bool is_finished_ FOREBAY_GUARDED_BY(mutex_) = false;
  Status error_ FOREBAY_GUARDED_BY(mutex_);  // why it is broken, where that is not the client's doing
};

}  // namespace forebay::serving
