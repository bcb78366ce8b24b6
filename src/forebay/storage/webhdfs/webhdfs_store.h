// The files of an HDFS, over its HTTP interface. Keys are paths, without the first slash: UTF-8.
//
// A file's version is its time of modification, its size and its inode. HDFS knows no conditional reads and
// writes: a read looks at the status before and behind the bytes, a write with `if_version` looks just before
// its rename, which is atomic. copy() is unimplemented: HDFS cannot.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "forebay/storage/basic_store.h"
#include "forebay/storage/local/derived_place.h"
#include "forebay/storage/remote/cost_model.h"
#include "forebay/storage/webhdfs/webhdfs_connection.h"

namespace forebay::storage {

class WebhdfsStore final : public BasicStore {
 public:
  /// `costs`: what reads are to teach; may be null.
  explicit WebhdfsStore(std::shared_ptr<WebhdfsConnection> connection,
                        std::shared_ptr<CostModel> costs = nullptr)
      : connection_(std::move(connection)), costs_(std::move(costs)) {}

  std::string uri_of(std::string_view key) const override { return connection_->uri_of(key); }
  StoreFeatures features() const override { return {.has_directories = true, .can_rename = true}; }
  void stat(std::string key, const CallContext& context, StatCallback done) override;
  /// Each folder's entries are read whole and sorted here: HDFS has an order of its own.
  std::unique_ptr<ListStream> open_list(ListRequest request) override;
  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
             StatCallback done) override;
  Status check_write(std::string_view key, bool is_replacing) const override;
  Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) override;
  void remove(std::string key, const CallContext& context, StatusCallback done) override;
  void rename(MoveRequest request, const CallContext& context, StatCallback done) override;
  void make_directory(std::string key, const CallContext& context, StatusCallback done) override;
  /// In FOREBAY_CACHE_DIR, as for files.
  Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                std::string_view kind) override {
    return derived_place({}, uri_of(key), version, kind);
  }

 private:
  const std::shared_ptr<WebhdfsConnection> connection_;
  const std::shared_ptr<CostModel> costs_;
};

}  // namespace forebay::storage
