// Base class for decorators: a store that forwards every call to another store.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/storage/basic_store.h"

namespace forebay::storage {

/// stat_many(), read_many() and remove_many() go through this store's own stat(), read() and remove(), so a
/// decorator that changes those changes all calls. A decorator that wants to keep batches together overrides
/// them too.
class ForwardingStore : public ObjectStore {
 public:
  std::string uri_of(std::string_view key) const override { return inner_->uri_of(key); }
  std::string service() const override { return inner_->service(); }
  StoreFeatures features() const override { return inner_->features(); }
  std::string name_of(std::string_view key_part) const override { return inner_->name_of(key_part); }
  void stat(std::string key, const CallContext& context, StatCallback done) override {
    inner_->stat(std::move(key), context, std::move(done));
  }
  void stat_many(std::vector<std::string> keys, const CallContext& context, StatManyCallback each) override {
    stat_each(*this, std::move(keys), context, std::move(each));
  }
  std::unique_ptr<ListStream> open_list(ListRequest request) override {
    return inner_->open_list(std::move(request));
  }
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override {
    inner_->read(std::move(request), context, std::move(done));
  }
  void read_many(std::vector<ReadRequest> requests, const CallContext& context,
                 ReadManyCallback each) override {
    read_each(*this, std::move(requests), context, std::move(each));
  }
  void bring_many(std::vector<BringRequest> requests, const CallContext& context,
                  BringManyCallback each) override {
    inner_->bring_many(std::move(requests), context, std::move(each));
  }
  std::optional<std::string> local_file(std::string_view key) const override {
    return inner_->local_file(key);
  }
  Status check_write(std::string_view key, bool is_replacing) const override {
    return inner_->check_write(key, is_replacing);
  }
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override {
    inner_->write(std::move(key), content, std::move(options), context, std::move(done));
  }
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override {
    return inner_->open_writer(std::move(key), std::move(options));
  }
  void remove(std::string key, const CallContext& context, StatusCallback done) override {
    inner_->remove(std::move(key), context, std::move(done));
  }
  void remove_many(std::vector<std::string> keys, const CallContext& context,
                   RemoveManyCallback each) override {
    remove_each(*this, std::move(keys), context, std::move(each));
  }
  void rename(MoveRequest request, const CallContext& context, StatCallback done) override {
    inner_->rename(std::move(request), context, std::move(done));
  }
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override {
    inner_->copy(std::move(request), context, std::move(done));
  }
  void make_directory(std::string key, const CallContext& context, StatusCallback done) override {
    inner_->make_directory(std::move(key), context, std::move(done));
  }
  void settle(std::string key, const CallContext& context, StatusCallback done) override {
    inner_->settle(std::move(key), context, std::move(done));
  }
  void advise(std::shared_ptr<ReadPlan> plan) override { inner_->advise(std::move(plan)); }
  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override {
    return inner_->derived(key, version, kind);
  }

 protected:
  explicit ForwardingStore(std::shared_ptr<ObjectStore> inner) : inner_(std::move(inner)) {}

  ObjectStore& inner() const { return *inner_; }
  const std::shared_ptr<ObjectStore>& shared_inner() const { return inner_; }

 private:
  const std::shared_ptr<ObjectStore> inner_;
};

}  // namespace forebay::storage
