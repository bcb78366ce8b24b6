// An upload in blocks, which go up side by side, in any order, and become one blob at the end.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/az/az_connection.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/remote/gathering_writer.h"

namespace forebay::storage {

/// Azure has no call that gives an upload up: blocks that no blob names go by themselves after a week, or
/// when the blob is written in any way.
class AzUpload final : public PartedUpload, public std::enable_shared_from_this<AzUpload> {
 public:
  AzUpload(std::shared_ptr<AzConnection> connection, std::string key);

  size_t parts() const override;
  void add(Bytes content, const CallContext& context, StatusCallback done) override;
  void complete(uint64_t size_bytes, const WriteOptions& options, const CallContext& context,
                StatCallback done) override;
  void abort() override {}

 private:
  void finish_block(const Status& status);
  void take_completion(const Result<net::HttpResponse>& answer, bool is_repeated, ObjectStat stat,
                       const WriteOptions& options, const CallContext& context, StatCallback done);
  /// Whether the blob consists of this upload's blocks: an attempt whose answer was lost has made it.
  void look_for_blob(const Status& status, const CallContext& context, StatCallback done);

  const std::shared_ptr<AzConnection> connection_;
  const std::string key_;
  const std::string uri_;
  const std::string id_;  // of this upload; begins the ids of its blocks
  mutable Mutex mutex_;
  std::vector<std::string> ids_ FOREBAY_GUARDED_BY(mutex_);
  size_t under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;
  Status failure_ FOREBAY_GUARDED_BY(mutex_);  // the first
};

}  // namespace forebay::storage
