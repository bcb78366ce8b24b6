#include "forebay/cache/journal/write_back.h"

#include <algorithm>
#include <set>

#include "forebay/base/clock.h"
#include "forebay/base/log/log.h"
#include "forebay/base/system_error.h"
#include "forebay/cache/journal/upload.h"
#include "forebay/cache/rules/rule_table.h"
#include "forebay/storage/remote/while_wanted.h"

namespace forebay::cache {

using storage::CallContext;
using storage::ObjectStat;

namespace {

/// How long a store may take to say what it has before nobody waits for that.
constexpr int64_t kMaxLookNs = 5'000'000'000;

bool is_at_or_below(const std::string& uri, const std::string& folder) {
  return folder.empty() || lies_below(uri, without_end_slashes(folder));
}

}  // namespace

WriteBack::WriteBack(WriteBackOptions options, std::shared_ptr<Journal> journal)
    : options_(std::move(options)),
      journal_(std::move(journal)),
      journal_runner_(
          options_.journal_runner
              ? options_.journal_runner
              : [this](absl::AnyInvocable<void()> job) { journal_worker_.add(std::move(job), 0); }),
      upload_runner_(options_.upload_runner ? options_.upload_runner
                                            : [this](absl::AnyInvocable<void()> job) {
                                                upload_worker_.add(std::move(job), 0);
                                              }) {
}

Result<std::shared_ptr<WriteBack>> WriteBack::open(WriteBackOptions options) {
  options.files = options.files ? options.files : host_files();
  options.unix_ns = options.unix_ns ? options.unix_ns : wall_clock_ns;
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<Journal> journal, Journal::open(options.folder, options.files));
  JournalLeft left = journal->take_left();
  std::shared_ptr<WriteBack> made(new WriteBack(std::move(options), std::move(journal)));
  made->take_left(std::move(left));
  return made;
}

// What a version follows lies in front of it, or has left its outcome; if neither, nobody knows what it was
// to replace.
void WriteBack::take_left(JournalLeft left) {
  std::set<uint64_t> followed;
  const MutexLock lock(mutex_);
  for (const JournalEntryRef& entry : left.entries) {
    PendingVersion version = {.entry = entry, .condition = entry->facts().footer.condition};
    const std::deque<PendingVersion>& front = objects_.at(entry->uri()).versions;
    const uint64_t after = version.condition.after;
    const bool is_behind = !front.empty() && front.back().entry->id() == after;
    if (version.condition.base == JournalBase::kAfter && !is_behind) {
      const auto outcome = left.outcomes.find(after);
      const std::string stored = outcome == left.outcomes.end() ? "" : outcome->second;
      version.is_orphan = stored.empty();
      version.condition = {.base = JournalBase::kVersion, .version = stored};
    }
    followed.insert(after);
    bytes_[entry->facts().header.mount] += entry->size_bytes();
    ++waiting_;
    objects_.add(std::move(version));
  }
  for (const auto& [id, version] : left.outcomes) {
    if (!followed.contains(id)) {
      journal_->forget_outcome(id);
    }
  }
  counts_.damaged = std::move(left.damaged);
}

void WriteBack::start() {
  {
    const MutexLock lock(mutex_);
    is_started_ = true;
    std::vector<std::string> uris;
    objects_.visit("", [&](const std::string& uri, const PendingObject&) {
      uris.push_back(uri);
      return true;
    });
    std::ranges::for_each(uris, [this](const std::string& uri) FOREBAY_REQUIRES(mutex_) { schedule(uri); });
  }
  pump();
}

void WriteBack::stop() {
  {
    const MutexLock lock(mutex_);
    is_started_ = false;
  }
  stop_.request_stop();
}

JournalEntryRef WriteBack::newest(const std::string& uri) const {
  const MutexLock lock(mutex_);
  return objects_.newest(uri);
}

JournalEntryRef WriteBack::with_version(const std::string& uri, const std::string& version) const {
  const MutexLock lock(mutex_);
  return objects_.with_version(uri, version);
}

std::optional<StoredVersion> WriteBack::stored(const std::string& version) const {
  const MutexLock lock(mutex_);
  return objects_.stored(version);
}

std::vector<JournalEntryRef> WriteBack::list(const std::string& prefix) const {
  std::vector<JournalEntryRef> all;
  const MutexLock lock(mutex_);
  objects_.visit(prefix, [&](const std::string&, const PendingObject& object) {
    all.push_back(object.versions.back().entry);
    return true;
  });
  return all;
}

Status WriteBack::reserve(const WriteBackUse& use, uint64_t bytes) {
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t free, journal_->free_bytes());
  if (free < options_.least_free_bytes || free - options_.least_free_bytes < bytes) {
    return resource_exhausted("the disk of the journal is full");
  }
  const MutexLock lock(mutex_);
  if (!counts_.off.empty() || !is_started_) {
    return resource_exhausted("the journal is off: {}", counts_.off);
  }
  uint64_t& held = bytes_[use.mount];
  if (held > use.most_bytes || use.most_bytes - held < bytes || waiting_ >= options_.most_objects) {
    return resource_exhausted("{} objects wait to be stored, {} bytes of {}", waiting_, held, use.mount);
  }
  held += bytes;
  return ok_status();
}

void WriteBack::release(const std::string& mount, uint64_t bytes) {
  const MutexLock lock(mutex_);
  bytes_[mount] -= bytes;
}

Result<std::unique_ptr<JournalDraft>> WriteBack::begin(const std::string& uri, const WriteBackUse& use,
                                                       const storage::ObjectStore* upstream) {
  FOREBAY_RETURN_IF_ERROR(reserve(use, 0));
  const Result<WriteBackTarget> target = resolve(use.mount, uri);
  if (!target.ok()) {
    return failed_precondition("nothing could store it later: {}", message(target.status()));
  }
  if (target->upstream.get() != upstream) {
    return failed_precondition("{}: it would be stored with other credentials or options than the writer's",
                               uri);
  }
  return journal_->begin(uri, use.mount);
}

// A full disk may have room again. What else a disk says makes all that it is given doubtful.
void WriteBack::note(const Status& status) {
  const bool is_of_disk = errno_of(status).has_value();
  if (status.ok() || !is_of_disk || status.code() == StatusCode::kResourceExhausted) {
    return;
  }
  const MutexLock lock(mutex_);
  if (counts_.off.empty()) {
    counts_.off = std::string(message(status));
    log_warning("nothing is written back any more, for the journal fails: {}", counts_.off);
  }
}

void WriteBack::count_through() {
  const MutexLock lock(mutex_);
  ++counts_.through;
}

void WriteBack::commit(Commit commit, CommitCallback done) {
  bool is_known = false;
  {
    const MutexLock lock(mutex_);
    PendingObject& object = objects_.at(commit.uri);
    ++object.commits;
    is_known = !object.versions.empty();
  }
  auto shared = std::make_shared<Commit>(std::move(commit));
  if (!is_known) {
    look_then_commit(shared, std::move(done));
    return;
  }
  journal_runner_([self = shared_from_this(), shared, done = std::move(done)]() mutable {
    self->commit_now(shared, std::nullopt, std::move(done));
  });
}

void WriteBack::look_then_commit(const std::shared_ptr<Commit>& commit, CommitCallback done) {
  CallContext soon = commit->context;
  soon.deadline_ns = std::min(soon.deadline_ns, steady_clock().now_ns() + kMaxLookNs);
  commit->upstream->stat(
      commit->key, soon,
      [self = shared_from_this(), commit, done = std::move(done)](Result<ObjectStat> stat) mutable {
        self->journal_runner_([self, commit, stat = std::move(stat), done = std::move(done)]() mutable {
          self->commit_now(commit, std::move(stat), std::move(done));
        });
      });
}

// Commits come one after the other, so nothing is published between the look at the object and the entry.
void WriteBack::commit_now(const std::shared_ptr<Commit>& commit, std::optional<Result<ObjectStat>> seen,
                           CommitCallback done) {
  CommitBase base;
  {
    const MutexLock lock(mutex_);
    base = objects_.base_of(commit->uri, commit->options, seen);
  }
  if (base.needs_stat) {  // what was there has gone meanwhile
    look_then_commit(commit, std::move(done));
    return;
  }
  if (!is_wanted(commit->context)) {
    base.refusal = not_wanted(commit->context, commit->uri);
  }
  Committed committed = {.refusal = base.refusal};
  if (base.refusal.ok()) {
    const Result<JournalEntryRef> entry =
        journal_->commit(*commit->draft, base.condition, options_.unix_ns());
    if (entry.ok()) {
      committed.entry = *entry;
      publish(commit, *entry, base.condition);
    } else {
      note(entry.status());
    }
  }
  end_commit(commit->uri);
  pump();
  done(std::move(committed));
}

void WriteBack::publish(const std::shared_ptr<Commit>& commit, const JournalEntryRef& entry,
                        const JournalCondition& condition) {
  const MutexLock lock(mutex_);
  ++waiting_;
  objects_.add({.entry = entry, .condition = condition});
  schedule(commit->uri);
}

void WriteBack::end_commit(const std::string& uri) {
  const MutexLock lock(mutex_);
  --objects_.at(uri).commits;
  objects_.tidy(uri);
}

void WriteBack::when_stored(const std::string& uri, const CallContext& context,
                            storage::StatusCallback done) {
  std::vector<std::string> uris;
  {
    const MutexLock lock(mutex_);
    if (uri.ends_with('/')) {
      objects_.visit(uri, [&](const std::string& below, const PendingObject&) {
        uris.push_back(below);
        return true;
      });
    } else if (const PendingObject* object = objects_.find(uri); object && !object->versions.empty()) {
      uris.push_back(uri);
    }
  }
  if (uris.empty()) {
    done(ok_status());
    return;
  }
  struct All {
    Mutex mutex;
    size_t left FOREBAY_GUARDED_BY(mutex) = 0;
    Status first FOREBAY_GUARDED_BY(mutex);
    absl::AnyInvocable<void(Result<bool>)> done;
  };
  auto all = std::make_shared<All>();
  all->done = storage::while_wanted<bool>(
      context, uri, [done = std::move(done)](Result<bool> over) mutable { done(over.status()); },
      *options_.timer);
  {
    const MutexLock own(all->mutex);
    all->left = uris.size() + 1;
  }
  const auto arrive = [all](const Status& status) {
    Status first;
    {
      const MutexLock own(all->mutex);
      all->first.Update(status);
      if (--all->left > 0) {
        return;
      }
      first = all->first;
    }
    all->done(first.ok() ? Result<bool>(true) : first);
  };
  for (const std::string& each : uris) {
    bool is_over = true;
    {
      const MutexLock lock(mutex_);
      PendingObject* const object = objects_.find(each);
      if (object != nullptr && !object->versions.empty()) {
        is_over = false;
        object->waiters.push_back({.sequence = object->versions.back().entry->facts().footer.sequence,
                                   .most_failures = object->failures + (object->is_busy ? 1 : 0),
                                   .done = arrive});
        hurry(*object);
      }
    }
    if (is_over) {
      arrive(ok_status());
    }
  }
  arrive(ok_status());
}

WriteBackStatus WriteBack::status(const std::string& uri) const {
  const MutexLock lock(mutex_);
  WriteBackStatus status = counts_;
  status.uploading = uploading_;
  if (uri.empty()) {
    for (const auto& [mount, bytes] : bytes_) {
      status.bytes += bytes;
    }
  }
  objects_.visit("", [&](const std::string& name, const PendingObject& object) {
    if (!is_at_or_below(name, uri)) {
      return true;
    }
    for (const PendingVersion& version : object.versions) {
      const JournalFooter& footer = version.entry->facts().footer;
      ++status.objects;
      status.bytes += uri.empty() ? 0 : footer.content_bytes;
      status.oldest_ns =
          status.oldest_ns == 0 ? footer.written_ns : std::min(status.oldest_ns, footer.written_ns);
    }
    if (!object.error.empty()) {
      ++status.failing;
      status.last_error = object.error;
    }
    return true;
  });
  return status;
}

bool WriteBack::is_empty() const {
  const MutexLock lock(mutex_);
  return waiting_ == 0;
}

}  // namespace forebay::cache
