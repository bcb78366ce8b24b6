// A change that must not be made twice: once an answer was lost, the store is asked whether the change took
// effect before it is asked for again.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "absl/functional/any_invocable.h"
#include "forebay/storage/context.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/retried_call.h"

namespace forebay::storage {

/// `status`, marked: the store may have done what it was asked for. An answer that says that it did not (it
/// is busy, another request was in the way) leaves no doubt.
Status in_doubt(Status status);
bool leaves_doubt(const Status& status);

/// What a change needs; both may be called several times, one call at a time.
struct DoubtedChange {
  using Effect = absl::AnyInvocable<void(Result<std::optional<ObjectStat>>)>;

  /// Makes the change, by one request. Answers with what it made.
  std::function<void(const CallContext& context, StatCallback done)> make;
  /// Looks for what an attempt that left doubt made; nothing if the object is as it was, or another's. May
  /// try again by itself.
  std::function<void(const CallContext& context, Effect done)> look;
};

/// What a look makes of an object that could not be looked at: if it is absent, the change was not made.
Result<std::optional<ObjectStat>> not_made_if_absent(const Status& looked);

/// Makes the change, again while it fails as `unavailable`. Once an attempt has left doubt, what it made is
/// looked for before the next one, after a failure that the change itself may have caused (the object exists,
/// the version is another), and when there is no further attempt. A look that fails ends the call with its
/// error.
void make_with_questions(const std::shared_ptr<RetryPolicy>& policy, const CallContext& context,
                         DoubtedChange change, StatCallback done);

}  // namespace forebay::storage
