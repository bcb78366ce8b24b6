#include "forebay/storage/remote/gathering_writer.h"

#include <algorithm>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/memory/copy.h"

namespace forebay::storage {
namespace {

constexpr size_t kPartsOfASize = 1000;  // then their size doubles: 10,000 parts of 8 MB hold over 8 TB
constexpr uint64_t kLeastPieceBytes = 64 << 20;  // of what is split
constexpr uint64_t kMaxPieces = 1000;

/// The callback of a call that became several parts: the first error of all, when all are done.
class PartsDone {
 public:
  PartsDone(size_t parts, StatusCallback done) : left_(parts), done_(std::move(done)) {}

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
  size_t left_ FOREBAY_GUARDED_BY(mutex_);
  Status first_ FOREBAY_GUARDED_BY(mutex_);
  StatusCallback done_;
};

}  // namespace

GatheringWriter::~GatheringWriter() {
  if (upload_) {
    upload_->abort();
  }
}

PartLimits GatheringWriter::limits() const {
  return {.in_flight = options_.parts_in_flight, .best_bytes = least_part_bytes()};
}

uint64_t GatheringWriter::least_part_bytes() const {
  const size_t parts = upload_ && options_.parts_grow ? upload_->parts() : 0;
  return std::min(options_.part_bytes << std::min<size_t>(parts / kPartsOfASize, 16), options_.largest_bytes);
}

void GatheringWriter::append(Bytes part, const CallContext& context, StatusCallback done) {
  if (failure_.ok() && !is_wanted(context)) {
    failure_ = not_wanted(context, target_->uri());
  }
  if (!failure_.ok()) {
    done(failure_);
    return;
  }
  size_bytes_ += part.size();
  const uint64_t least = least_part_bytes();
  if (gathered_ == nullptr && part.size() >= least) {
    send_in_place(part, context, std::move(done));
    return;
  }
  failure_ = gather(part);
  if (!failure_.ok() || !is_full()) {
    done(failure_);
    return;
  }
  const Gathered full = take_gathered();
  if (part.size() >= least) {
    auto both = std::make_shared<PartsDone>(2, std::move(done));
    send(full.bytes, full.owner, context, [both](const Status& status) { both->finish(status); });
    send_in_place(part, context, [both](const Status& status) { both->finish(status); });
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
Status GatheringWriter::gather(Bytes& part) {
  if (part.empty()) {
    return ok_status();
  }
  if (gathered_ == nullptr) {
    Result<memory::BufferRef> buffer = memory::Buffer::allocate(least_part_bytes());
    FOREBAY_RETURN_IF_ERROR(annotate(buffer.status(), target_->uri()));
    gathered_ = *std::move(buffer);
    gathered_bytes_ = 0;
  }
  const size_t taken = std::min<size_t>(part.size(), gathered_->size_bytes() - gathered_bytes_);
  memory::copy(gathered_->mutable_bytes().data() + gathered_bytes_, part.data(), taken);
  gathered_bytes_ += taken;
  part = part.subspan(taken);
  return ok_status();
}

bool GatheringWriter::is_full() const {
  return gathered_ != nullptr && gathered_bytes_ == gathered_->size_bytes();
}

GatheringWriter::Gathered GatheringWriter::take_gathered() {
  Gathered taken;
  if (gathered_ != nullptr) {
    taken.bytes = gathered_->bytes().first(gathered_bytes_);
    taken.owner = std::move(gathered_);
  }
  gathered_ = nullptr;
  gathered_bytes_ = 0;
  return taken;
}

/// Sends the whole units of a part, and gathers what is left.
void GatheringWriter::send_in_place(Bytes part, const CallContext& context, StatusCallback done) {
  Bytes rest = part.subspan(part.size() / options_.part_unit_bytes * options_.part_unit_bytes);
  const Bytes whole = part.first(part.size() - rest.size());
  failure_ = gather(rest);
  if (failure_.ok()) {
    send_split(whole, context, std::move(done));
  } else {
    done(failure_);
  }
}

// All pieces are handed over at once: who takes them may have to look at each byte first, which is the
// caller's work, not that of the thread that answers.
void GatheringWriter::send_split(Bytes part, const CallContext& context, StatusCallback done) {
  if (part.size() <= options_.largest_bytes) {
    send(part, nullptr, context, std::move(done));
    return;
  }
  const uint64_t wanted = std::max({least_part_bytes(), kLeastPieceBytes, part.size() / kMaxPieces});
  const size_t pieces = (part.size() - 1) / std::min(options_.largest_bytes, wanted) + 1;
  const size_t piece_bytes = (part.size() - 1) / pieces + 1;  // all alike: none is too small for the store
  auto all = std::make_shared<PartsDone>(pieces, std::move(done));
  for (size_t i = 0; i < pieces; ++i) {
    const Bytes rest = part.subspan(std::min<size_t>(i * piece_bytes, part.size()));
    send(rest.first(std::min<size_t>(rest.size(), piece_bytes)), nullptr, context,
         [all](const Status& status) { all->finish(status); });
  }
}

void GatheringWriter::send(Bytes content, memory::BufferRef owner, const CallContext& context,
                           StatusCallback done) {
  if (!upload_) {
    upload_ = target_->begin();
  }
  upload_->add(content, context, [owner = std::move(owner), done = std::move(done)](Status status) mutable {
    done(std::move(status));
  });
}

// From here on the upload ends by itself: with the object, or aborted; also if the writer goes meanwhile.
void GatheringWriter::commit(const CallContext& context, StatCallback done) {
  const std::shared_ptr<PartedUpload> upload = std::exchange(upload_, nullptr);
  const Gathered rest = take_gathered();
  const Status failure = std::exchange(failure_, failed_precondition("{}: was committed", target_->uri()));
  if (!failure.ok()) {
    finish_commit(upload, failure, std::move(done));
    return;
  }
  if (!upload) {
    target_->put(rest.bytes, write_options_, context,
                 [owner = rest.owner, done = std::move(done)](Result<ObjectStat> stat) mutable {
                   done(std::move(stat));
                 });
    return;
  }
  auto complete = [upload, size_bytes = size_bytes_, options = write_options_, context,
                   done = std::move(done)](const Status& status) mutable {
    if (!status.ok()) {
      finish_commit(upload, status, std::move(done));
      return;
    }
    upload->complete(size_bytes, options, context,
                     [upload, done = std::move(done)](Result<ObjectStat> stat) mutable {
                       finish_commit(upload, std::move(stat), std::move(done));
                     });
  };
  upload->add_last(rest.bytes, context,
                   [owner = rest.owner, complete = std::move(complete)](const Status& status) mutable {
                     complete(status);
                   });
}

void GatheringWriter::finish_commit(const std::shared_ptr<PartedUpload>& upload, Result<ObjectStat> made,
                                    StatCallback done) {
  if (upload && !made.ok()) {
    upload->abort();
  }
  done(std::move(made));
}

void write_in_parts(Result<std::unique_ptr<ObjectWriter>> opened, Bytes content, const CallContext& context,
                    StatCallback done) {
  if (!opened.ok()) {
    done(opened.status());
    return;
  }
  const std::shared_ptr<ObjectWriter> writer = *std::move(opened);
  writer->append(content, context, [writer, context, done = std::move(done)](const Status& status) mutable {
    if (status.ok()) {
      writer->commit(context, std::move(done));
    } else {
      done(status);
    }
  });
}

}  // namespace forebay::storage
