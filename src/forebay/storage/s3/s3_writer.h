// Writes an object of any size: a small one by PUT, a large one by a multipart upload.
#pragma once

#include <memory>
#include <string>

#include "forebay/memory/buffer.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/s3/s3_upload.h"

namespace forebay::storage {

/// Content that is too small for a part of its own is copied and gathered; what is appended in parts of
/// limits().best_bytes or more goes up from where it is. Parts of an upload grow with their number, so that
/// the largest objects need no more than S3 allows.
class S3Writer final : public ObjectWriter {
 public:
  S3Writer(std::shared_ptr<S3Connection> connection, std::string key, WriteOptions options)
      : connection_(std::move(connection)), key_(std::move(key)), options_(std::move(options)) {}
  ~S3Writer() override;

  PartLimits limits() const override;
  void append(Bytes part, const CallContext& context, StatusCallback done) override;
  void commit(const CallContext& context, StatCallback done) override;

 private:
  struct Gathered {
    Bytes bytes;
    memory::BufferRef owner;
  };

  uint64_t least_part_bytes() const;
  Status gather(Bytes& part);
  bool is_full() const;
  Gathered take_gathered();
  void send(Bytes content, memory::BufferRef owner, const CallContext& context, StatusCallback done);

  const std::shared_ptr<S3Connection> connection_;
  const std::string key_;
  const WriteOptions options_;
  std::shared_ptr<S3Upload> upload_;  // null: nothing was sent yet
  memory::BufferRef gathered_;        // what is too small to be sent; null: nothing is
  uint64_t gathered_bytes_ = 0;
  uint64_t size_bytes_ = 0;  // of the object so far
  Status failure_;           // content was lost: there will be no object
};

/// PUT of a whole object.
void put_object(const std::shared_ptr<S3Connection>& connection, std::string key, Bytes content,
                const WriteOptions& options, const CallContext& context, StatCallback done);

}  // namespace forebay::storage
