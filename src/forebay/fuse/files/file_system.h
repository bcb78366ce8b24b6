// Answers the kernel's questions from a store: what there is, and what is in it; and changes it, as far as
// object stores let files be changed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/units.h"
#include "forebay/fuse/files/backing_files.h"
#include "forebay/fuse/files/directory_listing.h"
#include "forebay/fuse/files/handle_table.h"
#include "forebay/fuse/files/inode_table.h"
#include "forebay/fuse/files/said_errors.h"
#include "forebay/fuse/protocol/replies.h"
#include "forebay/fuse/protocol/request.h"
#include "forebay/fuse/reading/read_ahead.h"
#include "forebay/fuse/state/kept_state.h"
#include "forebay/fuse/writing/draft_table.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/tree/entry.h"

namespace forebay::fuse {

/// Finds the store that has an object, and its key there: in a store of several, the one whose features
/// count.
using FindAddress = std::function<Result<storage::ObjectAddress>(const std::string& key)>;

struct FileSystemOptions {
  std::shared_ptr<storage::ObjectStore> store;
  std::string folder;        // what is mounted: a key that ends with "/", or empty
  FindAddress find_address;  // empty: `store` has all objects itself
  /// Whether a key is a folder's though nothing is in it: a mount point's, without a slash at its end. Empty:
  /// none is.
  std::function<bool(const std::string& key)> is_mount_point;
  bool is_read_only = false;                  // then whatever would write is EROFS
  size_t most_write_bytes = size_t{1} << 30;  // of memory that files take while they are written
  /// For how long the kernel keeps a name, or that there is none, without asking again.
  int64_t trusted_ns = 1'000'000'000;
  /// A request that is not answered so long after it has come fails.
  int64_t patience_ns = 600'000'000'000;
  /// Whether users other than this process's may ask: then what lies in files of this host is refused, since
  /// it would be read with the rights of this process, through any link, and without a look at its mode.
  bool is_for_others = false;
  uint32_t uid = 0;  // whose all files are
  uint32_t gid = 0;
  int64_t mounted_ns = 0;  // since the Unix epoch: the time of folders whose store knows none
  /// Where what the kernel relies on is kept for the next process that serves the mount; null: nowhere.
  std::shared_ptr<KeptState> kept;
};

/// The version by which caches and indexes know an object.
inline constexpr std::string_view kVersionXattr = "user.forebay.version";
/// How many of a file's bytes the store has near; of stores that keep none, there is no such attribute.
inline constexpr std::string_view kResidentXattr = "user.forebay.resident";

/// Entries of a directory, on their way to the kernel.
struct DirectoryAnswer;

/// Thread safe. Calls may wait for the store.
class FileSystem {
 public:
  /// `restored` is what the process before has kept; null: there was none. It is used up.
  explicit FileSystem(FileSystemOptions options, RestoredState* restored = nullptr);
  /// What is being written, and not stored yet, is lost, which the log says.
  ~FileSystem();
  FileSystem(const FileSystem&) = delete;
  FileSystem& operator=(const FileSystem&) = delete;

  /// Answers a request, unless its kind is never answered. Stopping `cancellation` ends it with EINTR. It has
  /// come at `arrived_ns` of the steady clock.
  void answer(const Request& request, const std::stop_token& cancellation, Replies& replies,
              int64_t arrived_ns);

  /// Answers a read whose bytes the store has in memory, which takes no longer than to say so. False for all
  /// else, with nothing answered.
  bool answer_resident(const Request& request, const std::stop_token& cancellation, Replies& replies);

  /// Whether answering it may take long: only then it is worth another thread. A small file that is only read
  /// is opened and closed by what is known here. Not what this program itself asks, whose store holds its own
  /// mount: that must not wait behind what waits for it, and is refused.
  bool may_wait(const Request& request) const;

  /// Whether what a listing says of a name is still of use when somebody asks for it.
  bool trusts_for_long() const { return options_.trusted_ns >= kLongNs; }
  bool is_read_only() const { return options_.is_read_only; }

  /// Which files the kernel serves itself.
  BackingFiles& backing_files() { return backing_files_; }

  size_t nodes() const { return nodes_.size(); }
  size_t open_files() const { return files_.size(); }
  size_t open_directories() const { return directories_.size(); }

 private:
  static constexpr int64_t kLongNs = 10 * kSecond;

  /// A request under way.
  struct Asked {
    const Request& request;
    Replies& replies;
    storage::CallContext context;

    uint64_t node() const { return request.header.node; }
  };
  struct OpenFile {
    NodeRef node;
    storage::ObjectAddress address;
    bool gives_views =
        false;  // the store may have bytes in memory, as a cache has, and hands them out in place
    bool by_pieces = false;                      // then a large file is asked for in whole pieces
    std::unique_ptr<BackingFiles::Use> backing;  // of large files
    std::atomic<bool> has_strong_reads = false;  // which is noted once, not at each
    // Of what is being written, for which the node does not say what is in it.
    std::shared_ptr<Draft> draft;
    bool can_write = false;
    bool is_lost = false;  // what was written by it went with a process that was killed
    bool appends = false;
    std::atomic<bool> has_changed = false;  // by this handle, since it was stored
    std::atomic<uint64_t> last_writer = 0;  // whoever wrote by it last; 0: nobody
    std::atomic<bool> was_killed = false;   // that writer was, by a signal
    ReadPattern pattern;
  };
  struct OpenedDirectory {
    OpenedDirectory(NodeRef of, bool has_plain_folders, std::shared_ptr<storage::ObjectStore> store,
                    ListingOptions options)
        : node(std::move(of)),
          knows_folders(has_plain_folders),
          listing(std::move(store), node->stat.key, options) {}

    const NodeRef node;
    const bool knows_folders;  // what a listing says of a folder is all that is known of it
    Mutex mutex;
    DirectoryListing listing FOREBAY_GUARDED_BY(mutex);
  };

  void handle(const Asked& asked, const Lookup& lookup);
  void handle(const Asked& asked, const Forget& forget);
  void handle(const Asked& asked, const GetAttributes& get);
  void handle(const Asked& asked, const Open& open);
  void handle(const Asked& asked, const OpenDirectory& open);
  void handle(const Asked& asked, const Read& read);
  void handle(const Asked& asked, const ReadDirectory& read);
  void handle(const Asked& asked, const Release& release);
  void handle(const Asked& asked, const ReleaseDirectory& release);
  void handle(const Asked& asked, const StatFileSystem& stat);
  void handle(const Asked& asked, const GetXattr& get);
  void handle(const Asked& asked, const ListXattr& list);
  void handle(const Asked& asked, const Access& access);
  void handle(const Asked& asked, const Create& create);
  void handle(const Asked& asked, const MakeNode& make);
  void handle(const Asked& asked, const MakeDirectory& make);
  void handle(const Asked& asked, const Unlink& unlink);
  void handle(const Asked& asked, const RemoveDirectory& remove);
  void handle(const Asked& asked, const Rename& rename);
  void handle(const Asked& asked, const Write& write);
  void handle(const Asked& asked, const Flush& flush);
  void handle(const Asked& asked, const Sync& sync);
  void handle(const Asked& asked, const SyncDirectory& sync);
  void handle(const Asked& asked, const SetAttributes& set);
  void handle(const Asked& asked, const Change& change);
  /// What is the session's, or nobody's.
  template <class Other>
  void handle(const Asked& asked, const Other& other);

  static bool send_error(const Asked& asked, int error);
  static bool send_bytes(const Asked& asked, Bytes bytes);
  template <class Out>
  static bool send_value(const Asked& asked, const Out& out) {
    return send_bytes(asked, std::as_bytes(std::span(&out, 1)));
  }
  void send_absent(const Asked& asked);
  void send_entry(const Asked& asked, const Node& node);
  void send_sized(const Asked& asked, std::string_view value, uint32_t size);
  void send_resident(const Asked& asked, const Node& node, uint32_t size);
  bool fail(const Asked& asked, int error, const Status& status);

  Attributes attributes_of(const Node& node) const;
  EntryOut entry_of(const Node& node) const;
  NodeRef folder_node(const Asked& asked) { return folder_node(asked, asked.node()); }
  NodeRef folder_node(const Asked& asked, uint64_t id);
  Result<std::shared_ptr<OpenFile>> open_file(const NodeRef& node) const;
  Result<std::shared_ptr<OpenedDirectory>> open_directory(const NodeRef& node);
  void restore(const RestoredState& restored);
  void keep_state_small();
  Result<storage::ObjectAddress> address_of(const std::string& key) const;
  Result<storage::ObjectAddress> address_for_all(const std::string& key) const;
  bool take_entry(const OpenedDirectory& directory, const ListedEntry& entry, uint64_t next,
                  const ReadDirectory& read, DirectoryAnswer& answer);
  void note_version(OpenFile& file, const std::vector<storage::ReadBytes>& reads);
  Result<storage::ReadBytes> whole_file(const OpenFile& file, const storage::CallContext& context);
  static std::vector<FilePart> wanted_next(OpenFile& file, FilePart part);
  void read_draft(const Asked& asked, OpenFile& file, const Read& read);

  // What would write. A request that cannot be is answered, and the rest of them then have nothing to do.
  struct NewName {
    NodeRef folder;
    std::string key;
    storage::ObjectAddress address;
    Status writable;  // whether an object may be written there
  };
  std::optional<NewName> new_name(const Asked& asked, uint64_t folder, std::string_view name);
  static Status check_write(const storage::ObjectAddress& address, bool is_replacing);
  bool may_write(const Asked& asked, const Status& writable);
  void open_for_writing(const Asked& asked, const NodeRef& node, uint32_t flags);
  std::optional<DraftOptions> draft_to_create(const Asked& asked, const NewName& name, uint32_t flags);
  std::shared_ptr<OpenFile> open_draft(const NodeRef& node, const storage::ObjectAddress& address,
                                       uint32_t flags, const std::optional<DraftOptions>& created);
  std::shared_ptr<OpenFile> written_file(const Asked& asked, uint64_t handle);
  template <class Make>
  void answer_opened(const Asked& asked, const std::shared_ptr<OpenFile>& file, uint32_t flags,
                     Make make_answer);
  Status store_draft(uint64_t node, Draft& draft, const storage::CallContext& context);
  void note_stored(uint64_t node, const Draft& draft);
  void store_or_fail(const Asked& asked, OpenFile& file, bool is_durable);
  void close_draft(const Asked& asked, OpenFile& file);
  void end_draft(uint64_t node, const Draft& draft);
  Status resize(const Asked& asked, const NodeRef& node, const SetAttributes& set);
  Status remove_object(const NewName& name, const storage::CallContext& context);
  Status make_node(const NewName& name, const storage::CallContext& context, storage::ObjectStat* made);
  Status check_absent(const NewName& name, const storage::CallContext& context);
  Status remove_directory(const NewName& name, const storage::CallContext& context);
  Status make_directory(const NewName& name, const storage::CallContext& context);
  Result<bool> is_empty_folder(const storage::ObjectAddress& address, const storage::CallContext& context);
  bool is_mount_point(const std::string& key) const;
  int check_rename(const Rename& rename, const NewName& from, const NewName& to, const storage::Entry& moved,
                   const storage::CallContext& context);
  struct HeldDraft {
    ActiveDraft active;
    Draft::Held held;
  };
  Result<std::vector<HeldDraft>> hold_drafts(const std::string& key, bool with_those_below,
                                             const storage::CallContext& context);
  Status rename(const NewName& from, const NewName& to, const Rename& rename, int* error,
                const storage::CallContext& context);
  Status move_draft(const NewName& from, const NewName& to, HeldDraft& moved,
                    const storage::CallContext& context);
  void rename_nodes(const NewName& from, const NewName& to, const storage::Entry& moved, bool is_copied,
                    const storage::CallContext& context);

  const FileSystemOptions options_;
  InodeTable nodes_;
  DraftTable drafts_;
  BackingFiles backing_files_;
  HandleTable<OpenFile> files_;
  HandleTable<OpenedDirectory> directories_;
  SaidErrors errors_;
  const std::shared_ptr<WriteMemory> write_memory_;
  ReadAhead ahead_;
};

}  // namespace forebay::fuse
