// Copy Blob.

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "forebay/storage/az/az_object.h"

namespace forebay::storage {
namespace {

constexpr int64_t kFirstLookNs = 50'000'000;
constexpr int64_t kLongestLookNs = 5'000'000'000;

/// One copy, until the service has done it.
class AzCopy : public std::enable_shared_from_this<AzCopy> {
 public:
  AzCopy(std::shared_ptr<AzConnection> connection, MoveRequest request, CallContext context,
         StatCallback done)
      : connection_(std::move(connection)),
        request_(std::move(request)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void start() {
    stat_az_blob(connection_, request_.from, request_.if_version, context_,
                 [self = shared_from_this()](const Result<ObjectStat>& source) {
                   if (source.ok()) {
                     self->copy(source->version);
                   } else {
                     self->done_(source.status());
                   }
                 });
  }

 private:
  std::string uri() const { return connection_->uri_of(request_.to); }

  void copy(const std::string& version) {
    AzRequest put = {.method = "PUT",
                     .key = request_.to,
                     .headers = {{"x-ms-copy-source", connection_->url_of(request_.from)},
                                 {"x-ms-source-if-match", fmt::format("\"{}\"", version)}}};
    add_az_conditions({.if_absent = request_.if_absent}, put.headers);
    connection_->send(
        std::move(put), context_,
        [self = shared_from_this()](const Result<net::HttpResponse>& answer) { self->take(answer); });
  }

  void take(const Result<net::HttpResponse>& answer) {
    if (!answer.ok()) {
      const bool is_source = answer.status().code() == StatusCode::kAborted;
      done_(is_source ? aborted("{}: the object changed while it was copied to {}",
                                connection_->uri_of(request_.from), uri())
                      : answer.status());
      return;
    }
    const std::string* const state = answer->header("x-ms-copy-status");
    if (state == nullptr || *state == "success") {
      stat_az_blob(connection_, request_.to, {}, context_, std::move(done_));
    } else if (*state == "pending") {
      look_later();
    } else {
      done_(unavailable("{}: the copy ended as {}", uri(), for_message(*state, 100)));
    }
  }

  void look_later() {
    Timer& timer = connection_->retries()->timer;
    timer.at(std::min(timer.now_ns() + wait_ns_, context_.deadline_ns), [self = shared_from_this()] {
      self->connection_->send({.method = "HEAD", .key = self->request_.to}, self->context_,
                              [self](const Result<net::HttpResponse>& answer) { self->take(answer); });
    });
    wait_ns_ = std::min(2 * wait_ns_, kLongestLookNs);
  }

  const std::shared_ptr<AzConnection> connection_;
  const MoveRequest request_;
  const CallContext context_;
  StatCallback done_;
  int64_t wait_ns_ = kFirstLookNs;
};

}  // namespace

void copy_az_blob(const std::shared_ptr<AzConnection>& connection, MoveRequest request,
                  const CallContext& context, StatCallback done) {
  if (const Status valid = check_az_key(request.to, connection->uri_of(request.to)); !valid.ok()) {
    done(valid);
    return;
  }
  std::make_shared<AzCopy>(connection, std::move(request), context, std::move(done))->start();
}

}  // namespace forebay::storage
