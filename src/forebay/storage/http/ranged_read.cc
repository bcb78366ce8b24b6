#include "forebay/storage/http/ranged_read.h"

#include <optional>
#include <utility>

#include "forebay/storage/errors.h"
#include "forebay/storage/http/http_range.h"
#include "forebay/storage/http/http_status.h"
#include "forebay/storage/range.h"

namespace forebay::storage {
namespace {

/// One read, until it is answered.
class RangedRead : public std::enable_shared_from_this<RangedRead> {
 public:
  RangedRead(std::shared_ptr<RangedReadSource> source, std::shared_ptr<CostModel> costs, ReadRequest request,
             CallContext context, ReadCallback done)
      : source_(std::move(source)),
        costs_(std::move(costs)),
        request_(std::move(request)),
        context_(std::move(context)),
        done_(std::move(done)) {
    context_.is_for_read = true;
  }

  void start() {
    if (request_.only_resident) {
      done_(unimplemented("{}: this store keeps nothing in memory", uri()));
    } else if (request_.key.empty() || !has_http_form(request_)) {
      ask_size();
    } else {
      call_with_retries<ReadBytes>(
          source_->connection().retries(), context_,
          [self = shared_from_this()](const CallContext&, ReadCallback next) { self->get(std::move(next)); },
          [self = shared_from_this()](Result<ReadBytes> read) { self->finish(std::move(read)); });
    }
  }

 private:
  std::string uri() const { return source_->connection().uri_of(request_.key); }

  /// HEAD says whether the object has a range that no request can ask for.
  void ask_size() {
    source_->stat(
        request_.key, request_.if_version, context_,
        [self = shared_from_this()](Result<ObjectStat> stat) { self->answer_empty(std::move(stat)); });
  }

  void answer_empty(Result<ObjectStat> stat) { done_(stat.ok() ? empty_range(*stat) : stat.status()); }

  Result<ReadBytes> empty_range(const ObjectStat& stat) const {
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, range_length(request_, stat.size_bytes, uri()));
    if (length > 0) {
      return aborted("{}: the object changed while it was read", uri());
    }
    FOREBAY_ASSIGN_OR_RETURN(ReadTarget target, allocate_read(request_, 0, stat.version, uri()));
    return std::move(target.answer);
  }

  void get(ReadCallback next) {
    target_.reset();
    ServiceRequest get = {
        .key = request_.key,
        .body_target =
            [self = shared_from_this()](const net::HttpResponse& head) { return self->open_target(head); },
        .expected_bytes = request_.length_bytes == kToEnd ? 0 : request_.length_bytes};
    if (std::string range = http_range(request_); !range.empty()) {
      get.headers.emplace_back("Range", std::move(range));
    }
    source_->ask_for(request_, get);
    source_->connection().send_once(
        std::move(get), context_,
        [self = shared_from_this(), next = std::move(next)](const Result<net::HttpResponse>& answer) mutable {
          next(self->result_of(answer));
        });
  }

  /// What some servers send instead of 416 where a range begins at the end.
  static bool is_empty_part(const net::HttpResponse& head) {
    const Result<uint64_t> length = head.content_length();
    return head.status == 206 && length.ok() && *length == 0;
  }

  /// Called before the bytes come, so that they go where they are wanted.
  Result<net::BodyTarget> open_target(const net::HttpResponse& head) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string version, source_->version_in(head, uri()));
    const bool is_whole = head.status == 200;  // that was asked for, or the server knows no ranges
    if (is_whole && request_.offset_bytes > 0) {
      return unimplemented("{}: the server ignores Range and sends whole objects", uri());
    }
    if (is_empty_part(head)) {
      return out_of_range("{}: the range begins at the object's end", uri());  // finish() looks into it
    }
    const std::optional<uint64_t> size = object_size_of(head);
    if (!size) {
      return unavailable("{}: the server does not tell the object's size, or which part of it it sends",
                         uri());
    }
    FOREBAY_RETURN_IF_ERROR(check_version(version));
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, answered_length(head, request_, *size, uri()));
    FOREBAY_ASSIGN_OR_RETURN(target_, allocate_read(request_, length, version, uri()));
    target_->answer.has_weak_version = source_->is_weak(version);
    return net::BodyTarget{.into = target_->destination, .ends_there = is_whole};
  }

  Status check_version(const std::string& version) const {
    return request_.if_version.empty() || version == request_.if_version
               ? ok_status()
               : version_changed(uri(), request_.if_version, version);
  }

  Result<ReadBytes> result_of(const Result<net::HttpResponse>& answer) {
    FOREBAY_RETURN_IF_ERROR(answer.status());
    if (costs_) {
      costs_->observe(answer->first_byte_ns, answer->total_ns - answer->first_byte_ns, answer->body_bytes);
    }
    if (!target_ || answer->body_bytes != target_->destination.size()) {
      return unavailable("{}: {} bytes came where {} were expected", uri(), answer->body_bytes,
                         target_ ? target_->destination.size() : 0);
    }
    return std::move(target_->answer);
  }

  void finish(Result<ReadBytes> read) {
    if (read.status().code() == StatusCode::kOutOfRange && !target_) {
      ask_size();  // the range begins at the object's end, which is an empty read, or behind it
    } else {
      done_(std::move(read));
    }
  }

  const std::shared_ptr<RangedReadSource> source_;
  const std::shared_ptr<CostModel> costs_;
  const ReadRequest request_;
  CallContext context_;
  ReadCallback done_;
  std::optional<ReadTarget> target_;
};

}  // namespace

void read_range(std::shared_ptr<RangedReadSource> source, std::shared_ptr<CostModel> costs,
                ReadRequest request, const CallContext& context, ReadCallback done) {
  std::make_shared<RangedRead>(std::move(source), std::move(costs), std::move(request), context,
                               std::move(done))
      ->start();
}

}  // namespace forebay::storage
