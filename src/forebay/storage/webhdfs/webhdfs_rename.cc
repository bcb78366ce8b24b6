// RENAME with options.

#include <utility>

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
    connection_->send(webhdfs_rename_request(*connection_, request_.from, request_.to, request_.if_absent),
                      context_,
                      [self = shared_from_this(), may_make_folder](const Result<net::HttpResponse>& answer) {
                        if (answer.ok()) {
                          self->done_(std::move(self->stat_));
                        } else if (answer.status().code() == StatusCode::kNotFound && may_make_folder) {
                          self->make_folder();
                        } else {
                          self->done_(self->error_of(answer.status()));
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

  Status error_of(const Status& status) const {
    return status.code() == StatusCode::kAlreadyExists
               ? already_exists("{}: the object already exists", connection_->uri_of(request_.to))
               : status;
  }

  const std::shared_ptr<WebhdfsConnection> connection_;
  const MoveRequest request_;
  const CallContext context_;
  StatCallback done_;
  ObjectStat stat_;
};

}  // namespace

WebhdfsRequest webhdfs_rename_request(const WebhdfsConnection& connection, const std::string& from,
                                      const std::string& to, bool if_absent) {
  return {
      .method = "PUT",
      .operation = "RENAME",
      .key = from,
      .query = {{"destination", connection.path_of(to)}, {"renameoptions", if_absent ? "NONE" : "OVERWRITE"}},
      .is_repeatable = false};
}

void rename_webhdfs(const std::shared_ptr<WebhdfsConnection>& connection, MoveRequest request,
                    const CallContext& context, StatCallback done) {
  std::make_shared<WebhdfsRename>(connection, std::move(request), context, std::move(done))->start();
}
}  // namespace forebay::storage
