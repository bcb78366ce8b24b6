// What a process wants to be in the cache, at the daemon.
#include <utility>
#include <vector>

#include "forebay/cache/hosted/host_session.h"

namespace forebay::cache {
namespace {

using storage::BringOutcome;

/// Short enough that the errors of all ranges are one message.
Status shortened(const Status& status) {
  return status.ok() ? ok_status()
                     : make_status(status.code(), "{}", message(status).substr(0, kMaxBringErrorBytes));
}

std::vector<storage::BringRequest> ranges_below(const std::string& prefix, HostBringRequest asked) {
  std::vector<storage::BringRequest> requests;
  requests.reserve(asked.ranges.size());
  for (HostBringRange& range : asked.ranges) {
    requests.push_back({.key = prefix + range.name,
                        .version = std::move(range.version),
                        .object_bytes = range.object_bytes,
                        .offset_bytes = range.offset_bytes,
                        .length_bytes = range.length_bytes,
                        .is_verified = asked.is_verified});
  }
  return requests;
}

/// Answered as a whole with the last range.
struct Answer {
  HostBrought brought;
  size_t left = 0;
};

}  // namespace

Status HostSession::take_bring(uint64_t number, Bytes message) {
  FOREBAY_ASSIGN_OR_RETURN(HostBringRequest request, decode<HostBringRequest>(message));
  const size_t count = request.ranges.size();
  if (count == 0 || count > kMaxBroughtTogether) {
    return invalid_argument("a request for {} ranges at once", count);
  }
  std::optional<Call> call =
      take_on(number, request.store, request.uri, request.time_left_ns, priority_of(request.priority));
  if (!call) {
    return ok_status();
  }
  const auto each = [self = shared_from_this(), number,
                     answer = Answer{HostBrought{std::vector<HostBroughtRange>(count)}, count}](
                        size_t i, Result<BringOutcome> outcome) mutable {
    HostBroughtRange& range = answer.brought.ranges[i];
    range.status = shortened(outcome.status());
    range.was_there = outcome.ok() && *outcome == BringOutcome::kWasThere;
    if (--answer.left == 0) {
      self->answer(number, encode_answer(number, answer.brought));
    }
  };
  call->address.front->bring_many(ranges_below(call->address.key, std::move(request)), call->context, each);
  return ok_status();
}

}  // namespace forebay::cache
