#include "forebay/storage/s3/s3_writer.h"

#include <algorithm>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/memory/copy.h"
#include "forebay/storage/s3/s3_object.h"

namespace forebay::storage {
namespace {

constexpr size_t kPartsOfASize = 1000;  // then their size doubles: 10,000 parts hold over 8 TB

/// The callback of a call that became two parts: the first error of both, when both are done.
class TwoParts {
 public:
  explicit TwoParts(StatusCallback done) : done_(std::move(done)) {}

  void finish(const Status& status) {
    Status first;
    {
      const MutexLock lock(mutex_);
      first_.Update(status);
      if (--left_ > 0) {
        return;
      }
      first = first_;
    }
    done_(first);
  }

 private:
  Mutex mutex_;
  int left_ FOREBAY_GUARDED_BY(mutex_) = 2;
  Status first_ FOREBAY_GUARDED_BY(mutex_);
  StatusCallback done_;
};

}  // namespace

S3Writer::~S3Writer() {
  if (upload_) {
    upload_->abort();
  }
}

PartLimits S3Writer::limits() const {
  return {.in_flight = connection_->options().parts_in_flight, .best_bytes = least_part_bytes()};
}

uint64_t S3Writer::least_part_bytes() const {
  const size_t parts = upload_ ? upload_->parts() : 0;
  return connection_->options().part_bytes << (parts / kPartsOfASize);
}

void S3Writer::append(Bytes part, const CallContext& context, StatusCallback done) {
  if (!failure_.ok() || !is_wanted(context)) {
    done(failure_.ok() ? not_wanted(context, connection_->uri_of(key_)) : failure_);
    return;
  }
  size_bytes_ += part.size();
  const uint64_t least = least_part_bytes();
  if (gathered_ == nullptr && part.size() >= least) {
    send(part, nullptr, context, std::move(done));
    return;
  }
  failure_ = gather(part);
  if (!failure_.ok() || !is_full()) {
    done(failure_);
    return;
  }
  const Gathered full = take_gathered();
  if (part.size() >= least) {
    auto both = std::make_shared<TwoParts>(std::move(done));
    send(full.bytes, full.owner, context, [both](const Status& status) { both->finish(status); });
    send(part, nullptr, context, [both](const Status& status) { both->finish(status); });
    return;
  }
  failure_ = gather(part);
  if (!failure_.ok()) {
    done(failure_);
    return;
  }
  send(full.bytes, full.owner, context, std::move(done));
}

/// Copies as much of `part` as fits, and leaves the rest in it.
Status S3Writer::gather(Bytes& part) {
  if (part.empty()) {
    return ok_status();
  }
  if (gathered_ == nullptr) {
    Result<memory::BufferRef> buffer = memory::Buffer::allocate(least_part_bytes());
    FOREBAY_RETURN_IF_ERROR(annotate(buffer.status(), connection_->uri_of(key_)));
    gathered_ = *std::move(buffer);
    gathered_bytes_ = 0;
  }
  const size_t taken = std::min<size_t>(part.size(), gathered_->size_bytes() - gathered_bytes_);
  memory::copy(gathered_->mutable_bytes().data() + gathered_bytes_, part.data(), taken);
  gathered_bytes_ += taken;
  part = part.subspan(taken);
  return ok_status();
}

bool S3Writer::is_full() const {
  return gathered_ != nullptr && gathered_bytes_ == gathered_->size_bytes();
}

S3Writer::Gathered S3Writer::take_gathered() {
  Gathered taken;
  if (gathered_ != nullptr) {
    taken.bytes = gathered_->bytes().first(gathered_bytes_);
    taken.owner = std::move(gathered_);
  }
  gathered_ = nullptr;
  gathered_bytes_ = 0;
  return taken;
}

void S3Writer::send(Bytes content, memory::BufferRef owner, const CallContext& context, StatusCallback done) {
  if (!upload_) {
    upload_ = std::make_shared<S3Upload>(connection_, key_);
  }
  upload_->add(
      {.body = content}, context,
      [owner = std::move(owner), done = std::move(done)](Status status) mutable { done(std::move(status)); });
}

void S3Writer::commit(const CallContext& context, StatCallback done) {
  if (!failure_.ok()) {
    done(failure_);
    return;
  }
  const Gathered rest = take_gathered();
  if (!upload_) {
    put_object(connection_, key_, rest.bytes, options_, context,
               [owner = rest.owner, done = std::move(done)](Result<ObjectStat> stat) mutable {
                 done(std::move(stat));
               });
    return;
  }
  if (rest.bytes.empty()) {
    upload_->complete(size_bytes_, options_, context, std::move(done));
    return;
  }
  send(rest.bytes, rest.owner, context,
       [upload = upload_, size_bytes = size_bytes_, options = options_, context,
        done = std::move(done)](const Status& status) mutable {
         if (status.ok()) {
           upload->complete(size_bytes, options, context, std::move(done));
         } else {
           done(status);
         }
       });
}

}  // namespace forebay::storage
