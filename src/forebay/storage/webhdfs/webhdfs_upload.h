// A file that is written under a temporary name and renamed when it is whole, since a file of HDFS can be
// seen while it grows.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/sequential_upload.h"
#include "forebay/storage/webhdfs/webhdfs_connection.h"

namespace forebay::storage {

/// The first part creates the file, the others are appended, one after the other. The first is sent again
/// where it fails as `unavailable`; an append that may have been half done is not. After abort() HDFS keeps
/// nothing of it, as long as the process lives to say so; what stays is called ".forebay-tmp-...".
class WebhdfsUpload final : public SequentialUpload {
 public:
  /// `temporary`: a key beside `key` that nothing has.
  WebhdfsUpload(std::shared_ptr<WebhdfsConnection> connection, std::string key,
                const Result<std::string>& temporary);

  void complete(uint64_t size_bytes, const WriteOptions& options, const CallContext& context,
                StatCallback done) override;

 protected:
  void send_part(Part part, StatusCallback done) override;
  void remove_parts() override;

 private:
  const std::shared_ptr<WebhdfsConnection> connection_;
  const std::string key_;
  const std::string temporary_;
};

/// Writes a file of any size. Errors of the key come with the first call.
class WebhdfsUploadTarget final : public UploadTarget {
 public:
  WebhdfsUploadTarget(std::shared_ptr<WebhdfsConnection> connection, std::string key)
      : connection_(std::move(connection)), key_(std::move(key)) {}

  std::string uri() const override { return connection_->uri_of(key_); }
  void put(Bytes content, const WriteOptions& options, const CallContext& context,
           StatCallback done) override;
  std::shared_ptr<PartedUpload> begin() override;

 private:
  const std::shared_ptr<WebhdfsConnection> connection_;
  const std::string key_;
};

}  // namespace forebay::storage
