#include "forebay/storage/remote/parted_read.h"

#include <algorithm>
#include <utility>

#include "forebay/storage/errors.h"

namespace forebay::storage {

void PartedRead::start(std::shared_ptr<ObjectStore> store, ReadRequest request, const CallContext& context,
                       size_t parts, ReadCallback done) {
  Result<ReadTarget> target =
      allocate_read(request, request.length_bytes, request.if_version, store->uri_of(request.key));
  if (!target.ok()) {
    done(target.status());
    return;
  }
  std::make_shared<PartedRead>(std::move(store), std::move(request), *std::move(target), std::move(done))
      ->run(context, parts);
}

PartedRead::PartedRead(std::shared_ptr<ObjectStore> store, ReadRequest request, ReadTarget target,
                       ReadCallback done)
    : store_(std::move(store)),
      request_(std::move(request)),
      target_(std::move(target)),
      done_(std::move(done)) {
}

void PartedRead::run(CallContext context, size_t parts) {
  on_stop_.emplace(context.cancellation, Stop{stop_});
  context.cancellation = stop_.get_token();
  const uint64_t part_bytes = (request_.length_bytes + parts - 1) / parts;
  MutableBytes destination;
  {
    const MutexLock lock(mutex_);
    destination = target_.destination;
    left_ = (request_.length_bytes + part_bytes - 1) / part_bytes;
  }
  for (uint64_t begin = 0; begin < request_.length_bytes; begin += part_bytes) {
    const uint64_t length = std::min(part_bytes, request_.length_bytes - begin);
    store_->read({.key = request_.key,
                  .offset_bytes = request_.offset_bytes + begin,
                  .length_bytes = length,
                  .if_version = request_.if_version,
                  .into = destination.subspan(begin, length)},
                 context,
                 [self = shared_from_this()](Result<ReadBytes> part) { self->take(std::move(part)); });
  }
}

Status PartedRead::checked(const Result<ReadBytes>& part) {
  if (!part.ok()) {
    return part.status();
  }
  std::string& version = target_.answer.version;
  if (version.empty()) {
    version = part->version;
  }
  target_.answer.has_weak_version = target_.answer.has_weak_version || part->has_weak_version;
  return version == part->version ? ok_status()
                                  : version_changed(store_->uri_of(request_.key), version, part->version);
}

void PartedRead::take(Result<ReadBytes> part) {
  ReadCallback done;
  Result<ReadBytes> result = ReadBytes();
  bool is_first_failure = false;
  {
    const MutexLock lock(mutex_);
    const Status status = checked(part);
    is_first_failure = status_.ok() && !status.ok();
    if (is_first_failure) {
      status_ = status;
    }
    if (--left_ == 0) {
      done = std::move(done_);
      result = status_.ok() ? Result<ReadBytes>(std::move(target_.answer)) : status_;
    }
  }
  if (is_first_failure) {
    stop_.request_stop();
  }
  if (done) {
    on_stop_.reset();
    done(std::move(result));
  }
}

}  // namespace forebay::storage
