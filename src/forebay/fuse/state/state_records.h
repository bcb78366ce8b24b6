// What a server of a mount writes down before the kernel hears of it, and what the next one makes of that:
// nodes, what is open, what was agreed with the kernel. Records of a StateLog.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "forebay/base/status.h"
#include "forebay/fuse/mounts/mount_lines.h"
#include "forebay/storage/object_store.h"

namespace forebay::fuse {

/// The mount that is served, and since when: the time of folders that have none.
struct MountFacts {
  MountLine line;
  int64_t mounted_ns = 0;  // since the Unix epoch

  bool operator==(const MountFacts&) const = default;
};

/// What the kernel and the first server have agreed, for as long as the mount is there.
struct Agreement {
  uint32_t minor = 0;
  uint64_t flags = 0;  // of InitOut, both halves

  bool operator==(const Agreement&) const = default;
};

/// What is known of a node beside its object.
enum NodeMark : uint8_t {
  kIsCurrent = 1u << 0,  // its name leads to it
  kIsOutdated = 1u << 1,
  kIsStrong = 1u << 2,
  kIsWeak = 1u << 3,
};

struct KeptNode {
  bool is_folder = false;
  uint8_t marks = 0;
  uint64_t lookups = 0;
  storage::ObjectStat stat;
};

enum class HandleKind : uint8_t { kFile, kDirectory };

/// Beside the flags of open(2): the file was being written by somebody, so that its handle had bytes that
/// nobody has any more.
inline constexpr uint32_t kHadDraft = 1u << 31;

/// What makes an open file or directory anew. What was open for writing cannot be: its upload went with the
/// process.
struct HandleFacts {
  uint64_t node = 0;
  uint32_t flags = 0;      // as of open(2), and kHadDraft
  int32_t backing_id = 0;  // of a file that the kernel reads itself, by a number that its connection has

  bool operator==(const HandleFacts&) const = default;
};

/// Records, as they are appended.
std::string record_of(const MountFacts& mount);
std::string record_of(const Agreement& agreement);
/// Who started the mount was told that it is there.
std::string announced_record();
/// A node that is new, or in place of one of this number.
std::string node_record(uint64_t id, bool is_folder, uint8_t marks, uint64_t lookups,
                        const storage::ObjectStat& stat);
/// One lookup more.
std::string lookup_record(uint64_t id);
/// So many less; a node without any is gone.
std::string forget_record(uint64_t id, uint64_t lookups);
std::string marks_record(uint64_t id, uint8_t marks);
std::string opened_record(HandleKind kind, uint64_t handle, const HandleFacts& facts);
std::string released_record(HandleKind kind, uint64_t handle);
/// From which numbers on none was used, of nodes and of handles.
std::string next_node_record(uint64_t next);
std::string next_handle_record(HandleKind kind, uint64_t next);
/// A request that has to be answered has been taken, or was answered.
std::string taken_record(uint64_t unique);
std::string answered_record(uint64_t unique);

/// How many bytes of a log a node's or an open file's record takes.
int64_t node_record_bytes(const storage::ObjectStat& stat);
int64_t opened_record_bytes();

/// What all records of a log come to.
struct RestoredState {
  /// By how many bytes of records there is more of use; data_loss for a record that is none, or about what
  /// is not there.
  Result<int64_t> take(std::string_view record);

  std::optional<MountFacts> mount;
  std::optional<Agreement> agreement;
  bool is_announced = false;
  std::unordered_map<uint64_t, KeptNode> nodes;  // without the root
  uint64_t next_node = 0;                        // 0 if there was none yet
  struct Handles {
    std::map<uint64_t, HandleFacts> open;
    uint64_t next = 1;
  };
  Handles files;
  Handles directories;
  std::set<uint64_t> under_way;  // requests, as far as they were noted
  uint64_t highest_begun = 0;    // of those
};

}  // namespace forebay::fuse
