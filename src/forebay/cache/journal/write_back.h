// Writing back: objects are acknowledged once they are in the journal, and stored afterwards. This decides
// what may be written so, and brings it to the stores: the versions of one object in their order, several
// objects side by side, again and again while a store does not answer, and never over what somebody else has
// written meanwhile.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/sync/timer.h"
#include "forebay/cache/disk/disk_worker.h"
#include "forebay/cache/journal/journal.h"
#include "forebay/cache/journal/pending_objects.h"
#include "forebay/cache/journal/write_back_status.h"

namespace forebay::cache {

/// Where an object of the journal goes.
struct WriteBackTarget {
  std::shared_ptr<storage::ObjectStore> store;     // keeps what is written to it, if it has a cache
  std::shared_ptr<storage::ObjectStore> upstream;  // what is there is asked of this one
  std::string key;
};

/// Finds it by the path of its mount and its URI; an error if that mount does not hold it.
using WriteBackResolver =
    std::function<Result<WriteBackTarget>(const std::string& mount, const std::string& uri)>;

struct WriteBackOptions {
  using Runner = std::function<void(absl::AnyInvocable<void()>)>;

  std::string folder;
  std::shared_ptr<FileSystem> files;  // null: the host's
  WriteBackResolver resolve;
  Timer* timer = &process_timer();
  std::function<int64_t()> unix_ns;  // null: the system's clock
  // Where the journal is written, and where it is read for the stores; null: threads of its own.
  Runner journal_runner;
  Runner upload_runner;
  size_t uploads_at_once = 4;
  uint64_t least_free_bytes = uint64_t{1} << 30;  // of the journal's disk
  size_t most_objects = 65536;
};

/// A mount that is written back.
struct WriteBackUse {
  std::string mount;  // its path; empty: it is not
  uint64_t most_bytes = 0;
};

/// Thread safe; must be owned by a shared_ptr.
class WriteBack : public std::enable_shared_from_this<WriteBack> {
 public:
  static constexpr int64_t kFirstPauseNs = 500'000'000;
  static constexpr int64_t kLongestPauseNs = 60'000'000'000;
  static constexpr size_t kLastConflicts = 100;

  /// Takes over what an earlier run has left; nothing is stored before start().
  static Result<std::shared_ptr<WriteBack>> open(WriteBackOptions options);
  void start();
  /// Ends what is under way. What waits stays in the journal.
  void stop();

  JournalEntryRef newest(const std::string& uri) const;
  JournalEntryRef with_version(const std::string& uri, const std::string& version) const;
  std::optional<StoredVersion> stored(const std::string& version) const;
  /// The newest of all whose URI begins with `prefix`, in order.
  std::vector<JournalEntryRef> list(const std::string& prefix) const;

  /// Room for bytes that are about to be written: resource_exhausted if they have to go through.
  Status reserve(const WriteBackUse& use, uint64_t bytes);
  void release(const std::string& mount, uint64_t bytes);
  /// `upstream` is the writer's: failed_precondition if the object would be stored by another.
  Result<std::unique_ptr<JournalDraft>> begin(const std::string& uri, const WriteBackUse& use,
                                              const storage::ObjectStore* upstream);
  /// What the disk said, should it be an error: after one that is not about room the journal is off.
  void note(const Status& status);
  Result<WriteBackTarget> resolve(const std::string& mount, const std::string& uri) const {
    return options_.resolve(mount, uri);
  }

  /// An object whose bytes are in the journal.
  struct Commit {
    std::shared_ptr<JournalDraft> draft;
    std::string uri;
    std::string mount;
    std::string key;
    std::shared_ptr<storage::ObjectStore> upstream;
    storage::WriteOptions options;
    storage::CallContext context;
  };
  struct Committed {
    JournalEntryRef entry;
    Status
        refusal;  // for the writer. Ok without an entry: the journal failed, and it must be written through
  };
  using CommitCallback = absl::AnyInvocable<void(Committed)>;
  void commit(Commit commit, CommitCallback done);

  /// Once everything is stored that was acknowledged before, of an object or of all below a prefix that ends
  /// with "/". An attempt that fails is an error; one that was put off is made now.
  void when_stored(const std::string& uri, const storage::CallContext& context, storage::StatusCallback done);

  /// Of what lies at or below a URI; empty: of all.
  WriteBackStatus status(const std::string& uri = {}) const;
  bool is_empty() const;
  /// Attempts that were put off are made now.
  void hurry();
  void count_through();

  /// Does something on the journal's thread.
  void run_on_journal(absl::AnyInvocable<void()> job) { journal_runner_(std::move(job)); }

 private:
  friend class Upload;

  WriteBack(WriteBackOptions options, std::shared_ptr<Journal> journal);

  void take_left(JournalLeft left);
  void look_then_commit(const std::shared_ptr<Commit>& commit, CommitCallback done);
  void commit_now(const std::shared_ptr<Commit>& commit, std::optional<Result<storage::ObjectStat>> seen,
                  CommitCallback done);
  void end_commit(const std::string& uri);
  void publish(const std::shared_ptr<Commit>& commit, const JournalEntryRef& entry,
               const JournalCondition& condition);

  void schedule(const std::string& uri) FOREBAY_REQUIRES(mutex_);
  void hurry(PendingObject& object) FOREBAY_REQUIRES(mutex_);
  void pump();
  void try_again(const std::string& uri);

  // What an upload has come to.
  void end_upload(const std::string& uri, const StoredVersion& stored);
  void end_damaged(const std::string& uri, const Status& why);
  void end_failed(const std::string& uri, const Status& why);
  void finish_first(const std::string& uri, const StoredVersion& stored, bool is_lost, const Status& said);

  const WriteBackOptions options_;
  const std::shared_ptr<Journal> journal_;
  DiskWorker journal_worker_;
  DiskWorker upload_worker_;
  const WriteBackOptions::Runner journal_runner_;
  const WriteBackOptions::Runner upload_runner_;
  std::stop_source stop_;
  mutable Mutex mutex_;
  PendingObjects objects_ FOREBAY_GUARDED_BY(mutex_);
  std::map<std::string, uint64_t, std::less<>> bytes_ FOREBAY_GUARDED_BY(mutex_);  // of each mount
  size_t waiting_ FOREBAY_GUARDED_BY(mutex_) = 0;                                  // versions
  std::deque<std::string> ready_ FOREBAY_GUARDED_BY(mutex_);
  size_t uploading_ FOREBAY_GUARDED_BY(mutex_) = 0;
  bool is_started_ FOREBAY_GUARDED_BY(mutex_) = false;
  WriteBackStatus counts_ FOREBAY_GUARDED_BY(mutex_);  // what happened; what waits is counted when asked
};

}  // namespace forebay::cache
