// Takes a place among the requests under way, reads the request, asks the models, delivers the outputs.
#include "forebay/serving/grpc/begin_request.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/serving/grpc/request_reader.h"
#include "forebay/serving/grpc/timing_parameters.h"

namespace forebay::serving {
namespace {

/// A request that models have, and who waits for it: told once, by whichever end comes first. The last owner
/// that lets it go untold tells an error.
class BegunRequest {
 public:
  BegunRequest(std::shared_ptr<DoorState> door, absl::AnyInvocable<void(RequestOutcome)> done)
      : door_(std::move(door)), done_(std::move(done)) {}
  BegunRequest(const BegunRequest&) = delete;
  BegunRequest& operator=(const BegunRequest&) = delete;
  ~BegunRequest() {
    if (take_end()) {
      tell(internal_error("model '{}' let the request go without an answer", outcome_.model));
    }
  }

  /// The request of `message`, with a place among those under way.
  Result<InferRequest> read(const grpc::ByteBuffer& message, const CallTerms& terms) {
    FOREBAY_ASSIGN_OR_RETURN(outcome_.place, door_->take_place(door_));
    FOREBAY_ASSIGN_OR_RETURN(const WireRequest wire, read_wire_request(message));
    outcome_.id = wire.head->id();
    outcome_.model = wire.head->model_name();
    FOREBAY_ASSIGN_OR_RETURN(ReadRequest read, to_request(wire, door_->options().extensions));
    read.request.deadline_ns = std::min(read.request.deadline_ns, terms.deadline_ns);
    read.request.cancel = terms.cancel;
    requested_ = read.request.outputs;
    has_timing_ = read.has_timing;
    return std::move(read.request);
  }

  void deliver(Result<InferResponse> response) {
    if (take_end()) {
      tell(caught([&] { return set_response(std::move(response)); }));
    }
  }

  void fail(Status error) {
    if (take_end()) {
      tell(std::move(error));
    }
  }

 private:
  bool take_end() { return !has_ended_.exchange(true); }

  Status set_response(Result<InferResponse> response) {
    FOREBAY_RETURN_IF_ERROR(response.status());
    FOREBAY_ASSIGN_OR_RETURN(outcome_.outputs, deliver_outputs(*response, requested_,
                                                               door_->options().extensions, door_->models()));
    outcome_.response = *std::move(response);
    if (has_timing_) {
      add_timing(outcome_.response);
    }
    return ok_status();
  }

  void tell(Status status) {
    outcome_.status = std::move(status);
    done_(std::move(outcome_));
  }

  const std::shared_ptr<DoorState> door_;
  absl::AnyInvocable<void(RequestOutcome)> done_;
  std::vector<RequestedOutput> requested_;
  bool has_timing_ = false;
  RequestOutcome outcome_;
  std::atomic<bool> has_ended_ = false;
};

Status give_to_models(const std::shared_ptr<BegunRequest>& begun, DoorState& door,
                      const grpc::ByteBuffer& message, const CallTerms& terms) {
  FOREBAY_ASSIGN_OR_RETURN(InferRequest request, begun->read(message, terms));
  door.models().infer(std::move(request),
                      [begun](Result<InferResponse> response) { begun->deliver(std::move(response)); });
  return ok_status();
}

}  // namespace

void begin_request(const std::shared_ptr<DoorState>& door, const grpc::ByteBuffer& message,
                   const CallTerms& terms, absl::AnyInvocable<void(RequestOutcome)> done) {
  std::shared_ptr<BegunRequest> begun;
  Status status = caught([&]() -> Status {
    begun = std::make_shared<BegunRequest>(door, std::move(done));
    return give_to_models(begun, *door, message, terms);
  });
  if (status.ok()) {
    return;
  }
  if (begun != nullptr) {
    begun->fail(std::move(status));
    return;
  }
  RequestOutcome outcome;
  outcome.status = std::move(status);
  done(std::move(outcome));
}

}  // namespace forebay::serving
