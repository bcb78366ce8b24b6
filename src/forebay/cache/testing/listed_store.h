// A store that counts the pages that are listed, and holds them back if told.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::cache::testing {

/// Thread safe.
class ListedStore final : public storage::ForwardingStore {
 public:
  explicit ListedStore(std::shared_ptr<storage::ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  /// Pages that were asked for.
  size_t pages() const {
    const MutexLock lock(state_->mutex);
    return state_->pages;
  }
  /// Pages wait from now on, until step() or release().
  void hold() {
    const MutexLock lock(state_->mutex);
    state_->holds = true;
  }
  /// Lets the page that has waited longest go on, on the calling thread. False if none waits.
  bool step() {
    std::function<void()> next;
    {
      const MutexLock lock(state_->mutex);
      if (state_->held.empty()) {
        return false;
      }
      next = std::move(state_->held.front());
      state_->held.pop_front();
    }
    next();
    return true;
  }
  void release() {
    {
      const MutexLock lock(state_->mutex);
      state_->holds = false;
    }
    while (step()) {
    }
  }

  std::unique_ptr<storage::ListStream> open_list(storage::ListRequest request) override {
    return std::make_unique<Stream>(state_, inner().open_list(std::move(request)));
  }

 private:
  struct State {
    mutable Mutex mutex;
    size_t pages FOREBAY_GUARDED_BY(mutex) = 0;
    bool holds FOREBAY_GUARDED_BY(mutex) = false;
    std::deque<std::function<void()>> held FOREBAY_GUARDED_BY(mutex);
  };

  class Stream final : public storage::ListStream {
   public:
    Stream(std::shared_ptr<State> state, std::unique_ptr<storage::ListStream> inner)
        : state_(std::move(state)), inner_(std::move(inner)) {}

    void next(const storage::CallContext& context, storage::ListCallback done) override {
      {
        const MutexLock lock(state_->mutex);
        ++state_->pages;
        if (state_->holds) {
          auto kept = std::make_shared<storage::ListCallback>(std::move(done));
          state_->held.emplace_back([this, context, kept] { go_on(context, std::move(*kept)); });
          return;
        }
      }
      go_on(context, std::move(done));
    }

   private:
    void go_on(const storage::CallContext& context, storage::ListCallback done) {
      if (is_wanted(context)) {
        inner_->next(context, std::move(done));
      } else {
        done(not_wanted(context, "the listing"));
      }
    }

    const std::shared_ptr<State> state_;
    const std::shared_ptr<storage::ListStream> inner_;
  };

  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace forebay::cache::testing
