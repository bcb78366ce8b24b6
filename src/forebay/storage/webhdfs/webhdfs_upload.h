// A file that is written under a temporary name and renamed when it is whole, since a file of HDFS can be
// seen while it grows.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/gathering_writer.h"
#include "forebay/storage/webhdfs/webhdfs_connection.h"

namespace forebay::storage {

/// The first part creates the file, the others are appended, one after the other. The first is sent again
/// where it fails as `unavailable`; an append that may have been half done is not. After abort() HDFS keeps
/// nothing of it, as long as the process lives to say so; what stays is called ".forebay-tmp-...".
class WebhdfsUpload final : public PartedUpload, public std::enable_shared_from_this<WebhdfsUpload> {
 public:
  /// `temporary`: a key beside `key` that nothing has.
  WebhdfsUpload(std::shared_ptr<WebhdfsConnection> connection, std::string key,
                Result<std::string> temporary);

  size_t parts() const override;
  void add(Bytes content, const CallContext& context, StatusCallback done) override;
  void complete(uint64_t size_bytes, const WriteOptions& options, const CallContext& context,
                StatCallback done) override;
  void abort() override;

 private:
  struct Part {
    Bytes content;
    CallContext context;
    StatusCallback done;
  };

  void send_next();
  void send(Part part, bool is_first);
  void finish_part(const Status& status, StatusCallback done);
  void remove_temporary();

  const std::shared_ptr<WebhdfsConnection> connection_;
  const std::string key_;
  const std::string temporary_;
  mutable Mutex mutex_;
  std::deque<Part> waiting_ FOREBAY_GUARDED_BY(mutex_);
  Status failure_ FOREBAY_GUARDED_BY(mutex_);  // the first
  size_t parts_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t sent_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;  // parts that are not done
  bool is_sending_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool aborts_ FOREBAY_GUARDED_BY(mutex_) = false;
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
