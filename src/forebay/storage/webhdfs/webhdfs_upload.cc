#include "forebay/storage/webhdfs/webhdfs_upload.h"

#include <utility>

#include "forebay/storage/local/local_file.h"
#include "forebay/storage/remote/retried_call.h"
#include "forebay/storage/webhdfs/webhdfs_commit.h"

namespace forebay::storage {

WebhdfsUpload::WebhdfsUpload(std::shared_ptr<WebhdfsConnection> connection, std::string key,
                             const Result<std::string>& temporary)
    : SequentialUpload(connection->uri_of(key), temporary.status()),
      connection_(std::move(connection)),
      key_(std::move(key)),
      temporary_(temporary.value_or("")) {
}

void WebhdfsUpload::send_part(Part part, StatusCallback done) {
  if (part.number > 0) {
    connection_->send_content({.method = "POST",
                               .operation = "APPEND",
                               .key = temporary_,
                               .content = part.content,
                               .is_repeatable = false},
                              part.context, std::move(done));
    return;
  }
  const auto create = [connection = connection_, key = temporary_, content = part.content](
                          const CallContext& attempt, absl::AnyInvocable<void(Result<bool>)> next) {
    connection->send_content({.method = "PUT",
                              .operation = "CREATE",
                              .key = key,
                              .query = {{"overwrite", "true"}},
                              .content = content},
                             attempt, [next = std::move(next)](Status status) mutable {
                               next(status.ok() ? Result<bool>(true) : status);
                             });
  };
  call_with_retries<bool>(
      connection_->retries(), part.context, create,
      [done = std::move(done)](const Result<bool>& made) mutable { done(made.status()); });
}

void WebhdfsUpload::complete(uint64_t size_bytes, const WriteOptions& options, const CallContext& context,
                             StatCallback done) {
  if (const Status failed = failure(); !failed.ok()) {
    done(failed);
    return;
  }
  commit_webhdfs(connection_, temporary_, key_, size_bytes, options, context,
                 [self = shared_from_this(), done = std::move(done)](Result<ObjectStat> made) mutable {
                   done(std::move(made));
                 });
}

void WebhdfsUpload::remove_parts() {
  connection_->send(webhdfs_request("DELETE", "DELETE", temporary_), {},
                    [](const Result<net::HttpResponse>&) {});
}

void WebhdfsUploadTarget::put(Bytes content, const WriteOptions& options, const CallContext& context,
                              StatCallback done) {
  const std::shared_ptr<PartedUpload> upload = begin();
  upload->add(content, context,
              [upload, size_bytes = content.size(), options, context,
               done = std::move(done)](const Status& status) mutable {
                auto finish = [upload, done = std::move(done)](Result<ObjectStat> made) mutable {
                  if (!made.ok()) {
                    upload->abort();
                  }
                  done(std::move(made));
                };
                if (status.ok()) {
                  upload->complete(size_bytes, options, context, std::move(finish));
                } else {
                  finish(status);
                }
              });
}

std::shared_ptr<PartedUpload> WebhdfsUploadTarget::begin() {
  return std::make_shared<WebhdfsUpload>(connection_, key_, temporary_name(key_));
}

}  // namespace forebay::storage
