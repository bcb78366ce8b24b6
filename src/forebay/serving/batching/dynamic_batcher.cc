// The face of the batcher: it keeps the timer for as long as the core may use it.
#include "forebay/serving/batching/dynamic_batcher.h"

#include <unistd.h>

#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/serving/batching/batcher_core.h"

namespace forebay::serving {

DynamicBatcher::DynamicBatcher(std::shared_ptr<Model> model, BatchingOptions options,
                               std::shared_ptr<Timer> timer)
    : owner_(::getpid()),
      model_(std::move(model)),
      timer_(timer != nullptr ? std::move(timer) : std::make_shared<ThreadTimer>()),
      core_(std::make_shared<BatcherCore>(*model_, std::move(options), *timer_)) {
}

DynamicBatcher::~DynamicBatcher() {
  if (::getpid() != owner_) {
    return;  // a thread of the parent may hold a lock
  }
  core_->close(steady_clock().now_ns());
  if (!core_->wait_until_left()) {
    log_warning("model '{}' stays in memory: a thread has not come back from it", metadata().name);
    new std::shared_ptr<Model>(model_);
    new std::shared_ptr<Timer>(timer_);
  }
}

void DynamicBatcher::infer(InferRequest request, InferAnswer answer) {
  const std::shared_ptr<BatcherCore> core = core_;  // until this thread has left it
  core->infer(std::move(request), std::move(answer));
}

void DynamicBatcher::close(int64_t deadline_ns) {
  core_->close(deadline_ns);
}

std::optional<uint64_t> DynamicBatcher::execution_count() const {
  return core_->execution_count();
}

}  // namespace forebay::serving
