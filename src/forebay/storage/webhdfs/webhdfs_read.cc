#include "forebay/storage/webhdfs/webhdfs_read.h"

#include <optional>
#include <utility>

#include "forebay/storage/errors.h"
#include "forebay/storage/http/service_error.h"
#include "forebay/storage/range.h"
#include "forebay/storage/webhdfs/webhdfs_json.h"
#include "forebay/storage/webhdfs/webhdfs_object.h"

namespace forebay::storage {
namespace {

constexpr int kMaxWebhdfsAttempts = 3;

/// One read, until it is answered.
class WebhdfsRead : public std::enable_shared_from_this<WebhdfsRead> {
 public:
  WebhdfsRead(std::shared_ptr<WebhdfsConnection> connection, std::shared_ptr<CostModel> costs,
              ReadRequest request, CallContext context, ReadCallback done)
      : connection_(std::move(connection)),
        costs_(std::move(costs)),
        request_(std::move(request)),
        context_(std::move(context)),
        done_(std::move(done)) {
    context_.is_for_read = true;
  }

  void start() {
    if (request_.only_resident) {
      done_(unimplemented("{}: this store keeps nothing in memory", uri()));
    } else if (knows_length()) {
      version_ = request_.if_version;
      open();
    } else {
      look_before();
    }
  }

 private:
  std::string uri() const { return connection_->uri_of(request_.key); }

  /// A version holds the file's size. Whoever names it has seen it, which stands for the first look.
  bool knows_length() {
    const std::optional<uint64_t> size = size_in_webhdfs_version(request_.if_version);
    const Result<uint64_t> length = size ? range_length(request_, *size, uri()) : 0;
    length_ = length.value_or(0);
    return length_ > 0;
  }

  void look_before() {
    stat_webhdfs(connection_, request_.key, request_.if_version, context_,
                 [self = shared_from_this()](const Result<ObjectStat>& stat) { self->take_before(stat); });
  }

  void take_before(const Result<ObjectStat>& stat) {
    const Result<uint64_t> length =
        stat.ok() ? range_length(request_, stat->size_bytes, uri()) : stat.status();
    if (!length.ok()) {
      done_(length.status());
      return;
    }
    version_ = stat->version;
    length_ = *length;
    if (length_ > 0) {
      open();
      return;
    }
    Result<ReadTarget> target = allocate_read(request_, 0, version_, uri());
    done_(target.ok() ? Result<ReadBytes>(std::move(target->answer)) : target.status());
  }

  void open() {
    ++attempts_;
    target_.reset();
    ServiceRequest get = webhdfs_request(
        "GET", "OPEN", request_.key,
        {{"offset", std::to_string(request_.offset_bytes)}, {"length", std::to_string(length_)}});
    get.expected_bytes = length_;
    get.body_target = [self = shared_from_this()](const net::HttpResponse& head) {
      return self->open_target(head);
    };
    connection_->send(
        std::move(get), context_,
        [self = shared_from_this()](const Result<net::HttpResponse>& answer) { self->take(answer); });
  }

  /// Called before the bytes come, so that they go where they are wanted.
  Result<net::BodyTarget> open_target(const net::HttpResponse& head) {
    const Result<uint64_t> coming = head.content_length();
    if (coming.ok() && *coming != length_) {
      return out_of_range("{}: {} bytes come where {} were expected", uri(), *coming, length_);
    }
    FOREBAY_ASSIGN_OR_RETURN(target_, allocate_read(request_, length_, version_, uri()));
    return net::BodyTarget{.into = target_->destination};
  }

  void take(const Result<net::HttpResponse>& answer) {
    if (!answer.ok()) {
      const StatusCode code = answer.status().code();
      // What a namenode or a datanode says of a file that became shorter, or of another one.
      const bool may_have_changed =
          code == StatusCode::kOutOfRange || code == StatusCode::kFailedPrecondition;
      if (!may_have_changed) {
        done_(answer.status());
        return;
      }
      const bool has_other_length = code == StatusCode::kOutOfRange;
      look_after(has_other_length ? unavailable("{}", message(answer.status())) : answer.status());
      return;
    }
    if (costs_) {
      costs_->observe(answer->first_byte_ns, answer->total_ns - answer->first_byte_ns, answer->body_bytes);
    }
    const bool is_whole = target_ && answer->body_bytes == length_;
    look_after(is_whole ? ok_status()
                        : unavailable("{}: {} bytes came where {} were expected", uri(), answer->body_bytes,
                                      length_));
  }

  /// `outcome`: what becomes of the read if the file is still the same.
  void look_after(Status outcome) {
    stat_webhdfs(connection_, request_.key, {}, context_,
                 [self = shared_from_this(), outcome = std::move(outcome)](const Result<ObjectStat>& stat) {
                   self->take_after(stat, outcome);
                 });
  }

  void take_after(const Result<ObjectStat>& stat, const Status& outcome) {
    if (!stat.ok()) {
      done_(stat.status());
    } else if (stat->version == version_) {
      take_same(outcome);
    } else if (!request_.if_version.empty()) {
      done_(version_changed(uri(), request_.if_version, stat->version));
    } else if (attempts_ < kMaxWebhdfsAttempts) {
      take_before(stat);
    } else {
      done_(aborted("{}: the file changes while it is read; it was tried {} times", uri(), attempts_));
    }
  }

  void take_same(const Status& outcome) {
    if (outcome.ok()) {
      done_(std::move(target_->answer));
    } else if (outcome.code() == StatusCode::kUnavailable && attempts_ < kMaxWebhdfsAttempts) {
      open();
    } else {
      done_(outcome);
    }
  }

  const std::shared_ptr<WebhdfsConnection> connection_;
  const std::shared_ptr<CostModel> costs_;
  const ReadRequest request_;
  CallContext context_;
  ReadCallback done_;
  std::string version_;  // what is read
  uint64_t length_ = 0;
  int attempts_ = 0;
  std::optional<ReadTarget> target_;
};

}  // namespace

void read_webhdfs(std::shared_ptr<WebhdfsConnection> connection, std::shared_ptr<CostModel> costs,
                  ReadRequest request, const CallContext& context, ReadCallback done) {
  std::make_shared<WebhdfsRead>(std::move(connection), std::move(costs), std::move(request), context,
                                std::move(done))
      ->start();
}

}  // namespace forebay::storage
