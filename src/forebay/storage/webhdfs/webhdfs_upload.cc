#include "forebay/storage/webhdfs/webhdfs_upload.h"

#include <utility>

#include "forebay/storage/local/local_file.h"
#include "forebay/storage/remote/retried_call.h"
#include "forebay/storage/webhdfs/webhdfs_commit.h"

namespace forebay::storage {

WebhdfsUpload::WebhdfsUpload(std::shared_ptr<WebhdfsConnection> connection, std::string key,
                             Result<std::string> temporary)
    : connection_(std::move(connection)),
      key_(std::move(key)),
      temporary_(temporary.value_or("")),
      failure_(temporary.status()) {
}

size_t WebhdfsUpload::parts() const {
  const MutexLock lock(mutex_);
  return parts_;
}

void WebhdfsUpload::add(Bytes content, const CallContext& context, StatusCallback done) {
  {
    const MutexLock lock(mutex_);
    ++parts_;
    ++under_way_;
    waiting_.push_back({content, context, std::move(done)});
    if (is_sending_) {
      return;
    }
    is_sending_ = true;
  }
  send_next();
}

/// Sends the part whose turn it is; those behind a failure are not sent.
void WebhdfsUpload::send_next() {
  while (true) {
    Part part;
    Status failure;
    bool is_first = false;
    bool removes = false;
    {
      const MutexLock lock(mutex_);
      is_sending_ = !waiting_.empty();
      removes = !is_sending_ && aborts_;
      if (is_sending_) {
        part = std::move(waiting_.front());
        waiting_.pop_front();
        failure = failure_;
        is_first = sent_ == 0;
        sent_ += failure.ok() ? 1 : 0;
      }
    }
    if (!part.done) {
      if (removes) {
        remove_temporary();
      }
      return;
    }
    if (failure.ok()) {
      send(std::move(part), is_first);
      return;
    }
    finish_part(failure, std::move(part.done));
  }
}

void WebhdfsUpload::send(Part part, bool is_first) {
  const CallContext context = part.context;
  StatusCallback finish = [self = shared_from_this(), done = std::move(part.done)](Status status) mutable {
    self->finish_part(status, std::move(done));
    self->send_next();
  };
  if (!is_first) {
    connection_->send_content({.method = "POST",
                               .operation = "APPEND",
                               .key = temporary_,
                               .content = part.content,
                               .is_repeatable = false},
                              context, std::move(finish));
    return;
  }
  const auto create = [self = shared_from_this(), content = part.content](
                          const CallContext& attempt, absl::AnyInvocable<void(Result<bool>)> next) {
    self->connection_->send_content({.method = "PUT",
                                     .operation = "CREATE",
                                     .key = self->temporary_,
                                     .query = {{"overwrite", "true"}},
                                     .content = content},
                                    attempt, [next = std::move(next)](Status status) mutable {
                                      next(status.ok() ? Result<bool>(true) : status);
                                    });
  };
  call_with_retries<bool>(
      connection_->retries(), context, create,
      [finish = std::move(finish)](const Result<bool>& made) mutable { finish(made.status()); });
}

void WebhdfsUpload::finish_part(const Status& status, StatusCallback done) {
  // Errors name what is written, not its temporary name.
  const Status outcome = status.ok() ? status : named(status, connection_->uri_of(key_));
  {
    const MutexLock lock(mutex_);
    failure_.Update(outcome);
    --under_way_;
  }
  done(outcome);
}

void WebhdfsUpload::complete(uint64_t size_bytes, const WriteOptions& options, const CallContext& context,
                             StatCallback done) {
  Status failure;
  {
    const MutexLock lock(mutex_);
    failure =
        failure_.ok() && under_way_ > 0
            ? failed_precondition("{}: commit() was called with parts under way", connection_->uri_of(key_))
            : failure_;
  }
  if (!failure.ok()) {
    done(failure);
    return;
  }
  commit_webhdfs(connection_, temporary_, key_, size_bytes, options, context,
                 [self = shared_from_this(), done = std::move(done)](Result<ObjectStat> made) mutable {
                   done(std::move(made));
                 });
}

void WebhdfsUpload::abort() {
  {
    const MutexLock lock(mutex_);
    const bool is_second = std::exchange(aborts_, true);
    failure_.Update(failed_precondition("{}: the upload was given up", connection_->uri_of(key_)));
    if (is_second || is_sending_) {
      return;  // when the part under way is done
    }
  }
  remove_temporary();
}

void WebhdfsUpload::remove_temporary() {
  {
    const MutexLock lock(mutex_);
    if (sent_ == 0) {
      return;
    }
  }
  call_with_retries<net::HttpResponse>(
      connection_->retries(), {},
      [connection = connection_, key = temporary_](const CallContext& attempt,
                                                   WebhdfsConnection::Callback next) {
        connection->send({.method = "DELETE", .operation = "DELETE", .key = key}, attempt, std::move(next));
      },
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
