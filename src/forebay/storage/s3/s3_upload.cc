#include "forebay/storage/s3/s3_upload.h"

#include <openssl/evp.h>

#include <utility>

#include "absl/strings/escaping.h"
#include "fmt/format.h"
#include "forebay/base/log/log.h"
#include "forebay/storage/http/http_status.h"
#include "forebay/storage/s3/s3_object.h"
#include "forebay/storage/s3/s3_xml.h"

namespace forebay::storage {
namespace {

constexpr size_t kMaxParts = 10'000;  // S3's limit

/// The tag of a part: of its content in a header, of a copied range in the body.
Result<std::string> part_etag(const net::HttpResponse& answer, std::string_view uri) {
  if (answer.body.empty()) {
    return etag_in(answer, uri);
  }
  Result<std::string> etag = parse_s3_etag(answer.body);
  FOREBAY_RETURN_IF_ERROR(annotate(etag.status(), uri));
  return etag;
}

/// The object that an answer to CompleteMultipartUpload describes.
Result<ObjectStat> completed(const net::HttpResponse& answer, ObjectStat stat, std::string_view uri) {
  Result<std::string> etag = parse_s3_etag(answer.body);
  FOREBAY_RETURN_IF_ERROR(annotate(etag.status(), uri));
  stat.version = *std::move(etag);
  stat.modified_ns = written_ns_of(answer);
  return stat;
}

/// The tag that S3 gives an object of these parts: the MD5 of their MD5s, and their number. Empty if the
/// parts' tags are no MD5s, as with some kinds of encryption.
std::string tag_of_parts(const std::vector<std::string>& etags) {
  std::string digests;
  for (const std::string& etag : etags) {
    const std::string digest = etag.size() == 32 ? absl::HexStringToBytes(etag) : std::string();
    if (absl::BytesToHexString(digest) != etag) {
      return {};
    }
    digests += digest;
  }
  std::string digest(16, '\0');
  auto* const place = reinterpret_cast<unsigned char*>(digest.data());
  if (EVP_Digest(digests.data(), digests.size(), place, nullptr, EVP_md5(), nullptr) != 1) {
    return {};
  }
  return fmt::format("{}-{}", absl::BytesToHexString(digest), etags.size());
}

}  // namespace

size_t S3Upload::parts() const {
  const MutexLock lock(mutex_);
  return etags_.size();
}

void S3Upload::add(ServiceRequest part, const CallContext& context, StatusCallback done) {
  part.method = "PUT";
  part.key = key_;
  if (part.body_hash.empty()) {
    part.body_hash = net::sha256_hex(part.body);  // here, on the caller's thread
  }
  Status failure;
  std::string id;
  bool creates = false;
  Part numbered = {std::move(part), 0, context, std::move(done)};
  {
    const MutexLock lock(mutex_);
    failure = failure_;
    if (failure.ok() && etags_.size() == kMaxParts) {
      failure = failure_ = out_of_range("{}: an upload has at most {} parts; append more at once",
                                        connection_->uri_of(key_), kMaxParts);
    }
    if (failure.ok()) {
      creates = etags_.empty();
      etags_.emplace_back();
      numbered.number = etags_.size();
      under_way_ += creates ? 2 : 1;
      id = id_;
      if (id.empty()) {
        waiting_.push_back(std::move(numbered));
      }
    }
  }
  if (!failure.ok()) {
    numbered.done(failure);
  } else if (!id.empty()) {
    send(std::move(numbered), id);
  } else if (creates) {
    create(context);
  }
}

void S3Upload::create(const CallContext& context) {
  ServiceRequest request = {.method = "POST", .key = key_, .query = {{"uploads", ""}}};
  connection_->send(
      std::move(request), context, [self = shared_from_this()](Result<net::HttpResponse> answer) {
        Result<std::string> id = answer.ok() ? parse_s3_upload_id(answer->body) : answer.status();
        const bool names_object = id.ok() || !answer.ok();
        self->take_id(names_object ? std::move(id)
                                   : annotate(id.status(), self->connection_->uri_of(self->key_)));
      });
}

void S3Upload::take_id(Result<std::string> id) {
  std::vector<Part> waiting;
  bool aborts = false;
  {
    const MutexLock lock(mutex_);
    waiting = std::exchange(waiting_, {});
    --under_way_;
    if (id.ok()) {
      id_ = *id;
      aborts = aborts_ && under_way_ == 0;
    } else {
      failure_ = id.status();
    }
  }
  for (Part& part : waiting) {
    if (id.ok()) {
      send(std::move(part), *id);
    } else {
      finish(part.number, id.status(), std::move(part.done));
    }
  }
  if (aborts) {
    send_abort(*id);
  }
}

void S3Upload::send(Part part, const std::string& id) {
  part.request.query = {{"partNumber", std::to_string(part.number)}, {"uploadId", id}};
  connection_->send(std::move(part.request), part.context,
                    [self = shared_from_this(), number = part.number,
                     done = std::move(part.done)](Result<net::HttpResponse> answer) mutable {
                      const std::string uri = self->connection_->uri_of(self->key_);
                      self->finish(number, answer.ok() ? part_etag(*answer, uri) : answer.status(),
                                   std::move(done));
                    });
}

void S3Upload::finish(size_t number, Result<std::string> etag, StatusCallback done) {
  const Status status = etag.status();
  std::string id;
  {
    const MutexLock lock(mutex_);
    if (etag.ok()) {
      etags_[number - 1] = *std::move(etag);
    } else if (failure_.ok()) {
      failure_ = status;
    }
    --under_way_;
    if (aborts_ && under_way_ == 0) {
      id = id_;
    }
  }
  done(status);
  if (!id.empty()) {
    send_abort(id);
  }
}

void S3Upload::complete(uint64_t size_bytes, const WriteOptions& options, const CallContext& context,
                        StatCallback done) {
  const std::string uri = connection_->uri_of(key_);
  std::string id;
  auto body = std::make_shared<std::string>();
  Status failure;
  {
    const MutexLock lock(mutex_);
    failure = failure_.ok() && under_way_ > 0
                  ? failed_precondition("{}: commit() was called with {} parts under way", uri, under_way_)
                  : failure_;
    id = id_;
    *body = complete_upload_xml(etags_);
  }
  if (!failure.ok()) {
    done(failure);
    return;
  }
  ServiceRequest request = {.method = "POST",
                            .key = key_,
                            .query = {{"uploadId", id}},
                            .headers = {{"Content-Type", "application/xml"}},
                            .body = std::as_bytes(std::span(*body)),
                            .stall_timeout_s = kS3WorkTimeoutS};
  add_conditions(options, request.headers);
  ObjectStat stat = {.key = key_, .size_bytes = size_bytes};
  const auto attempts = std::make_shared<int>(0);
  request.attempts = attempts;
  connection_->send(std::move(request), context,
                    [self = shared_from_this(), body, context, stat = std::move(stat), options, attempts,
                     done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                      self->take_completion(answer, *attempts > 1, std::move(stat), options, context,
                                            std::move(done));
                    });
}

// An upload that S3 no longer knows, and an object that is there although it must not be, may be the work of
// an attempt whose answer was lost.
void S3Upload::take_completion(const Result<net::HttpResponse>& answer, bool is_repeated, ObjectStat stat,
                               const WriteOptions& options, const CallContext& context, StatCallback done) {
  const std::string uri = connection_->uri_of(key_);
  const Status status = answer.status();
  if (status.code() == StatusCode::kNotFound || (is_repeated && status.code() == StatusCode::kAborted)) {
    look_for_object(write_error(status, options, uri), context, std::move(done));
    return;
  }
  Result<ObjectStat> made = answer.ok() ? completed(*answer, std::move(stat), uri) : status;
  finish_completion(made.ok() ? std::move(made) : write_error(made.status(), options, uri), std::move(done));
}

// If the object is that of this upload, its tag is that of the parts.
void S3Upload::look_for_object(const Status& status, const CallContext& context, StatCallback done) {
  std::string expected;
  {
    const MutexLock lock(mutex_);
    expected = tag_of_parts(etags_);
  }
  stat_object(
      connection_, key_, {}, context,
      [self = shared_from_this(), status, expected, done = std::move(done)](Result<ObjectStat> stat) mutable {
        const bool is_it = stat.ok() && stat->version == expected;
        self->finish_completion(is_it ? std::move(stat) : status, std::move(done));
      });
}

void S3Upload::finish_completion(Result<ObjectStat> made, StatCallback done) {
  if (made.ok()) {
    const MutexLock lock(mutex_);
    is_complete_ = true;
  }
  done(std::move(made));
}

void S3Upload::abort() {
  std::string id;
  {
    const MutexLock lock(mutex_);
    if (is_complete_ || aborts_) {
      return;
    }
    aborts_ = true;
    id = under_way_ == 0 ? id_ : std::string();
  }
  if (!id.empty()) {
    send_abort(id);
  }
}

void S3Upload::send_abort(const std::string& id) {
  const std::string uri = connection_->uri_of(key_);
  connection_->send({.method = "DELETE", .key = key_, .query = {{"uploadId", id}}}, {},
                    [uri](Result<net::HttpResponse> answer) {
                      const StatusCode code = answer.status().code();
                      if (code != StatusCode::kOk && code != StatusCode::kNotFound) {
                        log_warning("an upload that was given up stays at the server: {}",
                                    message(answer.status()));
                      }
                    });
}

}  // namespace forebay::storage
