// A store that calls the test before and after it forwards each read, on the reader's thread, so that the
// test can look at what is going on or change it. It counts stats and calls of many.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/storage/forwarding_store.h"

namespace forebay::storage {

class HookedStore final : public ForwardingStore {
 public:
  using Hook = std::function<void(const ReadRequest& request)>;

  explicit HookedStore(std::shared_ptr<ObjectStore> inner) : ForwardingStore(std::move(inner)) {}

  Hook before_read;
  Hook after_read;

  void stat(std::string key, const CallContext& context, StatCallback done) override {
    stat_count_.fetch_add(1);
    inner().stat(std::move(key), context, std::move(done));
  }
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override {
    call(before_read, request);
    inner().read(request, context, std::move(done));
    call(after_read, request);
  }

  void stat_many(std::vector<std::string> keys, const CallContext& context, StatManyCallback each) override {
    stat_many_count_.fetch_add(1);
    ForwardingStore::stat_many(std::move(keys), context, std::move(each));
  }
  void read_many(std::vector<ReadRequest> requests, const CallContext& context,
                 ReadManyCallback each) override {
    read_many_count_.fetch_add(1);
    ForwardingStore::read_many(std::move(requests), context, std::move(each));
  }

  size_t stat_count() const { return stat_count_.load(); }
  size_t stat_many_count() const { return stat_many_count_.load(); }
  size_t read_many_count() const { return read_many_count_.load(); }

 private:
  static void call(const Hook& hook, const ReadRequest& request) {
    if (hook) {
      hook(request);
    }
  }

  std::atomic<size_t> stat_count_{0};
  std::atomic<size_t> stat_many_count_{0};
  std::atomic<size_t> read_many_count_{0};
};

}  // namespace forebay::storage
