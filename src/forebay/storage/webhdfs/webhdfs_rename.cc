// RENAME with options.

#include <optional>
#include <utility>

#include "forebay/storage/remote/doubted_call.h"
#include "forebay/storage/uri.h"
#include "forebay/storage/webhdfs/webhdfs_object.h"

namespace forebay::storage {
namespace {

/// One rename: looks at what is to be renamed, then renames it, and makes the folder that it goes to where
/// that is missing.
class WebhdfsRename : public std::enable_shared_from_this<WebhdfsRename> {
 public:
  WebhdfsRename(std::shared_ptr<WebhdfsConnection> connection, MoveRequest request, CallContext context,
                StatCallback done)
      : connection_(std::move(connection)),
        request_(std::move(request)),
        context_(std::move(context)),
        done_(std::move(done)) {}

  void start() {
    if (const Status valid = check_webhdfs_key(request_.to, connection_->uri_of(request_.to)); !valid.ok()) {
      done_(valid);
      return;
    }
    stat_webhdfs(connection_, request_.from, request_.if_version, context_,
                 [self = shared_from_this()](Result<ObjectStat> stat) {
                   if (!stat.ok()) {
                     self->done_(stat.status());
                     return;
                   }
                   self->stat_ = *std::move(stat);
                   self->stat_.key = self->request_.to;
                   self->rename(true);
                 });
  }

 private:
  void rename(bool may_make_folder) {
    if (request_.from == request_.to && !request_.if_absent) {
      done_(std::move(stat_));
      return;
    }
    rename_webhdfs_file(connection_, request_.from, request_.if_absent, stat_, context_,
                        [self = shared_from_this(), may_make_folder](Result<ObjectStat> renamed) {
                          if (renamed.status().code() == StatusCode::kNotFound && may_make_folder) {
                            self->make_folder();
                          } else {
                            self->done_(std::move(renamed));
                          }
                        });
  }

  void make_folder() {
    std::string_view to = request_.to;
    to.remove_suffix(to.ends_with('/') ? 1 : 0);
    const std::string parent(parent_path(to));
    make_webhdfs_folder(connection_, parent.empty() ? parent : parent + "/", context_,
                        [self = shared_from_this()](const Status& made) {
                          if (made.ok()) {
                            self->rename(false);
                          } else {
                            self->done_(made);
                          }
                        });
  }

  const std::shared_ptr<WebhdfsConnection> connection_;
  const MoveRequest request_;
  const CallContext context_;
  StatCallback done_;
  ObjectStat stat_;
};

ServiceRequest rename_request(const WebhdfsConnection& connection, const std::string& from,
                              const std::string& to, bool if_absent) {
  ServiceRequest request = webhdfs_request(
      "PUT", "RENAME", from,
      {{"destination", connection.path_of(to)}, {"renameoptions", if_absent ? "NONE" : "OVERWRITE"}});
  request.is_repeatable = false;
  return request;
}

}  // namespace

void rename_webhdfs_file(const std::shared_ptr<WebhdfsConnection>& connection, const std::string& from,
                         bool if_absent, const ObjectStat& renamed, const CallContext& context,
                         StatCallback done) {
  auto make = [connection, from, if_absent, renamed](const CallContext& attempt, StatCallback next) {
    const std::string uri = connection->uri_of(renamed.key);
    connection->send_once(
        rename_request(*connection, from, renamed.key, if_absent), attempt,
        [renamed, uri, next = std::move(next)](const Result<net::HttpResponse>& answer) mutable {
          const bool is_there = answer.status().code() == StatusCode::kAlreadyExists;
          next(answer.ok() ? Result<ObjectStat>(renamed)
               : is_there  ? already_exists("{}: the object already exists", uri)
                           : answer.status());
        });
  };
  auto look = [connection, renamed](const CallContext& attempt, DoubtedChange::Effect found) {
    stat_webhdfs(connection, renamed.key, {}, attempt,
                 [renamed, found = std::move(found)](const Result<ObjectStat>& there) mutable {
                   if (there.ok()) {
                     found(there->version == renamed.version ? std::optional(renamed) : std::nullopt);
                   } else {
                     found(not_made_if_absent(there.status()));
                   }
                 });
  };
  make_with_questions(connection->retries(), context, {.make = std::move(make), .look = std::move(look)},
                      std::move(done));
}

void rename_webhdfs(const std::shared_ptr<WebhdfsConnection>& connection, MoveRequest request,
                    const CallContext& context, StatCallback done) {
  std::make_shared<WebhdfsRename>(connection, std::move(request), context, std::move(done))->start();
}

}  // namespace forebay::storage
