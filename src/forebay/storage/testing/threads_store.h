// A store that answers reads on two threads of its own, out of order, like a store across a network.
#pragma once

#include <array>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "forebay/storage/forwarding_store.h"

namespace forebay::storage {

class ThreadsStore final : public ForwardingStore {
 public:
  explicit ThreadsStore(std::shared_ptr<ObjectStore> inner) : ForwardingStore(std::move(inner)) {
    for (std::thread& thread : threads_) {
      thread = std::thread([state = state_] { state->run(); });
    }
  }
  ~ThreadsStore() override {
    state_->stop();
    for (std::thread& thread : threads_) {
      if (thread.get_id() == std::this_thread::get_id()) {
        thread.detach();
      } else {
        thread.join();
      }
    }
  }

  void read(ReadRequest request, const CallContext& context, ReadCallback done) override {
    inner().read(std::move(request), context,
                 [state = state_, done = std::move(done)](Result<ReadBytes> result) mutable {
                   state->put([done = std::move(done), result = std::move(result)]() mutable {
                     done(std::move(result));
                   });
                 });
  }

 private:
  using Answer = absl::AnyInvocable<void()>;

  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::deque<Answer> answers;
    bool is_stopping = false;

    void put(Answer answer) {
      std::lock_guard lock(mutex);
      answers.push_back(std::move(answer));
      changed.notify_one();
    }
    void stop() {
      std::lock_guard lock(mutex);
      is_stopping = true;
      changed.notify_all();
    }
    void run() {
      std::unique_lock lock(mutex);
      while (!is_stopping || !answers.empty()) {
        changed.wait(lock, [this] { return is_stopping || !answers.empty(); });
        if (!answers.empty()) {
          Answer answer = std::move(answers.back());
          answers.pop_back();
          lock.unlock();
          answer();
          answer = {};
          lock.lock();
        }
      }
    }
  };

  const std::shared_ptr<State> state_ = std::make_shared<State>();
  std::array<std::thread, 2> threads_;
};

}  // namespace forebay::storage
