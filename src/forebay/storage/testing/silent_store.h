// A store that answers a stat once it is cancelled.
#pragma once

#include <memory>
#include <stop_token>
#include <string>
#include <utility>

#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/memory/memory_store.h"

namespace forebay::storage {

/// One stat at a time.
class SilentStore final : public ForwardingStore {
 public:
  SilentStore() : ForwardingStore(std::make_shared<MemoryStore>()) {}

  void stat(std::string, const CallContext& context, StatCallback done) override {
    on_stop_ = std::make_unique<OnStop>(context.cancellation, Answer{std::move(done)});
  }

 private:
  struct Answer {
    StatCallback done;
    void operator()() { done(cancelled("asked no more")); }
  };
  using OnStop = std::stop_callback<Answer>;

  std::unique_ptr<OnStop> on_stop_;
};

}  // namespace forebay::storage
