#include "forebay/storage/context.h"

#include "forebay/base/clock.h"

namespace forebay::storage {

bool is_wanted(const CallContext& context) {
  return !context.cancellation.stop_requested() &&
         (context.deadline_ns == kNoDeadline || steady_clock().now_ns() < context.deadline_ns);
}

Status not_wanted(const CallContext& context, std::string_view uri) {
  if (context.cancellation.stop_requested()) {
    return cancelled("{}: the call was cancelled", uri);
  }
  return make_status(StatusCode::kDeadlineExceeded, "{}: the call's deadline has passed", uri);
}

}  // namespace forebay::storage
