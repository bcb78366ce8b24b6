#include "forebay/storage/tree/copy_object.h"

#include <algorithm>
#include <condition_variable>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/blocking.h"

namespace forebay::storage {
namespace {

constexpr uint64_t kMaxParts = 9000;  // S3 takes 10,000

/// One part on its way: read, then appended. Its bytes are kept until the writer has taken them.
class Part {
 public:
  void start_read(ObjectStore& store, ReadRequest request, const CallContext& context) {
    {
      const MutexLock lock(mutex_);
      is_reading_ = true;
    }
    store.read(std::move(request), context, [this](Result<ReadBytes> read) {
      const MutexLock lock(mutex_);
      read_ = std::move(read);
      is_reading_ = false;
      changed_.notify_all();
    });
  }

  /// The bytes, once they are there.
  Result<Bytes> wait_for_read() {
    UniqueMutexLock lock(mutex_);
    changed_.wait(lock.native(), [this]() FOREBAY_REQUIRES(mutex_) { return read_.has_value(); });
    return read_->ok() ? Result<Bytes>((*read_)->bytes) : read_->status();
  }

  void start_append(ObjectWriter& writer, Bytes bytes, const CallContext& context) {
    {
      const MutexLock lock(mutex_);
      is_appending_ = true;
    }
    writer.append(bytes, context, [this](Status appended) {
      const MutexLock lock(mutex_);
      appended_ = std::move(appended);
      is_appending_ = false;
      changed_.notify_all();
    });
  }

  /// Waits for what is on its way, and makes room for another part.
  Status clear() {
    UniqueMutexLock lock(mutex_);
    changed_.wait(lock.native(),
                  [this]() FOREBAY_REQUIRES(mutex_) { return !is_appending_ && !is_reading_; });
    read_.reset();
    return std::exchange(appended_, ok_status());
  }

 private:
  Mutex mutex_;
  std::condition_variable changed_;
  std::optional<Result<ReadBytes>> read_ FOREBAY_GUARDED_BY(mutex_);
  bool is_reading_ FOREBAY_GUARDED_BY(mutex_) = false;
  bool is_appending_ FOREBAY_GUARDED_BY(mutex_) = false;
  Status appended_ FOREBAY_GUARDED_BY(mutex_);
};

/// A copy in parts: a window of them is read ahead of the writer, which takes them in order.
class PartedCopy {
 public:
  PartedCopy(const ObjectAddress& from, const ObjectStat& stat, ObjectWriter& writer,
             const CopyOptions& options, const CallContext& context)
      : from_(from), stat_(stat), writer_(writer), options_(options), context_(context) {
    const PartLimits limits = writer.limits();
    part_bytes_ = std::max(
        {options.part_bytes, limits.least_bytes, limits.best_bytes, stat.size_bytes / kMaxParts + 1});
    count_ = (stat.size_bytes + part_bytes_ - 1) / part_bytes_;
    const size_t window =
        std::clamp<size_t>(limits.in_flight, 1, std::max<size_t>(1, options.parts_in_flight));
    parts_ = std::vector<Part>(std::min<uint64_t>(window, count_));
  }

  Status run() {
    Status status;
    while (begun_ < parts_.size()) {
      begin_part();
    }
    while (ended_ < count_ && status.ok()) {
      status = pass_on();
    }
    const Status left = finish_all();
    return status.ok() ? left : status;
  }

 private:
  uint64_t length_of(uint64_t part) const {
    return std::min(part_bytes_, stat_.size_bytes - part * part_bytes_);
  }
  Part& slot(uint64_t part) { return parts_[part % parts_.size()]; }

  void begin_part() {
    slot(begun_).start_read(*from_.store,
                            {.key = from_.key,
                             .offset_bytes = begun_ * part_bytes_,
                             .length_bytes = length_of(begun_),
                             .if_version = stat_.version},
                            context_);
    ++begun_;
  }

  /// Gives the next part to the writer, and its place in the window to a part that is still to be read.
  Status pass_on() {
    FOREBAY_ASSIGN_OR_RETURN(const Bytes bytes, slot(ended_).wait_for_read());
    slot(ended_).start_append(writer_, bytes, context_);
    ++ended_;
    if (options_.progress) {
      options_.progress(bytes.size());
    }
    if (begun_ < count_) {
      FOREBAY_RETURN_IF_ERROR(slot(begun_).clear());
      begin_part();
    }
    return ok_status();
  }

  /// Nothing may be on its way when the writer commits or goes.
  Status finish_all() {
    Status first;
    for (uint64_t part = begun_ - std::min<uint64_t>(begun_, parts_.size()); part < begun_; ++part) {
      Status appended = slot(part).clear();
      first.Update(std::move(appended));
    }
    return first;
  }

  const ObjectAddress& from_;
  const ObjectStat& stat_;
  ObjectWriter& writer_;
  const CopyOptions& options_;
  const CallContext& context_;
  uint64_t part_bytes_ = 0;
  uint64_t count_ = 0;
  uint64_t begun_ = 0;  // parts whose reads have been started
  uint64_t ended_ = 0;  // parts that the writer has been given
  std::vector<Part> parts_;
};

Result<ObjectStat> copy_small(const ObjectAddress& from, const ObjectAddress& to, const ObjectStat& stat,
                              const CopyOptions& options, const CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(
      const ReadBytes read,
      read_now(*from.store, {.key = from.key, .length_bytes = stat.size_bytes, .if_version = stat.version},
               context));
  FOREBAY_ASSIGN_OR_RETURN(ObjectStat written, write_now(*to.store, to.key, read.bytes,
                                                         {.if_absent = options.if_absent}, context));
  if (options.progress) {
    options.progress(stat.size_bytes);
  }
  return written;
}

Result<ObjectStat> copy_in_parts(const ObjectAddress& from, const ObjectAddress& to, const ObjectStat& stat,
                                 const CopyOptions& options, const CallContext& context) {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<ObjectWriter> writer,
                           to.store->open_writer(to.key, {.if_absent = options.if_absent}));
  FOREBAY_RETURN_IF_ERROR(PartedCopy(from, stat, *writer, options, context).run());
  return commit_now(*writer, context);
}

Result<ObjectStat> copy_version(const ObjectAddress& from, const ObjectAddress& to, const ObjectStat& stat,
                                const CopyOptions& options, const CallContext& context) {
  const bool is_small = stat.size_bytes <= options.part_bytes;
  return is_small ? copy_small(from, to, stat, options, context)
                  : copy_in_parts(from, to, stat, options, context);
}

}  // namespace

Result<ObjectStat> copy_object(const ObjectAddress& from, const ObjectAddress& to, const CopyOptions& options,
                               const CallContext& context) {
  const bool is_one_store = from.store->identity() == to.store->identity();
  if (is_one_store && from.key == to.key) {
    return invalid_argument("{} cannot be copied onto itself", from.uri());
  }
  if (is_one_store && to.store->features().can_copy) {
    FOREBAY_ASSIGN_OR_RETURN(
        ObjectStat made,
        copy_now(*to.store,
                 {.from = from.key,
                  .to = to.key,
                  .if_version = options.only_listed && options.listed ? options.listed->version : "",
                  .if_absent = options.if_absent},
                 context));
    if (options.progress) {
      options.progress(made.size_bytes);
    }
    return made;
  }
  if (options.listed && !options.listed->version.empty()) {
    Result<ObjectStat> copied = copy_version(from, to, *options.listed, options, context);
    if (copied.status().code() != StatusCode::kAborted || options.only_listed) {
      return copied;  // else it was replaced after it was listed
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(const ObjectStat stat, stat_now(*from.store, from.key, context));
  return copy_version(from, to, stat, options, context);
}

}  // namespace forebay::storage
