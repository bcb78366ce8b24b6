// What the kernel knows of the tree: a node for each file and folder that it has looked up and not yet
// forgotten.
//
// A file's node is one version of one object. An object that was replaced becomes another node, whose pages
// the kernel keeps apart: so pages may be kept as long as the kernel likes, a file that is open stays at its
// version, and no read mixes two.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>

#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/state/state_log.h"
#include "forebay/fuse/state/state_records.h"
#include "forebay/storage/object_store.h"

namespace forebay::fuse {

/// Immutable.
struct Node {
  uint64_t id = 0;
  bool is_folder = false;
  storage::ObjectStat stat;  // a folder's key ends with "/", or is empty
};
using NodeRef = std::shared_ptr<const Node>;

/// The number that programs see as that of a file: of its key, so that it is the same after a new mount.
uint64_t inode_of(std::string_view key);

/// Thread safe.
class InodeTable {
 public:
  /// `root` is the folder that is mounted; it is never forgotten. `log` hears of each change before it can be
  /// seen; null: nobody does. `restored` is what another table's log came to.
  explicit InodeTable(storage::ObjectStat root, StateLog* log = nullptr, RestoredState* restored = nullptr);

  /// The node of what a store said, made if it is new, with one lookup more. A folder stays the same node
  /// when its time changes.
  NodeRef look_up(bool is_folder, storage::ObjectStat stat);
  /// The same of a node that the kernel may know, with one lookup more; null if there is none.
  NodeRef look_up_node(uint64_t id);
  /// A node of its own for a file that is to be written, to which its name leads from now on, with one lookup
  /// more: whoever has the node that it was keeps what that is. One that there is becomes what `stat` says.
  /// `seen_changes` is what changes() was before the store was asked: what this mount has stored since is
  /// newer than what the store said.
  NodeRef look_up_for_writing(storage::ObjectStat stat, uint64_t seen_changes);
  /// How often the node that the name leads to has become something else; 0 where there is none.
  uint64_t changes(std::string_view key) const;
  /// Whether it was made so, and has not been written yet.
  bool is_for_writing(uint64_t id) const;
  /// What it has become, or was renamed to: another version, under the same or another key.
  void set_stat(uint64_t id, storage::ObjectStat stat);
  /// The same, but for its key: that stays what it is.
  void set_version(uint64_t id, storage::ObjectStat stat);
  /// It is written no more; what it is now stays.
  void end_writing(uint64_t id);
  /// All that is known below a folder has another name. Where its objects were copied, they have other
  /// versions, too, so that files are to be looked up anew but for those that are being written.
  void rename_folder(const std::string& from, const std::string& to, bool is_copied);
  /// The name leads to no node any more. A lookup finds what there is.
  void forget_key(std::string_view key);

  /// Null for a node that there is not.
  NodeRef find(uint64_t id) const;
  /// The node that the name leads to; null if none is known.
  NodeRef find_key(std::string_view key) const;
  /// That the store no longer has what this node is. The next lookup of its name makes another one.
  void note_outdated(uint64_t id);
  bool is_outdated(uint64_t id) const;
  /// What a read of this node said of its version: whether other bytes may have the same. A version that was
  /// weak once stays so.
  void note_version(uint64_t id, bool is_weak);
  /// Whether reads said that the version is that of these bytes alone: only then the kernel may keep them.
  bool is_sure(uint64_t id) const;
  /// Takes lookups back; a node without any is forgotten. What was never looked up is ignored.
  void forget(uint64_t id, uint64_t lookups);

  /// How many nodes there are, the root among them.
  size_t size() const;

  /// Puts all that there is, for a log that is written anew.
  using PutAll = std::function<void(const StateLog::PutRecord& put)>;
  /// Nothing changes while `then` runs.
  void frozen(const std::function<void(const PutAll& put_all)>& then) const;

 private:
  struct Known {
    NodeRef node;
    uint64_t lookups = 0;
    bool is_current = false;  // its name leads to it
    bool is_outdated = false;
    bool is_strong = false;  // both false before the first read
    bool is_weak = false;
    bool is_for_writing = false;
    uint64_t changes = 0;

    uint8_t marks() const;
  };

  static bool is_same(const Node& node, const storage::ObjectStat& stat);
  void forget_name(Known& known) FOREBAY_REQUIRES(mutex_);
  void replace(Known& known, storage::ObjectStat stat) FOREBAY_REQUIRES(mutex_);
  Known& make(bool is_folder, storage::ObjectStat stat) FOREBAY_REQUIRES(mutex_);
  void restore(RestoredState& restored) FOREBAY_REQUIRES(mutex_);
  void log_node(const Known& known, int64_t replaced_bytes) FOREBAY_REQUIRES(mutex_);
  void log_marks(const Known& known) FOREBAY_REQUIRES(mutex_);
  void log_lookup(const Known& known) FOREBAY_REQUIRES(mutex_);
  void forget_current(std::string_view key) FOREBAY_REQUIRES(mutex_);

  StateLog* const log_;
  mutable Mutex mutex_;
  std::unordered_map<uint64_t, Known> nodes_ FOREBAY_GUARDED_BY(mutex_);
  // The node of each key that a lookup finds now. The texts are those of the nodes.
  std::unordered_map<std::string_view, uint64_t> by_key_ FOREBAY_GUARDED_BY(mutex_);
  uint64_t next_id_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::fuse
