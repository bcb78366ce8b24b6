// Copy Blob.

#include <algorithm>
#include <utility>

#include "fmt/format.h"
#include "forebay/storage/az/az_object.h"
#include "forebay/storage/az/az_xml.h"
#include "forebay/storage/http/service_error.h"

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
                     self->version_ = source->version;
                     self->look_at_destination();
                   } else {
                     self->done_(source.status());
                   }
                 });
  }

 private:
  std::string uri() const { return connection_->uri_of(request_.to); }

  /// What is there before the first attempt is nobody's work of this call.
  void look_at_destination() {
    if (!request_.if_absent) {
      copy();
      return;
    }
    stat_az_blob(connection_, request_.to, {}, context_,
                 [self = shared_from_this()](const Result<ObjectStat>& there) {
                   if (there.status().code() == StatusCode::kNotFound) {
                     self->copy();
                   } else {
                     self->done_(there.ok() ? already_exists("{}: the object already exists", self->uri())
                                            : there.status());
                   }
                 });
  }

  void copy() {
    ServiceRequest put = {.method = "PUT",
                          .key = request_.to,
                          .headers = {{"x-ms-copy-source", connection_->url_of(request_.from)},
                                      {"x-ms-source-if-match", fmt::format("\"{}\"", version_)}}};
    add_az_conditions({.if_absent = request_.if_absent}, put.headers);
    const auto attempts = std::make_shared<int>(0);
    put.attempts = attempts;
    connection_->send(std::move(put), context_,
                      [self = shared_from_this(), attempts](const Result<net::HttpResponse>& answer) {
                        const StatusCode code = answer.status().code();
                        const bool may_be_ours =
                            code == StatusCode::kAborted || code == StatusCode::kAlreadyExists;
                        if (*attempts > 1 && may_be_ours && self->request_.if_absent) {
                          self->look_for_copy(answer.status());
                        } else {
                          self->take(answer);
                        }
                      });
  }

  /// A blob that an attempt with a lost answer made says where it was copied from.
  void look_for_copy(const Status& failure) {
    connection_->send({.method = "HEAD", .key = request_.to}, context_,
                      [self = shared_from_this(), failure](const Result<net::HttpResponse>& answer) {
                        const std::string wanted = self->connection_->url_of(self->request_.from);
                        const std::string* const from =
                            answer.ok() ? answer->header("x-ms-copy-source") : nullptr;
                        const bool is_ours = from != nullptr && from->substr(0, from->find('?')) ==
                                                                    wanted.substr(0, wanted.find('?'));
                        self->take(is_ours ? answer : Result<net::HttpResponse>(failure));
                      });
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
      done_(failed_precondition("{}: the service ended the copy as {}", uri(), for_message(*state, 100)));
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
  std::string version_;  // of the source
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
