#include "forebay/operators/sample.h"

#include "forebay/base/sync/mutex.h"

namespace forebay::operators {

Status Sample::named(const Status& status) const {
  ErrorContext context;
  context.epoch = identity_.epoch;
  context.position = identity_.position;
  return with_context(status, context);
}

Status Sample::try_parallel_for(int64_t count, const std::function<Status(int64_t)>& function) {
  Mutex mutex;
  int64_t failed = count;
  Status error;
  services_.parallel_for(count, [&](int64_t item) {
    Status status = function(item);
    if (!status.ok()) {
      const MutexLock lock(mutex);
      if (item < failed) {
        failed = item;
        error = std::move(status);
      }
    }
  });
  return error;
}

}  // namespace forebay::operators
