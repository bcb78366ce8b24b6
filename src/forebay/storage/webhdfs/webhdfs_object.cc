#include "forebay/storage/webhdfs/webhdfs_object.h"

#include <utility>

#include "forebay/storage/errors.h"
#include "forebay/storage/http/service_error.h"
#include "forebay/storage/webhdfs/webhdfs_json.h"

namespace forebay::storage {
namespace {

bool is_webhdfs_folder(std::string_view key) {
  return key.empty() || key.ends_with('/');
}

Result<ObjectStat> webhdfs_stat_in(const Result<net::HttpResponse>& answer, std::string key,
                                   std::string_view uri) {
  FOREBAY_RETURN_IF_ERROR(answer.status());
  const Result<WebhdfsStatus> status = parse_webhdfs_status(answer->body);
  FOREBAY_RETURN_IF_ERROR(annotate(status.status(), uri));
  if (status->is_folder != is_webhdfs_folder(key)) {
    return not_found("{}: there is a {} of this name", uri, status->is_folder ? "folder" : "file");
  }
  return status->stat(std::move(key));
}

}  // namespace

void stat_webhdfs(const std::shared_ptr<WebhdfsConnection>& connection, std::string key,
                  const std::string& if_version, const CallContext& context, StatCallback done) {
  connection->send(webhdfs_request("GET", "GETFILESTATUS", key), context,
                   [key, uri = connection->uri_of(key), if_version,
                    done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                     Result<ObjectStat> stat = webhdfs_stat_in(answer, std::move(key), uri);
                     const bool is_other = stat.ok() && !if_version.empty() && stat->version != if_version;
                     done(is_other ? version_changed(uri, if_version, stat->version) : std::move(stat));
                   });
}

void make_webhdfs_folder(const std::shared_ptr<WebhdfsConnection>& connection, std::string key,
                         const CallContext& context, StatusCallback done) {
  std::string uri = connection->uri_of(key);
  connection->send(
      webhdfs_request("PUT", "MKDIRS", std::move(key)), context,
      [uri = std::move(uri), done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
        const Result<bool> is_made = answer.ok() ? parse_webhdfs_boolean(answer->body) : answer.status();
        done(!is_made.ok() ? named(is_made.status(), uri)
             : *is_made    ? ok_status()
                           : failed_precondition("{}: the folder was not made", uri));
      });
}

void remove_webhdfs(const std::shared_ptr<WebhdfsConnection>& connection, std::string key,
                    const CallContext& context, StatusCallback done) {
  // The namenode would also remove an empty folder by the name of a file.
  stat_webhdfs(connection, key, {}, context,
               [connection, key, context, done = std::move(done)](const Result<ObjectStat>& stat) mutable {
                 if (!stat.ok()) {
                   done(stat.status());
                   return;
                 }
                 ServiceRequest request = webhdfs_request("DELETE", "DELETE", key, {{"recursive", "false"}});
                 const auto attempts = std::make_shared<int>(0);
                 request.attempts = attempts;
                 connection->send(std::move(request), context,
                                  [uri = connection->uri_of(key), attempts,
                                   done = std::move(done)](const Result<net::HttpResponse>& answer) mutable {
                                    const Result<bool> is_gone =
                                        answer.ok() ? parse_webhdfs_boolean(answer->body) : answer.status();
                                    // A second attempt that finds nothing comes after one whose answer was
                                    // lost.
                                    const bool was_there = is_gone.ok() && (*is_gone || *attempts > 1);
                                    done(was_there       ? ok_status()
                                         : !is_gone.ok() ? named(is_gone.status(), uri)
                                                         : no_such_object(uri));
                                  });
               });
}

}  // namespace forebay::storage
