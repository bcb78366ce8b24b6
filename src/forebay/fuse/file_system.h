// Answers the kernel's questions from a store: what there is, and what is in it. It writes nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/clock.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/base/units.h"
#include "forebay/fuse/backing_files.h"
#include "forebay/fuse/directory_listing.h"
#include "forebay/fuse/handle_table.h"
#include "forebay/fuse/inode_table.h"
#include "forebay/fuse/replies.h"
#include "forebay/fuse/request.h"
#include "forebay/fuse/said_errors.h"
#include "forebay/fuse/sequential_reads.h"
#include "forebay/storage/object_store.h"

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
};

/// Entries of a directory, on their way to the kernel.
struct DirectoryAnswer;

/// Thread safe. Calls may wait for the store.
class FileSystem {
 public:
  explicit FileSystem(FileSystemOptions options);

  /// Answers a request, unless its kind is never answered. Stopping `cancellation` ends it with EINTR. It has
  /// come at `arrived_ns` of the steady clock.
  void answer(const Request& request, const std::stop_token& cancellation, Replies& replies,
              int64_t arrived_ns);

  /// Answers a read whose bytes the store has in memory, which takes no longer than to say so. False for all
  /// else, with nothing answered.
  bool answer_resident(const Request& request, const std::stop_token& cancellation, Replies& replies);

  /// Whether answering it may take long: only then it is worth another thread. Not what this program itself
  /// asks, whose store holds its own mount: that must not wait behind what waits for it, and is refused.
  static bool may_wait(const Request& request);

  /// Whether what a listing says of a name is still of use when somebody asks for it.
  bool trusts_for_long() const { return options_.trusted_ns >= kLongNs; }

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
    Mutex mutex;
    SequentialReads reads FOREBAY_GUARDED_BY(mutex);
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
  void send_sized(const Asked& asked, std::string_view value, uint32_t size);
  bool fail(const Asked& asked, int error, const Status& status);

  Attributes attributes_of(const Node& node) const;
  EntryOut entry_of(const Node& node) const;
  NodeRef folder_node(const Asked& asked);
  Result<storage::ObjectAddress> address_of(const std::string& key) const;
  Result<storage::ObjectAddress> address_for_all(const std::string& key) const;
  bool take_entry(const OpenedDirectory& directory, const ListedEntry& entry, uint64_t next,
                  const ReadDirectory& read, DirectoryAnswer& answer);
  void note_version(OpenFile& file, const std::vector<storage::ReadBytes>& reads);
  Result<storage::ReadBytes> whole_file(const OpenFile& file, const storage::CallContext& context);
  void read_ahead(const std::shared_ptr<OpenFile>& file, const Read& read, uint64_t length);

  const FileSystemOptions options_;
  InodeTable nodes_;
  BackingFiles backing_files_;
  HandleTable<OpenFile> files_;
  HandleTable<OpenedDirectory> directories_;
  SaidErrors errors_;
  const std::shared_ptr<std::atomic<int>> steps_ahead_ = std::make_shared<std::atomic<int>>(0);  // under way
};

}  // namespace forebay::fuse
