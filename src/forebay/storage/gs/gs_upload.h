// A resumable upload: chunks go up one after the other, and become an object with the last one. When an
// answer is lost, the server is asked how far it has come, and the rest is sent.
//
// Source: Google, "Resumable uploads", Cloud Storage documentation.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/gs/gs_connection.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// All chunks but the last are multiples of this.
inline constexpr uint64_t kGsChunkUnit = 256 << 10;

/// One call at a time; a call is a chunk or the end. Calls under way keep it alive. cancel() may come
/// meanwhile, from any thread.
class GsUpload : public std::enable_shared_from_this<GsUpload> {
 public:
  GsUpload(std::shared_ptr<GsConnection> connection, std::string key, WriteOptions options)
      : connection_(std::move(connection)), key_(std::move(key)), options_(std::move(options)) {}

  /// Sends a chunk that is not the last. `content` is valid until `done`.
  void send(Bytes content, const CallContext& context, StatusCallback done);
  /// Sends the last chunk, which may be empty, and makes the object.
  void finish(Bytes content, const CallContext& context, StatCallback done);
  /// Ends it without an object, once the call under way is done.
  void cancel();

 private:
  friend class GsChunk;

  void open(const CallContext& context, StatusCallback done);
  Status take_session(const Result<net::HttpResponse>& answer);
  /// Sends [sent_bytes_, +content), the last of it if `is_last`. Answers with the object if that is there.
  using ChunkCallback = absl::AnyInvocable<void(Result<std::optional<ObjectStat>>)>;
  void call(Bytes content, bool is_last, const CallContext& context, ChunkCallback done);
  void send_chunk(Bytes content, bool is_last, const CallContext& context, ChunkCallback done);
  void end_call();
  void send_cancellation();

  const std::shared_ptr<GsConnection> connection_;
  const std::string key_;
  const WriteOptions options_;
  Mutex mutex_;
  bool is_busy_ FOREBAY_GUARDED_BY(mutex_) = false;  // a call is under way, which alone uses what follows
  bool is_cancelled_ FOREBAY_GUARDED_BY(mutex_) = false;
  std::string session_path_;  // empty: not opened yet; whoever has it may write the object
  net::AwsFields session_query_;
  uint64_t sent_bytes_ = 0;  // that the server has
  bool is_over_ = false;     // there is an object
};

}  // namespace forebay::storage
