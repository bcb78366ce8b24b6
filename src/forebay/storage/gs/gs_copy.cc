// Objects: rewrite, which copies a large object in several calls.

#include <functional>
#include <utility>

#include "forebay/net/url.h"
#include "forebay/storage/gs/gs_json.h"
#include "forebay/storage/gs/gs_object.h"
#include "forebay/storage/http/service_error.h"

namespace forebay::storage {
namespace {

constexpr int kMaxGsRewrites = 100'000;  // calls of one copy; each moves at least some MiB

/// One copy: looks at the source, then at the destination if that has to be absent (some servers ignore the
/// condition on it), then has that version copied.
class GsCopy : public std::enable_shared_from_this<GsCopy> {
 public:
  GsCopy(std::shared_ptr<GsConnection> connection, MoveRequest request, CallContext context,
         StatCallback done)
      : connection_(std::move(connection)),
        request_(std::move(request)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void start() {
    stat_gs_object(connection_, request_.from, request_.if_version, context_,
                   [self = shared_from_this()](Result<ObjectStat> source) {
                     if (!source.ok()) {
                       self->done_(source.status());
                       return;
                     }
                     self->generation_ = source->version;
                     self->look_at_destination();
                   });
  }

 private:
  void look_at_destination() {
    if (!request_.if_absent) {
      rewrite({});
      return;
    }
    stat_gs_object(connection_, request_.to, {}, context_,
                   [self = shared_from_this()](const Result<ObjectStat>& there) {
                     if (there.status().code() == StatusCode::kNotFound) {
                       self->rewrite({});
                     } else {
                       self->done_(there.ok() ? self->is_there() : there.status());
                     }
                   });
  }

  Status is_there() const {
    return already_exists("{}: the object already exists", connection_->uri_of(request_.to));
  }

  void rewrite(const std::string& token) {
    ServiceRequest request = {.method = "POST",
                              .key = request_.to,
                              .path = connection_->object_path(request_.from) + "/rewriteTo" +
                                      connection_->object_path(request_.to).substr(kGsPathPrefix.size()),
                              .query = {{"ifSourceGenerationMatch", generation_}}};
    if (request_.if_absent) {
      request.query.emplace_back("ifGenerationMatch", "0");
    }
    if (!token.empty()) {
      request.query.emplace_back("rewriteToken", token);
    }
    const auto attempts = std::make_shared<int>(0);
    request.attempts = attempts;
    connection_->send(std::move(request), context_,
                      [self = shared_from_this(), attempts](const Result<net::HttpResponse>& answer) {
                        self->take(answer, *attempts > 1);
                      });
  }

  void take(const Result<net::HttpResponse>& answer, bool is_repeated) {
    if (answer.status().code() == StatusCode::kAborted) {
      is_repeated ? look_for_copy() : find_what_changed();
      return;
    }
    const Result<GsRewrite> rewritten = answer.ok() ? parse_gs_rewrite(answer->body) : answer.status();
    if (!rewritten.ok()) {
      done_(named(rewritten.status(), connection_->uri_of(request_.to)));
    } else if (rewritten->token.empty()) {
      done_(rewritten->stat);
    } else if (++calls_ == kMaxGsRewrites) {
      done_(unavailable("{}: the copy does not get on", connection_->uri_of(request_.to)));
    } else {
      rewrite(rewritten->token);
    }
  }

  /// An attempt whose answer was lost may have made the object: it then has the checksum of the source.
  void look_for_copy() {
    ask_for_checksum(request_.from, [self = shared_from_this()](const std::string& wanted) {
      self->ask_for_checksum(self->request_.to, [self, wanted](const std::string& found) {
        if (found.empty() || found != wanted) {
          self->find_what_changed();
        } else {
          stat_gs_object(self->connection_, self->request_.to, {}, self->context_, std::move(self->done_));
        }
      });
    });
  }

  /// Gives size and CRC-32C as one text; empty: not to be had.
  void ask_for_checksum(const std::string& key, std::function<void(const std::string& checksum)> next) {
    connection_->send(
        {.key = key, .path = connection_->object_path(key), .query = {{"fields", "size,crc32c"}}}, context_,
        [next = std::move(next)](const Result<net::HttpResponse>& answer) {
          next(answer.ok() ? parse_gs_checksum(answer->body) : std::string());
        });
  }

  /// The answer does not say which of the two conditions failed.
  void find_what_changed() {
    const Status changed = aborted("{}: the object changed while it was copied to {}",
                                   connection_->uri_of(request_.from), connection_->uri_of(request_.to));
    if (!request_.if_absent) {
      done_(changed);
      return;
    }
    stat_gs_object(connection_, request_.to, {}, context_,
                   [self = shared_from_this(), changed](const Result<ObjectStat>& there) {
                     const bool is_absent = there.status().code() == StatusCode::kNotFound;
                     self->done_(is_absent ? changed : there.ok() ? self->is_there() : there.status());
                   });
  }

  static constexpr std::string_view kGsPathPrefix = "/storage/v1";

  const std::shared_ptr<GsConnection> connection_;
  const MoveRequest request_;
  const CallContext context_;
  StatCallback done_;
  std::string generation_;
  int calls_ = 0;
};

}  // namespace

void copy_gs_object(const std::shared_ptr<GsConnection>& connection, MoveRequest request,
                    const CallContext& context, StatCallback done) {
  if (const Status valid = check_gs_key(request.to, connection->uri_of(request.to)); !valid.ok()) {
    done(valid);
    return;
  }
  std::make_shared<GsCopy>(connection, std::move(request), context, std::move(done))->start();
}

}  // namespace forebay::storage
