// A multipart upload: parts go up side by side, in any order, and become one object at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/gathering_writer.h"
#include "forebay/storage/s3/s3_connection.h"

namespace forebay::storage {

/// Begins with the first part; ends with complete() or abort(). Thread safe. After abort() S3 keeps nothing
/// of it, as long as the process lives to say so; a lifecycle rule of the bucket cleans up after those that
/// did not.
class S3Upload final : public PartedUpload, public std::enable_shared_from_this<S3Upload> {
 public:
  S3Upload(std::shared_ptr<S3Connection> connection, std::string key)
      : connection_(std::move(connection)), key_(std::move(key)) {}

  /// Sends a part: its content, or the headers that name a range of another object. Parts are numbered in the
  /// order of the calls. `done` may come on another thread.
  void add(ServiceRequest part, const CallContext& context, StatusCallback done);
  void add(Bytes content, const CallContext& context, StatusCallback done) override {
    add(ServiceRequest{.body = content}, context, std::move(done));
  }

  /// Makes an object of `size_bytes` of all parts. Every part must be done.
  void complete(uint64_t size_bytes, const WriteOptions& options, const CallContext& context,
                StatCallback done) override;

  /// Ends it without an object, when the parts under way are done. Does nothing after complete() succeeded.
  void abort() override;

  /// How many parts were added.
  size_t parts() const override;

 private:
  struct Part {
    ServiceRequest request;
    size_t number = 0;
    CallContext context;
    StatusCallback done;
  };

  void create(const CallContext& context);
  void take_id(Result<std::string> id);
  void send(Part part, const std::string& id);
  void take_completion(const Result<net::HttpResponse>& answer, bool is_repeated, ObjectStat stat,
                       const WriteOptions& options, const CallContext& context, StatCallback done);
  void look_for_object(const Status& status, const CallContext& context, StatCallback done);
  void finish_completion(Result<ObjectStat> made, StatCallback done);
  void finish(size_t number, Result<std::string> etag, StatusCallback done);
  void send_abort(const std::string& id);

  const std::shared_ptr<S3Connection> connection_;
  const std::string key_;
  mutable Mutex mutex_;
  std::string id_ FOREBAY_GUARDED_BY(mutex_);                  // empty until S3 gave it
  Status failure_ FOREBAY_GUARDED_BY(mutex_);                  // the first
  std::vector<Part> waiting_ FOREBAY_GUARDED_BY(mutex_);       // for the id
  std::vector<std::string> etags_ FOREBAY_GUARDED_BY(mutex_);  // by part
  size_t under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;            // parts, and the request for the id
  bool aborts_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_complete_ FOREBAY_GUARDED_BY(mutex_) = false;
};

}  // namespace forebay::storage
