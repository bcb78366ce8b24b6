// Takes a place among the requests under way, reads the request, asks the models, delivers the outputs.
#include "forebay/serving/grpc/begin_request.h"

#include <algorithm>
#include <utility>

#include "forebay/serving/grpc/request_reader.h"

namespace forebay::serving {
namespace {

/// A request that models have, and who waits for it.
struct BegunRequest {
  std::shared_ptr<DoorState> door;
  std::vector<RequestedOutput> requested;
  RequestOutcome outcome;
  absl::AnyInvocable<void(RequestOutcome)> done;

  void end(Status status) {
    outcome.status = std::move(status);
    done(std::move(outcome));
  }

  void deliver(Result<InferResponse> response) {
    if (!response.ok()) {
      end(response.status());
      return;
    }
    Result<std::vector<DeliveredOutput>> outputs =
        deliver_outputs(*response, requested, door->options().extensions, door->models());
    if (outputs.ok()) {
      outcome.response = *std::move(response);
      outcome.outputs = *std::move(outputs);
    }
    end(outputs.status());
  }
};

Result<InferRequest> read_request(const grpc::ByteBuffer& message, const CallTerms& terms,
                                  BegunRequest& begun) {
  FOREBAY_ASSIGN_OR_RETURN(const WireRequest wire, read_wire_request(message));
  begun.outcome.id = wire.head->id();
  begun.outcome.model = wire.head->model_name();
  FOREBAY_ASSIGN_OR_RETURN(InferRequest request, to_request(wire, begun.door->options().extensions));
  request.deadline_ns = std::min(request.deadline_ns, terms.deadline_ns);
  request.cancel = terms.cancel;
  return request;
}

}  // namespace

void begin_request(const std::shared_ptr<DoorState>& door, const grpc::ByteBuffer& message,
                   const CallTerms& terms, absl::AnyInvocable<void(RequestOutcome)> done) {
  BegunRequest begun{door, {}, {}, std::move(done)};
  Result<std::shared_ptr<void>> place = door->take_place(door);
  if (!place.ok()) {
    begun.end(place.status());
    return;
  }
  begun.outcome.place = *std::move(place);
  Result<InferRequest> request = read_request(message, terms, begun);
  if (!request.ok()) {
    begun.end(request.status());
    return;
  }
  begun.requested = request->outputs;
  door->models().infer(*std::move(request),
                       [begun = std::move(begun)](Result<InferResponse> response) mutable {
                         begun.deliver(std::move(response));
                       });
}

}  // namespace forebay::serving
