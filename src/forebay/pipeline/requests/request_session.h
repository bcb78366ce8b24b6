// A session that is fed by requests instead of batches, for serving. Each request is a sample of its own: it
// has a key, inputs for the feeds of the graph, a deadline and an answer.
//
// The key is the position of the request's random numbers in its epoch, so equal keys, epochs and inputs give
// the same bits, whatever else runs. A request that fails does not affect any other. Many sessions, of
// batches and of requests, may share a plan.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/pipeline/session/session.h"

namespace forebay::pipeline {

inline constexpr int64_t kNoDeadline = std::numeric_limits<int64_t>::max();

struct Request {
  int64_t key = 0;    // at least 0
  int64_t epoch = 0;  // whose random numbers it gets; at least 0
  /// By node of the graph: one tensor for each output of that feed. Must not change until the answer.
  std::map<int, std::vector<tensor::Tensor>> inputs;
  int64_t deadline_ns = kNoDeadline;  // on the session's clock
  /// When the request began to run, on the session's clock: written once, where it is 0 and not null.
  /// Requests may share it; then it says when the first of them began.
  std::shared_ptr<std::atomic<int64_t>> begun_ns = nullptr;
};

/// Receives a tensor for each output of the graph, or the error: the sample's own, deadline_exceeded, or
/// cancelled. Called exactly once for each accepted request, on any thread, also inside submit() and close(),
/// with no lock held. Must not throw.
using Answer = absl::AnyInvocable<void(Result<std::vector<tensor::Tensor>>)>;

/// Thread safe.
class RequestSession {
 public:
  /// `most_under_way`: requests without an answer. Of the options, those of batches and of errors mean
  /// nothing. unimplemented for graphs with readers, with operators or functions on whole batches, and with
  /// operators that change how many samples there are: the error names the operator.
  static Result<std::unique_ptr<RequestSession>> create(std::shared_ptr<const Plan> plan,
                                                        SessionOptions options, int most_under_way);
  /// close().
  ~RequestSession();

  /// Takes a request, and returns at once. Where it is not taken, `answer` is not called: resource_exhausted
  /// when `most_under_way` have no answer yet, invalid_argument for inputs that are not the feeds', and
  /// failed_precondition after close().
  ///
  /// A deadline is looked at before each operator, and for requests that do not run, whenever another is
  /// submitted or ends. Afterwards nothing is done for the request any more. A request that the memory limit
  /// refuses begins again later: functions of the user may see it more than once.
  Status submit(Request request, Answer answer);

  /// Answers every request that has no answer yet as cancelled.
  void close();
  /// As Session::await_end().
  Status await_end(const std::function<bool()>& interrupted = {});

  int under_way() const;
  /// Bytes in use under the memory limit, and what the user holds.
  const Budget& budget() const;

 private:
  class Core;
  explicit RequestSession(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  std::shared_ptr<Core> core_;
};

}  // namespace forebay::pipeline
