// What an inference call and a stream have in common: from the bytes of a request to its delivered outputs.
#pragma once

#include <grpcpp/support/byte_buffer.h>

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/serving/grpc/door_state.h"
#include "forebay/serving/grpc/outputs.h"

namespace forebay::serving {

struct CallTerms {
  int64_t deadline_ns = kNoDeadlineNs;  // on steady_clock()
  std::stop_token cancel;
};

/// What became of a request. Its id and model are empty where its message could not be read.
struct RequestOutcome {
  std::string id;
  std::string model;
  Status status;
  InferResponse response;  // with these in place of its outputs:
  std::vector<DeliveredOutput> outputs;
  /// Its place among the requests under way: to be kept until the answer is sent.
  std::shared_ptr<void> place;
};

/// Reads `message` and gives the request to the models of `door`. `done` is called once, on any thread, also
/// within this call: whatever is thrown on the way is its error, as is an answer that models never give. It
/// must not throw.
void begin_request(const std::shared_ptr<DoorState>& door, const grpc::ByteBuffer& message,
                   const CallTerms& terms, absl::AnyInvocable<void(RequestOutcome)> done);

}  // namespace forebay::serving
