#include "forebay/storage/az/az_upload.h"

#include <random>
#include <span>
#include <utility>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "forebay/storage/az/az_object.h"
#include "forebay/storage/az/az_xml.h"
#include "forebay/storage/http/service_error.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxAzUploadBlocks = 50'000;  // Azure's limit

/// Another one for each upload, so that two of the same blob do not take each other's blocks.
std::string random_upload_id() {
  std::random_device device;
  return fmt::format("{:08x}{:08x}{:08x}{:08x}", device(), device(), device(), device());
}

}  // namespace

AzUpload::AzUpload(std::shared_ptr<AzConnection> connection, std::string key)
    : connection_(std::move(connection)),
      key_(std::move(key)),
      uri_(connection_->uri_of(key_)),
      id_(random_upload_id()) {
}

size_t AzUpload::parts() const {
  const MutexLock lock(mutex_);
  return ids_.size();
}

void AzUpload::add(Bytes content, const CallContext& context, StatusCallback done) {
  std::string block;
  Status failure;
  {
    const MutexLock lock(mutex_);
    if (failure_.ok() && ids_.size() == kMaxAzUploadBlocks) {
      failure_ =
          out_of_range("{}: an upload has at most {} blocks; append more at once", uri_, kMaxAzUploadBlocks);
    }
    failure = failure_;
    if (failure.ok()) {
      block = absl::Base64Escape(fmt::format("{}{:07}", id_, ids_.size()));  // all ids have one length
      ids_.push_back(block);
      ++under_way_;
    }
  }
  if (!failure.ok()) {
    done(failure);
    return;
  }
  connection_->send(
      {.method = "PUT",
       .key = key_,
       .query = {{"comp", "block"}, {"blockid", block}},
       .headers = {{"Content-Type", "application/octet-stream"}},
       .body = content},
      context,
      [self = shared_from_this(), done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
        self->finish_block(answer.status());
        done(answer.status());
      });
}

void AzUpload::finish_block(const Status& status) {
  const MutexLock lock(mutex_);
  --under_way_;
  failure_.Update(status);
}

void AzUpload::complete(uint64_t size_bytes, const WriteOptions& options, const CallContext& context,
                        StatCallback done) {
  auto body = std::make_shared<std::string>();
  Status failure;
  {
    const MutexLock lock(mutex_);
    failure = failure_.ok() && under_way_ > 0
                  ? failed_precondition("{}: commit() was called with {} blocks under way", uri_, under_way_)
                  : failure_;
    *body = az_block_list_xml(ids_);
  }
  if (!failure.ok()) {
    done(failure);
    return;
  }
  ServiceRequest request = {.method = "PUT",
                            .key = key_,
                            .query = {{"comp", "blocklist"}},
                            .headers = {{"Content-Type", "application/xml"},
                                        {"x-ms-blob-content-type", "application/octet-stream"}},
                            .body = std::as_bytes(std::span(*body)),
                            .attempts = std::make_shared<int>(0)};
  add_az_conditions(options, request.headers);
  ObjectStat stat = {.key = key_, .size_bytes = size_bytes};
  const std::shared_ptr<int> attempts = request.attempts;
  connection_->send(std::move(request), context,
                    [self = shared_from_this(), body, attempts, stat = std::move(stat), options, context,
                     done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                      self->take_completion(answer, *attempts > 1, std::move(stat), options, context,
                                            std::move(done));
                    });
}

void AzUpload::take_completion(const Result<net::HttpResponse>& answer, bool is_repeated, ObjectStat stat,
                               const WriteOptions& options, const CallContext& context, StatCallback done) {
  Result<ObjectStat> made = written_in(answer, std::move(stat), options, uri_);
  const Status status = made.status();
  const bool may_be_ours =
      status.code() == StatusCode::kAborted || status.code() == StatusCode::kAlreadyExists;
  if (is_repeated && may_be_ours) {
    look_for_blob(status, context, std::move(done));
  } else {
    done(std::move(made));
  }
}

void AzUpload::look_for_blob(const Status& status, const CallContext& context, StatCallback done) {
  ServiceRequest request = {.key = key_,
                            .query = {{"comp", "blocklist"}, {"blocklisttype", "committed"}},
                            .max_body_bytes = kMaxAzBlockListBytes};
  connection_->send(std::move(request), context,
                    [self = shared_from_this(), status, context,
                     done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                      const Result<std::vector<std::string>> there =
                          answer.ok() ? parse_az_blocks(answer->body) : answer.status();
                      bool is_ours = there.ok();
                      if (is_ours) {
                        const MutexLock lock(self->mutex_);
                        is_ours = *there == self->ids_;
                      }
                      if (is_ours) {
                        stat_az_blob(self->connection_, self->key_, {}, context, std::move(done));
                      } else {
                        done(status);
                      }
                    });
}

}  // namespace forebay::storage
