// A store that calls the test before and after each read is passed on, on the reader's thread: to look at
// what is under way then, or to change it.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

class HookedStore final : public ObjectStore {
 public:
  using Hook = std::function<void(const ReadRequest& request)>;

  explicit HookedStore(std::shared_ptr<ObjectStore> inner) : inner_(std::move(inner)) {}

  Hook before_read;
  Hook after_read;

  std::string uri_of(std::string_view key) const override { return inner_->uri_of(key); }
  void stat(std::string key, StatCallback done) override {
    stat_count_.fetch_add(1);
    inner_->stat(std::move(key), std::move(done));
  }
  void list(ListRequest request, ListCallback done) override {
    inner_->list(std::move(request), std::move(done));
  }
  void read(ReadRequest request, ReadCallback done) override {
    call(before_read, request);
    inner_->read(request, std::move(done));
    call(after_read, request);
  }
  std::optional<std::string> local_file(std::string_view key) const override {
    return inner_->local_file(key);
  }
  void write(std::string key, Bytes content, WriteOptions options, StatCallback done) override {
    inner_->write(std::move(key), content, std::move(options), std::move(done));
  }
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override {
    return inner_->open_writer(std::move(key), std::move(options));
  }
  void remove(std::string key, StatusCallback done) override {
    inner_->remove(std::move(key), std::move(done));
  }

  size_t stat_count() const { return stat_count_.load(); }

 private:
  static void call(const Hook& hook, const ReadRequest& request) {
    if (hook) {
      hook(request);
    }
  }

  const std::shared_ptr<ObjectStore> inner_;
  std::atomic<size_t> stat_count_{0};
};

}  // namespace forebay::storage
