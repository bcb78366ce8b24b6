// A bucket of S3, or of a server that speaks its protocol. Keys are the objects' keys, with any bytes but
// NUL.
//
// An object's version is its entity tag. (Where a bucket keeps old versions, their ids are not used: listings
// do not give them, and an object that was replaced counts as changed.) Conditional writes are the server's:
// atomic on AWS; a server that ignores If-Match and If-None-Match overwrites.
//
// remove() asks whether there is an object first, since S3 answers alike where there is none. rename() is
// unimplemented: S3 cannot.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "forebay/storage/basic_store.h"
#include "forebay/storage/local/derived_place.h"
#include "forebay/storage/remote/cost_model.h"
#include "forebay/storage/s3/s3_connection.h"

namespace forebay::storage {

class S3Store final : public BasicStore {
 public:
  static constexpr size_t kRemovedAtOnce = 1000;  // S3's limit

  /// `costs`: what reads are to teach; may be null.
  explicit S3Store(std::shared_ptr<S3Connection> connection, std::shared_ptr<CostModel> costs = nullptr)
      : connection_(std::move(connection)), costs_(std::move(costs)) {}

  std::string uri_of(std::string_view key) const override { return connection_->uri_of(key); }
  std::string service() const override { return connection_->service(); }
  StoreFeatures features() const override { return {.can_copy = true, .removed_at_once = kRemovedAtOnce}; }
  void stat(std::string key, const CallContext& context, StatCallback done) override;
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override;
  Status check_write(std::string_view key, bool is_replacing) const override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, const CallContext& context, StatusCallback done) override;
  /// By DeleteObjects, 1000 objects a request; one by one where the server does not know that.
  void remove_many(std::vector<std::string> keys, const CallContext& context,
                   RemoveManyCallback each) override;
  void copy(MoveRequest request, const CallContext& context, StatCallback done) override;
  /// In FOREBAY_CACHE_DIR, as for files.
  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override {
    return derived_place({}, service() + uri_of(key), version, kind);
  }

 private:
  const std::shared_ptr<S3Connection> connection_;
  const std::shared_ptr<CostModel> costs_;
};

}  // namespace forebay::storage
