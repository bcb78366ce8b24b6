#include "forebay/storage/remote/retrying_store.h"

#include <utility>

namespace forebay::storage {
namespace {

class RetryingList final : public ListStream {
 public:
  RetryingList(std::unique_ptr<ListStream> inner, std::shared_ptr<RetryPolicy> policy)
      : inner_(std::move(inner)), policy_(std::move(policy)) {}

  void next(const CallContext& context, ListCallback done) override {
    call_with_retries<ListPage>(
        policy_, context,
        [inner = inner_](const CallContext& attempt, ListCallback next) {
          inner->next(attempt, std::move(next));
        },
        std::move(done));
  }

 private:
  const std::shared_ptr<ListStream> inner_;
  const std::shared_ptr<RetryPolicy> policy_;
};

}  // namespace

RetryingStore::RetryingStore(std::shared_ptr<ObjectStore> inner, RetryOptions options, Timer& timer)
    : ForwardingStore(inner),
      store_(std::move(inner)),
      policy_(std::make_shared<RetryPolicy>(options, timer)) {
}

void RetryingStore::stat(std::string key, const CallContext& context, StatCallback done) {
  call_with_retries<ObjectStat>(
      policy_, context,
      [store = store_, key = std::move(key)](const CallContext& attempt, StatCallback next) {
        store->stat(key, attempt, std::move(next));
      },
      std::move(done));
}

std::unique_ptr<ListStream> RetryingStore::open_list(ListRequest request) {
  return std::make_unique<RetryingList>(store_->open_list(std::move(request)), policy_);
}

void RetryingStore::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  call_with_retries<ReadBytes>(
      policy_, context,
      [store = store_, request = std::move(request)](const CallContext& attempt, ReadCallback next) {
        store->read(request, attempt, std::move(next));
      },
      std::move(done));
}

void RetryingStore::write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                          StatCallback done) {
  if (options.if_absent || !options.if_version.empty()) {
    store_->write(std::move(key), content, std::move(options), context, std::move(done));
    return;
  }
  call_with_retries<ObjectStat>(
      policy_, context,
      [store = store_, key = std::move(key), content](const CallContext& attempt, StatCallback next) {
        store->write(key, content, {}, attempt, std::move(next));
      },
      std::move(done));
}

void RetryingStore::remove(std::string key, const CallContext& context, StatusCallback done) {
  struct Removed {};
  call_with_retries<Removed>(
      policy_, context,
      [store = store_, key = std::move(key), is_again = false](
          const CallContext& attempt, absl::AnyInvocable<void(Result<Removed>)> next) mutable {
        store->remove(
            key, attempt,
            [may_be_gone = std::exchange(is_again, true), next = std::move(next)](Status status) mutable {
              const bool is_gone = may_be_gone && status.code() == StatusCode::kNotFound;
              next(status.ok() || is_gone ? Result<Removed>(Removed{}) : std::move(status));
            });
      },
      [done = std::move(done)](const Result<Removed>& removed) mutable { done(removed.status()); });
}

void RetryingStore::copy(MoveRequest request, const CallContext& context, StatCallback done) {
  if (request.if_absent) {
    store_->copy(std::move(request), context, std::move(done));
    return;
  }
  call_with_retries<ObjectStat>(
      policy_, context,
      [store = store_, request = std::move(request)](const CallContext& attempt, StatCallback next) {
        store->copy(request, attempt, std::move(next));
      },
      std::move(done));
}

}  // namespace forebay::storage
