// A journal of objects that wait to be stored: a folder with a file for each. What it has acknowledged
// outlives the process and a loss of power.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/cache/journal/journal_entry.h"

namespace forebay::cache {

class Journal;

/// An object that is being written to the journal. One thread at a time. Leaves nothing unless it is
/// committed.
class JournalDraft {
 public:
  ~JournalDraft();
  JournalDraft(const JournalDraft&) = delete;
  JournalDraft& operator=(const JournalDraft&) = delete;

  /// After an error, what was appended before can still be read.
  Status append(Bytes part);
  uint64_t size_bytes() const { return size_bytes_; }
  /// Reads back what was appended, and compares it: data_loss if the disk has changed it. `offset_bytes` is a
  /// multiple of kJournalChunkBytes; returns a chunk at most.
  Result<std::vector<std::byte>> read_chunk(uint64_t offset_bytes) const;

 private:
  friend class Journal;
  JournalDraft(std::shared_ptr<Journal> journal, JournalHeader header, std::string path,
               std::shared_ptr<File> file)
      : journal_(std::move(journal)),
        header_(std::move(header)),
        path_(std::move(path)),
        file_(std::move(file)) {}

  void add_to_checksums(Bytes part);

  const std::shared_ptr<Journal> journal_;
  const JournalHeader header_;
  const std::string path_;  // until it is committed
  const std::shared_ptr<File> file_;
  uint64_t size_bytes_ = 0;
  std::vector<uint32_t> chunk_crcs_;
  bool is_committed_ = false;
};

/// A file that could not be used, and was put aside.
struct JournalDamage {
  std::string file;  // where it lies now
  std::string uri;   // empty if that is not known
  std::string why;
};

/// What an earlier run has left.
struct JournalLeft {
  std::vector<JournalEntryRef> entries;      // in the order in which they were acknowledged
  std::map<uint64_t, std::string> outcomes;  // of files that others follow; see JournalOutcome
  std::vector<JournalDamage> damaged;
};

/// Thread safe.
class Journal : public std::enable_shared_from_this<Journal> {
 public:
  /// Makes the folder. Unfinished files are removed; damaged ones go to its folder `damaged`, and are never
  /// used. failed_precondition if another process has the folder.
  static Result<std::shared_ptr<Journal>> open(std::string folder, std::shared_ptr<FileSystem> files);

  /// What was found by open(); once.
  JournalLeft take_left();

  /// invalid_argument for names that are too long.
  Result<std::unique_ptr<JournalDraft>> begin(const std::string& uri, const std::string& mount);
  /// The object is durable when this returns. Calls for one object come one after the other. After an error
  /// the draft can still be read.
  Result<JournalEntryRef> commit(JournalDraft& draft, JournalCondition condition, int64_t written_ns);

  /// Keeps what became of an entry that others follow; durable when it returns.
  Status keep_outcome(const JournalOutcome& outcome);
  void forget_outcome(uint64_t id);
  /// The store has it. If something follows it, it must not come back: durable then.
  Status remove(const JournalEntry& entry, bool is_followed);
  /// Puts it aside, and says where.
  JournalDamage set_aside(const JournalEntry& entry, std::string why);

  Result<uint64_t> free_bytes() const { return files_->free_bytes(folder_); }
  const std::string& folder() const { return folder_; }

 private:
  friend class JournalDraft;

  Journal(std::string folder, std::shared_ptr<FileSystem> files, std::unique_ptr<OwnedDirectory> owned)
      : folder_(std::move(folder)), files_(std::move(files)), owned_(std::move(owned)) {}

  Status recover();
  Status recover_entry(const std::string& name);
  Status recover_outcome(const std::string& name);
  std::string aside(const std::string& name);
  std::string path_of(uint64_t id, std::string_view ending) const;

  const std::string folder_;
  const std::shared_ptr<FileSystem> files_;
  const std::unique_ptr<OwnedDirectory> owned_;
  std::atomic<uint64_t> last_sequence_{0};
  JournalLeft left_;
};

/// What waits in a journal that perhaps another process has, by the mount that it goes to.
struct JournalWaiting {
  std::string uri;
  std::string mount;
  uint64_t file_bytes = 0;
};

/// Nothing where there is no journal.
Result<std::vector<JournalWaiting>> list_journal(const FileSystem& files, const std::string& folder);

/// The same, of names only: adds those of new files to `uris`, by the names of the files, and drops those
/// that have gone.
Status update_waiting(const FileSystem& files, const std::string& folder,
                      std::unordered_map<std::string, std::string>* uris);

/// The journal of the daemon with this FOREBAY_HOME.
std::string journal_folder(const std::string& home);

}  // namespace forebay::cache
