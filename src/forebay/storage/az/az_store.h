// A container of Azure's blobs. Keys are the blobs' names: UTF-8.
//
// A blob's version is its entity tag. Conditional writes are the service's, and atomic. rename() is
// unimplemented: a container cannot.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/storage/az/az_connection.h"
#include "forebay/storage/basic_store.h"
#include "forebay/storage/local/derived_place.h"
#include "forebay/storage/remote/cost_model.h"

namespace forebay::storage {

class AzStore final : public BasicStore {
 public:
  /// `costs`: what reads are to teach; may be null.
  explicit AzStore(std::shared_ptr<AzConnection> connection, std::shared_ptr<CostModel> costs = nullptr)
      : connection_(std::move(connection)), costs_(std::move(costs)) {}

  std::string uri_of(std::string_view key) const override { return connection_->uri_of(key); }
  std::string service() const override { return connection_->service(); }
  StoreFeatures features() const override { return {.can_copy = true}; }
  void stat(std::string key, const CallContext& context, StatCallback done) override;
  /// Azure cannot begin a listing in its middle: what is before `start_after` is fetched and left out.
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override;
  Status check_write(std::string_view key, bool is_replacing) const override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, const CallContext& context, StatusCallback done) override;
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override;
  /// In FOREBAY_CACHE_DIR, as for files.
  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override {
    return derived_place({}, service() + uri_of(key), version, kind);
  }

 private:
  const std::shared_ptr<AzConnection> connection_;
  const std::shared_ptr<CostModel> costs_;
};

}  // namespace forebay::storage
