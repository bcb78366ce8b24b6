#include "forebay/cache/journal/write_back_writer.h"

#include <utility>
#include <vector>

namespace forebay::cache {

using storage::CallContext;
using storage::ObjectStat;
using storage::StatCallback;
using storage::StatusCallback;

/// Owned by the writer and by its calls under way, of which there is one at a time.
class WriteBackWriter::Write : public std::enable_shared_from_this<Write> {
 public:
  Write(Place place, storage::WriteOptions options, bool is_journalled)
      : place_(std::move(place)), options_(std::move(options)), is_journalled_(is_journalled) {}
  ~Write() { place_.journal->release(place_.use.mount, reserved_bytes_); }

  void append(Bytes part, const CallContext& context, StatusCallback done);
  void commit(const CallContext& context, StatCallback done);

 private:
  void take(Bytes part, const CallContext& context, StatusCallback done);
  Status append_to_journal(Bytes part);
  Status begin();
  void go_through(const CallContext& context, StatusCallback done);
  Status open_through();
  void copy_from(uint64_t offset_bytes, const CallContext& context, StatusCallback done);
  void commit_through(const CallContext& context, StatCallback done);
  void take_committed(WriteBack::Committed committed, const CallContext& context, StatCallback done);

  const Place place_;
  const storage::WriteOptions options_;
  bool is_journalled_;
  std::shared_ptr<JournalDraft> draft_;  // null before the first byte, and once nothing is wanted of it
  uint64_t reserved_bytes_ = 0;
  std::unique_ptr<storage::ObjectWriter> through_;
  Status failure_;  // of an append
};

WriteBackWriter::WriteBackWriter(Place place, storage::WriteOptions options, bool is_journalled)
    : write_(std::make_shared<Write>(std::move(place), std::move(options), is_journalled)) {
}

WriteBackWriter::~WriteBackWriter() = default;

void WriteBackWriter::append(Bytes part, const CallContext& context, StatusCallback done) {
  write_->append(part, context, std::move(done));
}

void WriteBackWriter::commit(const CallContext& context, StatCallback done) {
  write_->commit(context, std::move(done));
}

Status WriteBackWriter::Write::begin() {
  if (draft_) {
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<JournalDraft> draft,
                           place_.journal->begin(place_.uri, place_.use, place_.upstream.get()));
  draft_ = std::move(draft);
  return ok_status();
}

Status WriteBackWriter::Write::append_to_journal(Bytes part) {
  FOREBAY_RETURN_IF_ERROR(begin());
  FOREBAY_RETURN_IF_ERROR(place_.journal->reserve(place_.use, part.size()));
  reserved_bytes_ += part.size();
  return draft_->append(part);
}

void WriteBackWriter::Write::append(Bytes part, const CallContext& context, StatusCallback done) {
  if (failure_.ok() && !is_wanted(context)) {
    failure_ = not_wanted(context, place_.uri);
  }
  if (!failure_.ok()) {
    done(failure_);
    return;
  }
  take(part, context, [self = shared_from_this(), done = std::move(done)](const Status& status) mutable {
    self->failure_ = status;
    done(status);
  });
}

void WriteBackWriter::Write::take(Bytes part, const CallContext& context, StatusCallback done) {
  place_.journal->run_on_journal([self = shared_from_this(), part, context,
                                  done = std::move(done)]() mutable {
    if (self->through_) {
      self->through_->append(part, context, std::move(done));
      return;
    }
    const Status status =
        self->is_journalled_ ? self->append_to_journal(part) : unimplemented("not journalled");
    if (status.ok()) {
      done(status);
      return;
    }
    self->place_.journal->note(status);
    self->go_through(context, [self, part, context, done = std::move(done)](const Status& opened) mutable {
      if (opened.ok()) {
        self->through_->append(part, context, std::move(done));
      } else {
        done(opened);
      }
    });
  });
}

// What was acknowledged of the object before comes first.
void WriteBackWriter::Write::go_through(const CallContext& context, StatusCallback done) {
  is_journalled_ = false;
  place_.journal->count_through();
  place_.journal->when_stored(
      place_.uri, context,
      [self = shared_from_this(), context, done = std::move(done)](Status status) mutable {
        status = status.ok() ? self->open_through() : status;
        if (!status.ok()) {
          done(status);
          return;
        }
        self->copy_from(0, context, std::move(done));
      });
}

// Who names a version of the journal means what it is called now.
Status WriteBackWriter::Write::open_through() {
  storage::WriteOptions options = options_;
  const std::optional<StoredVersion> stored = place_.journal->stored(options.if_version);
  options.if_version = stored ? stored->version : options.if_version;
  FOREBAY_ASSIGN_OR_RETURN(through_, place_.inner->open_writer(place_.key, std::move(options)));
  return ok_status();
}

void WriteBackWriter::Write::copy_from(uint64_t offset_bytes, const CallContext& context,
                                       StatusCallback done) {
  if (!draft_ || offset_bytes >= draft_->size_bytes()) {
    draft_.reset();
    place_.journal->release(place_.use.mount, std::exchange(reserved_bytes_, 0));
    done(ok_status());
    return;
  }
  Result<std::vector<std::byte>> chunk = draft_->read_chunk(offset_bytes);
  if (!chunk.ok()) {
    done(chunk.status());
    return;
  }
  const auto bytes = std::make_shared<std::vector<std::byte>>(*std::move(chunk));
  through_->append(
      *bytes, context,
      [self = shared_from_this(), bytes, next = offset_bytes + bytes->size(), context,
       done = std::move(done)](const Status& status) mutable {
        if (!status.ok()) {
          done(status);
          return;
        }
        self->place_.journal->run_on_journal([self, next, context, done = std::move(done)]() mutable {
          self->copy_from(next, context, std::move(done));
        });
      });
}

void WriteBackWriter::Write::commit_through(const CallContext& context, StatCallback done) {
  if (through_) {
    through_->commit(context, std::move(done));
    return;
  }
  go_through(context,
             [self = shared_from_this(), context, done = std::move(done)](const Status& opened) mutable {
               if (opened.ok()) {
                 self->through_->commit(context, std::move(done));
               } else {
                 done(opened);
               }
             });
}

void WriteBackWriter::Write::commit(const CallContext& context, StatCallback done) {
  if (!failure_.ok()) {
    done(failure_);
    return;
  }
  place_.journal->run_on_journal([self = shared_from_this(), context, done = std::move(done)]() mutable {
    if (self->through_ || !self->is_journalled_) {
      self->commit_through(context, std::move(done));
      return;
    }
    const Status begun = self->begin();
    if (!begun.ok()) {
      self->place_.journal->note(begun);
      self->commit_through(context, std::move(done));
      return;
    }
    self->place_.journal->commit(
        {.draft = self->draft_,
         .uri = self->place_.uri,
         .mount = self->place_.use.mount,
         .key = self->place_.key,
         .upstream = self->place_.upstream,
         .options = self->options_,
         .context = context},
        [self, context, done = std::move(done)](WriteBack::Committed committed) mutable {
          self->take_committed(std::move(committed), context, std::move(done));
        });
  });
}

void WriteBackWriter::Write::take_committed(WriteBack::Committed committed, const CallContext& context,
                                            StatCallback done) {
  if (committed.entry) {
    reserved_bytes_ = 0;  // they are the entry's
    draft_.reset();
    done(committed.entry->stat(place_.key));
  } else if (!committed.refusal.ok()) {
    done(committed.refusal);
  } else {
    commit_through(context, std::move(done));
  }
}

}  // namespace forebay::cache
