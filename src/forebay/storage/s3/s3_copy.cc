#include "forebay/storage/s3/s3_copy.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "fmt/format.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/net/url.h"
#include "forebay/storage/remote/doubted_call.h"
#include "forebay/storage/s3/s3_object.h"
#include "forebay/storage/s3/s3_upload.h"
#include "forebay/storage/s3/s3_version.h"
#include "forebay/storage/s3/s3_xml.h"

namespace forebay::storage {
namespace {

constexpr uint64_t kCopiedPartBytes = 128 << 20;
constexpr uint64_t kMaxCopiedParts = 10'000;

net::AwsFields source_headers(const S3Connection& connection, const ObjectStat& source) {
  net::AwsFields headers = {
      {"x-amz-copy-source", fmt::format("/{}/{}", connection.bucket(), net::percent_encoded(source.key))}};
  add_version("x-amz-copy-source-if-match", source.version, headers);
  return headers;
}

/// Not so of objects that were uploaded in parts, of some that are encrypted, and of those without a tag.
bool is_md5_tag(std::string_view tag) {
  return tag.size() == 32 && std::ranges::all_of(tag, absl::ascii_isxdigit);
}

Status source_changed(const S3Connection& connection, const MoveRequest& request) {
  return aborted("{}: the object changed while it was copied to {}", connection.uri_of(request.from),
                 connection.uri_of(request.to));
}

/// Copies one object in parts, several of them at once.
class S3PartedCopy : public std::enable_shared_from_this<S3PartedCopy> {
 public:
  S3PartedCopy(std::shared_ptr<S3Connection> connection, ObjectStat source, MoveRequest request,
               CallContext context, StatCallback done)
      : connection_(std::move(connection)),
        source_(std::move(source)),
        request_(std::move(request)),
        context_(std::move(context)),
        done_(std::move(done)),
        upload_(std::make_shared<S3Upload>(connection_, request_.to)),
        part_bytes_(std::max(std::min(kCopiedPartBytes, connection_->options().largest_copy_bytes),
                             (source_.size_bytes + kMaxCopiedParts - 1) / kMaxCopiedParts)) {}

  void start() {
    for (size_t i = 0; i < connection_->options().parts_in_flight; ++i) {
      step(ok_status(), false);
    }
  }

 private:
  /// A part has ended, or there is room for one more.
  void step(const Status& status, bool is_end) {
    ServiceRequest part = {.headers = source_headers(*connection_, source_),
                           .stall_timeout_s = kS3WorkTimeoutS};
    bool sends = false;
    bool ends = false;
    {
      const MutexLock lock(mutex_);
      failure_.Update(status.code() == StatusCode::kAborted ? source_changed(*connection_, request_)
                                                            : status);
      under_way_ -= is_end ? 1 : 0;
      sends = failure_.ok() && next_byte_ < source_.size_bytes;
      if (sends) {
        const uint64_t end = std::min(next_byte_ + part_bytes_, source_.size_bytes);
        part.headers.emplace_back("x-amz-copy-source-range", fmt::format("bytes={}-{}", next_byte_, end - 1));
        next_byte_ = end;
        ++under_way_;
      }
      ends = under_way_ == 0 && !is_over_;
      is_over_ = is_over_ || ends;
    }
    if (sends) {
      upload_->add(std::move(part), context_,
                   [self = shared_from_this()](const Status& copied) { self->step(copied, true); });
    } else if (ends) {
      finish();
    }
  }

  void finish() {
    Status failure;
    {
      const MutexLock lock(mutex_);
      failure = failure_;
    }
    if (!failure.ok()) {
      upload_->abort();
      done_(failure);
      return;
    }
    upload_->complete(source_.size_bytes, {.if_absent = request_.if_absent}, context_,
                      [self = shared_from_this()](Result<ObjectStat> made) {
                        if (!made.ok()) {
                          self->upload_->abort();
                        }
                        self->done_(std::move(made));
                      });
  }

  const std::shared_ptr<S3Connection> connection_;
  const ObjectStat source_;
  const MoveRequest request_;
  const CallContext context_;
  StatCallback done_;
  const std::shared_ptr<S3Upload> upload_;
  const uint64_t part_bytes_;
  Mutex mutex_;
  uint64_t next_byte_ FOREBAY_GUARDED_BY(mutex_) = 0;
  size_t under_way_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_over_ FOREBAY_GUARDED_BY(mutex_) = false;
  Status failure_ FOREBAY_GUARDED_BY(mutex_);
};

/// One copy: looks at the source, then at the destination if that has to be absent, then copies.
class S3Copy : public std::enable_shared_from_this<S3Copy> {
 public:
  S3Copy(std::shared_ptr<S3Connection> connection, MoveRequest request, CallContext context,
         StatCallback done)
      : connection_(std::move(connection)),
        request_(std::move(request)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void start() {
    stat_object(connection_, request_.from, request_.if_version, context_,
                [self = shared_from_this()](Result<ObjectStat> source) {
                  if (!source.ok()) {
                    self->done_(source.status());
                    return;
                  }
                  self->source_ = *std::move(source);
                  self->look_at_destination();
                });
  }

 private:
  void look_at_destination() {
    if (!request_.if_absent) {
      copy(false);
      return;
    }
    stat_object(connection_, request_.to, {}, context_,
                [self = shared_from_this()](const Result<ObjectStat>& there) {
                  if (there.status().code() == StatusCode::kNotFound) {
                    self->copy(true);
                  } else {
                    self->done_(there.ok() ? already_exists("{}: the object already exists",
                                                            self->connection_->uri_of(self->request_.to))
                                           : there.status());
                  }
                });
  }

  void copy(bool is_conditional) {
    if (source_.size_bytes > connection_->options().largest_copy_bytes) {
      std::make_shared<S3PartedCopy>(connection_, source_, request_, context_, std::move(done_))->start();
      return;
    }
    auto make = [self = shared_from_this(), is_conditional](const CallContext& context, StatCallback next) {
      self->send(is_conditional, context, std::move(next));
    };
    auto finish = [self = shared_from_this(), is_conditional](Result<ObjectStat> made) {
      self->finish(std::move(made), is_conditional);
    };
    if (!is_conditional) {
      call_with_retries<ObjectStat>(connection_->retries(), context_, std::move(make), std::move(finish));
      return;
    }
    auto look = [self = shared_from_this()](const CallContext& context, DoubtedChange::Effect found) {
      self->look_for_copy(context, std::move(found));
    };
    make_with_questions(connection_->retries(), context_, {.make = std::move(make), .look = std::move(look)},
                        std::move(finish));
  }

  void send(bool is_conditional, const CallContext& context, StatCallback next) {
    ServiceRequest put = {.method = "PUT",
                          .key = request_.to,
                          .headers = source_headers(*connection_, source_),
                          .stall_timeout_s = kS3WorkTimeoutS};
    add_conditions({.if_absent = is_conditional}, put.headers);
    connection_->send_once(
        std::move(put), context,
        [self = shared_from_this(), next = std::move(next)](const Result<net::HttpResponse>& answer) mutable {
          next(self->copied(answer));
        });
  }

  Result<ObjectStat> copied(const Result<net::HttpResponse>& answer) const {
    FOREBAY_RETURN_IF_ERROR(answer.status());
    Result<std::string> etag = parse_s3_etag(answer->body);
    FOREBAY_RETURN_IF_ERROR(annotate(etag.status(), connection_->uri_of(request_.to)));
    return ObjectStat{.key = request_.to, .size_bytes = source_.size_bytes, .version = *std::move(etag)};
  }

  /// A copy by one request keeps a tag that is the MD5 of the content; others cannot be compared.
  void look_for_copy(const CallContext& context, DoubtedChange::Effect found) {
    stat_object(
        connection_, request_.to, {}, context,
        [self = shared_from_this(), found = std::move(found)](Result<ObjectStat> there) mutable {
          if (!there.ok()) {
            found(not_made_if_absent(there.status()));
          } else if (!is_md5_tag(self->source_.version) || !is_md5_tag(there->version)) {
            found(unavailable("{}: there is an object now; whether this copy has made it is not known",
                              self->connection_->uri_of(self->request_.to)));
          } else {
            const bool is_it = there->version == self->source_.version;
            found(is_it ? std::optional(*std::move(there)) : std::nullopt);
          }
        });
  }

  void finish(Result<ObjectStat> made, bool was_conditional) {
    if (was_conditional && made.status().code() == StatusCode::kUnimplemented) {
      copy(false);
    } else if (made.status().code() == StatusCode::kAborted) {
      find_what_changed(was_conditional);
    } else {
      done_(std::move(made));
    }
  }

  /// S3 does not say whether the condition on the source failed or the one on the destination.
  void find_what_changed(bool was_conditional) {
    const Status changed = source_changed(*connection_, request_);
    if (!was_conditional) {
      done_(changed);
      return;
    }
    stat_object(connection_, request_.to, {}, context_,
                [self = shared_from_this(), changed](const Result<ObjectStat>& there) {
                  const bool is_absent = there.status().code() == StatusCode::kNotFound;
                  const std::string uri = self->connection_->uri_of(self->request_.to);
                  self->done_(is_absent    ? changed
                              : there.ok() ? already_exists("{}: the object already exists", uri)
                                           : there.status());
                });
  }

  const std::shared_ptr<S3Connection> connection_;
  const MoveRequest request_;
  const CallContext context_;
  StatCallback done_;
  ObjectStat source_;
};

}  // namespace

void copy_object(std::shared_ptr<S3Connection> connection, MoveRequest request, const CallContext& context,
                 StatCallback done) {
  if (const Status valid = check_key(*connection, request.to); !valid.ok()) {
    done(valid);
    return;
  }
  std::make_shared<S3Copy>(std::move(connection), std::move(request), context, std::move(done))->start();
}

}  // namespace forebay::storage
