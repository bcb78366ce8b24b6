// Logs the requests made of a resource.
#pragma once

#include "forebay/memory/adaptors/adaptor.h"
#include "forebay/memory/requests/request_log.h"

namespace forebay::memory {

/// Logs every request: an allocation after it succeeded, a free before it is forwarded, so the log never
/// shows a block allocated twice at once. Thread safe.
class LoggingResource final : public Adaptor {
 public:
  LoggingResource(std::shared_ptr<MemoryResource> upstream, std::shared_ptr<RequestLog> log)
      : Adaptor(std::move(upstream)), log_(std::move(log)) {}
  std::string_view name() const override { return "logging"; }

 private:
  Result<void*> take(size_t bytes, const Queue* queue) override {
    Result<void*> pointer = take_upstream(bytes, queue);
    log_->add(pointer.ok() ? RequestAction::kAllocate : RequestAction::kFailure,
              pointer.ok() ? *pointer : nullptr, bytes, queue == nullptr ? Queue{} : *queue);
    return pointer;
  }

  void give(void* pointer, size_t bytes, const LastUse& last_use) noexcept override {
    const Queue of_fence{.driver = last_use.fence.driver, .queue = last_use.fence.queue};
    log_->add(RequestAction::kFree, pointer, bytes, last_use.is_whole_queue ? last_use.queue : of_fence);
    give_upstream(pointer, bytes, last_use);
  }

  const std::shared_ptr<RequestLog> log_;
};

}  // namespace forebay::memory
