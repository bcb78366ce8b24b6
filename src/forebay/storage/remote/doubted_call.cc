#include "forebay/storage/remote/doubted_call.h"

#include <utility>

#include "absl/strings/cord.h"

namespace forebay::storage {
namespace {

constexpr char kDoubtType[] = "forebay/in-doubt";

/// How a call ended, for which another attempt is no use: `made` is its answer.
struct Ending {
  Result<ObjectStat> made;
};
using EndingCallback = absl::AnyInvocable<void(Result<Ending>)>;

/// One change and its attempts.
class DoubtedCall : public std::enable_shared_from_this<DoubtedCall> {
 public:
  explicit DoubtedCall(DoubtedChange change) : change_(std::move(change)) {}

  void attempt(const CallContext& context, EndingCallback next) {
    if (!is_in_doubt_) {
      make(context, std::move(next));
      return;
    }
    change_.look(context, [self = shared_from_this(), context,
                           next = std::move(next)](Result<std::optional<ObjectStat>> found) mutable {
      if (!found.ok()) {
        next(Ending{found.status()});
      } else if (*found) {
        next(Ending{**std::move(found)});
      } else {
        self->make(context, std::move(next));
      }
    });
  }

  /// `failure`: of the last attempt.
  void give_up(const Status& failure, const CallContext& context, StatCallback done) {
    if (is_in_doubt_) {
      look_after(failure, context, std::move(done));
    } else {
      done(failure);
    }
  }

 private:
  void make(const CallContext& context, EndingCallback next) {
    change_.make(context, [self = shared_from_this(), context,
                           next = std::move(next)](Result<ObjectStat> made) mutable {
      const bool was_in_doubt = self->is_in_doubt_;
      self->is_in_doubt_ = was_in_doubt || leaves_doubt(made.status());
      if (made.status().code() == StatusCode::kUnavailable) {
        next(made.status());
      } else if (made.ok() || !was_in_doubt) {
        next(Ending{std::move(made)});
      } else {
        self->look_after(made.status(), context, [next = std::move(next)](Result<ObjectStat> found) mutable {
          next(Ending{std::move(found)});
        });
      }
    });
  }

  /// The failure may come of what an earlier attempt made.
  void look_after(const Status& failure, const CallContext& context, StatCallback done) {
    change_.look(context, [failure, done = std::move(done)](Result<std::optional<ObjectStat>> found) mutable {
      if (!found.ok()) {
        done(found.status());
      } else if (*found) {
        done(**std::move(found));
      } else {
        done(failure);
      }
    });
  }

  const DoubtedChange change_;
  bool is_in_doubt_ = false;
};

}  // namespace

Status in_doubt(Status status) {
  status.SetPayload(kDoubtType, absl::Cord("1"));
  return status;
}

bool leaves_doubt(const Status& status) {
  return status.GetPayload(kDoubtType).has_value();
}

Result<std::optional<ObjectStat>> not_made_if_absent(const Status& looked) {
  if (looked.code() == StatusCode::kNotFound) {
    return std::nullopt;
  }
  return looked;
}

void make_with_questions(const std::shared_ptr<RetryPolicy>& policy, const CallContext& context,
                         DoubtedChange change, StatCallback done) {
  const auto call = std::make_shared<DoubtedCall>(std::move(change));
  call_with_retries<Ending>(
      policy, context,
      [call](const CallContext& attempt, EndingCallback next) { call->attempt(attempt, std::move(next)); },
      [call, context, done = std::move(done)](Result<Ending> ending) mutable {
        if (ending.ok()) {
          done(std::move(ending->made));
        } else {
          call->give_up(ending.status(), context, std::move(done));
        }
      });
}

}  // namespace forebay::storage
