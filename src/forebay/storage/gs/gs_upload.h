// A resumable upload: chunks go up one after the other, and become an object with the last one. When an
// answer is lost, the server is asked how far it has come, and the rest is sent.
//
// Source: Google, "Resumable uploads", Cloud Storage documentation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "forebay/storage/gs/gs_connection.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/sequential_upload.h"

namespace forebay::storage {

/// All chunks but the last are multiples of this.
inline constexpr uint64_t kGsChunkUnit = 256 << 10;

/// Calls under way keep it alive. After abort() the server forgets it, as long as the process lives to say
/// so.
class GsUpload final : public SequentialUpload {
 public:
  GsUpload(std::shared_ptr<GsConnection> connection, std::string key, WriteOptions options)
      : SequentialUpload(connection->uri_of(key)),
        connection_(std::move(connection)),
        key_(std::move(key)),
        options_(std::move(options)) {}

  void add_last(Bytes content, const CallContext& context, StatusCallback done) override;
  /// The last part has made the object, as the options of the upload say.
  void complete(uint64_t size_bytes, const WriteOptions&, const CallContext& context,
                StatCallback done) override;

 protected:
  void send_part(Part part, StatusCallback done) override;
  void remove_parts() override;

 private:
  friend class GsChunk;

  void open(const CallContext& context, StatusCallback done);
  Status take_session(const Result<net::HttpResponse>& answer);
  void send_chunk(Bytes content, bool is_last, const CallContext& context, StatusCallback done);

  // Used by the part under way alone.
  const std::shared_ptr<GsConnection> connection_;
  const std::string key_;
  const WriteOptions options_;
  std::string session_path_;  // empty: not opened yet; whoever has it may write the object
  net::AwsFields session_query_;
  uint64_t sent_bytes_ = 0;         // that the server has
  std::optional<ObjectStat> made_;  // the object
};

class GsUploadTarget final : public UploadTarget {
 public:
  GsUploadTarget(std::shared_ptr<GsConnection> connection, std::string key, WriteOptions options)
      : connection_(std::move(connection)), key_(std::move(key)), options_(std::move(options)) {}

  std::string uri() const override { return connection_->uri_of(key_); }
  void put(Bytes content, const WriteOptions& options, const CallContext& context,
           StatCallback done) override;
  std::shared_ptr<PartedUpload> begin() override {
    return std::make_shared<GsUpload>(connection_, key_, options_);
  }

 private:
  const std::shared_ptr<GsConnection> connection_;
  const std::string key_;
  const WriteOptions options_;
};

}  // namespace forebay::storage
