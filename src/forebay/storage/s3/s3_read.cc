// Ranged GET straight into the memory of the answer, in one request whatever the object's size.

#include <cstring>
#include <optional>
#include <utility>

#include "fmt/format.h"
#include "forebay/net/http_fields.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/range.h"
#include "forebay/storage/s3/s3_object.h"
#include "forebay/storage/s3/s3_store.h"

namespace forebay::storage {
namespace {

/// What the answer's head says of the object and the range.
struct AnsweredRange {
  uint64_t object_bytes = 0;
  std::string version;
};

Result<AnsweredRange> answered_range(const net::HttpResponse& head, const ReadRequest& request,
                                     std::string_view uri) {
  AnsweredRange answered;
  FOREBAY_ASSIGN_OR_RETURN(answered.version, etag_of(head, uri));
  if (head.status != 206) {  // all of the object: what was asked for, or the server knows no ranges
    if (request.offset_bytes > 0) {
      return unimplemented("{}: the server ignores Range and sends whole objects", uri);
    }
    FOREBAY_ASSIGN_OR_RETURN(answered.object_bytes, head.content_length());
    return answered;
  }
  const std::string* const text = head.header("Content-Range");
  const std::optional<net::ContentRange> range = text ? net::parse_content_range(*text) : std::nullopt;
  if (!range || !range->has_range || !range->size_bytes || range->first != request.offset_bytes) {
    return unavailable("{}: the answer has another range than was asked for", uri);
  }
  answered.object_bytes = *range->size_bytes;
  return answered;
}

/// One read, until it is answered.
class S3Read : public std::enable_shared_from_this<S3Read> {
 public:
  S3Read(std::shared_ptr<S3Connection> connection, std::shared_ptr<CostModel> costs, ReadRequest request,
         CallContext context, ReadCallback done)
      : connection_(std::move(connection)),
        costs_(std::move(costs)),
        request_(std::move(request)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void start() {
    if (request_.only_resident) {
      done_(unimplemented("{}: S3 has nothing in memory", uri()));
    } else if (request_.length_bytes == 0) {
      ask_size();
    } else {
      get();
    }
  }

 private:
  std::string uri() const { return connection_->uri_of(request_.key); }

  /// An empty range has no form in HTTP: HEAD says whether the object has it.
  void ask_size() {
    stat_object(
        connection_, request_.key, request_.if_version, context_,
        [self = shared_from_this()](Result<ObjectStat> stat) { self->answer_empty(std::move(stat)); });
  }

  void answer_empty(Result<ObjectStat> stat) {
    if (!stat.ok()) {
      done_(stat.status());
      return;
    }
    const Status prepared = prepare({stat->size_bytes, stat->version});
    if (prepared.ok() && !target_->destination.empty()) {
      done_(aborted("{}: the object changed while it was read", uri()));
      return;
    }
    done_(prepared.ok() ? Result<ReadBytes>(std::move(target_->answer)) : prepared);
  }

  void get() {
    S3Request get = {.key = request_.key};
    if (!request_.if_version.empty()) {
      get.headers.emplace_back("If-Match", fmt::format("\"{}\"", request_.if_version));
    }
    const bool is_open = request_.length_bytes == kToEnd;
    const uint64_t behind = is_open ? 0 : request_.offset_bytes + request_.length_bytes;
    if (!is_open && behind < request_.offset_bytes) {
      done_(out_of_range("{}: {} bytes at {} were requested, which no object has", uri(),
                         request_.length_bytes, request_.offset_bytes));
      return;
    }
    if (!is_open) {
      get.headers.emplace_back("Range", fmt::format("bytes={}-{}", request_.offset_bytes, behind - 1));
    } else if (request_.offset_bytes > 0) {
      get.headers.emplace_back("Range", fmt::format("bytes={}-", request_.offset_bytes));
    }
    get.body_target = [self = shared_from_this()](const net::HttpResponse& head) {
      return self->open_target(head);
    };
    connection_->send(
        std::move(get), context_,
        [self = shared_from_this()](Result<net::HttpResponse> answer) { self->finish(std::move(answer)); });
  }

  /// Called before the bytes come, so that they go where they are wanted.
  Result<net::BodyTarget> open_target(const net::HttpResponse& head) {
    FOREBAY_ASSIGN_OR_RETURN(const AnsweredRange answered, answered_range(head, request_, uri()));
    FOREBAY_RETURN_IF_ERROR(prepare(answered));
    return net::BodyTarget{.into = target_->destination};
  }

  Status prepare(const AnsweredRange& answered) {
    if (!request_.if_version.empty() && answered.version != request_.if_version) {
      return version_changed(uri(), request_.if_version, answered.version);
    }
    FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, range_length(request_, answered.object_bytes, uri()));
    FOREBAY_ASSIGN_OR_RETURN(target_, allocate_read(request_, length, answered.version, uri()));
    return ok_status();
  }

  void finish(Result<net::HttpResponse> answer) {
    if (answer.ok() && costs_) {
      costs_->observe(answer->first_byte_ns, answer->total_ns - answer->first_byte_ns, answer->body_bytes);
    }
    if (answer.status().code() == StatusCode::kOutOfRange && !target_) {
      ask_size();  // the range begins at the object's end, which is an empty read, or behind it
    } else if (!answer.ok()) {
      done_(answer.status());
    } else if (!target_ || answer->body_bytes != target_->destination.size()) {
      done_(unavailable("{}: {} bytes came where {} were expected", uri(), answer->body_bytes,
                        target_ ? target_->destination.size() : 0));
    } else {
      done_(std::move(target_->answer));
    }
  }

  const std::shared_ptr<S3Connection> connection_;
  const std::shared_ptr<CostModel> costs_;
  const ReadRequest request_;
  const CallContext context_;
  ReadCallback done_;
  std::optional<ReadTarget> target_;
};

}  // namespace

void S3Store::read(ReadRequest request, const CallContext& context, ReadCallback done) {
  std::make_shared<S3Read>(connection_, costs_, std::move(request), context, std::move(done))->start();
}

}  // namespace forebay::storage
