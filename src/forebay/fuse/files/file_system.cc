#include "forebay/fuse/files/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/units.h"
#include "forebay/fuse/files/url_names.h"
#include "forebay/fuse/protocol/errno_table.h"
#include "forebay/storage/tree/entry.h"

namespace forebay::fuse {
namespace {

constexpr int64_t kDayNs = 86'400 * kSecond;
constexpr uint32_t kFileMode = S_IFREG | 0644;
constexpr uint32_t kFolderMode = S_IFDIR | 0755;
constexpr uint32_t kBlockBytes = 4096;
constexpr uint64_t kStatBlockBytes = 512;
constexpr uint64_t kBlocksOfABucket = uint64_t{1} << 38;  // 1 PiB

/// Whether who asks is this program: a store that holds its own mount, which would wait for itself.
bool is_own_thread(uint32_t thread) {
  return thread != 0 && ::syscall(SYS_tgkill, ::getpid(), static_cast<pid_t>(thread), 0) == 0;
}

template <class... Kinds>
bool is_one_of(const Operation& operation) {
  return (std::holds_alternative<Kinds>(operation) || ...);
}

bool asks_store(const Operation& operation) {
  if (const auto* const get = std::get_if<GetXattr>(&operation)) {
    return get->name == kResidentXattr;
  }
  return is_one_of<Lookup, Read, ReadDirectory, Open, OpenDirectory, Create, MakeNode, MakeDirectory, Unlink,
                   RemoveDirectory, Rename, Write, Flush, Sync, SetAttributes, Release, StatFileSystem>(
      operation);
}

StateLog* log_of(const FileSystemOptions& options) {
  return options.kept ? &options.kept->log() : nullptr;
}

}  // namespace

FileSystem::FileSystem(FileSystemOptions options, RestoredState* restored)
    : options_(std::move(options)),
      nodes_(storage::ObjectStat{.key = options_.folder, .modified_ns = options_.mounted_ns},
             log_of(options_), restored),
      files_(HandleKind::kFile, log_of(options_)),
      directories_(HandleKind::kDirectory, log_of(options_)),
      write_memory_(std::make_shared<WriteMemory>(options_.most_write_bytes)) {
  if (restored != nullptr) {
    restore(*restored);
  }
}

FileSystem::~FileSystem() {
  for (const ActiveDraft& each : drafts_.all()) {
    if (each.draft->is_unsaved()) {
      errors_.say(unavailable("{}: was being written when the mount ended, and is not stored",
                              options_.store->uri_of(each.key)));
    }
  }
}

bool FileSystem::may_wait(const Request& request) const {
  if (const auto* const open = std::get_if<Open>(&request.operation); open && !wants_to_write(open->flags)) {
    const NodeRef node = nodes_.find(request.header.node);
    return node && node->stat.size_bytes > kPieceBytes && !is_own_thread(request.header.pid);
  }
  if (const auto* const release = std::get_if<Release>(&request.operation)) {
    const std::shared_ptr<OpenFile> file = files_.find(release->handle);
    return file && file->can_write;
  }
  return asks_store(request.operation) && !is_own_thread(request.header.pid);
}

void FileSystem::answer(const Request& request, const std::stop_token& cancellation, Replies& replies,
                        int64_t arrived_ns) {
  Asked asked = {request, replies, {.cancellation = cancellation}};
  if (asks_store(request.operation)) {
    if (is_own_thread(request.header.pid)) {
      fail(asked, ELOOP,
           failed_precondition("{} holds its own mount", options_.store->uri_of(options_.folder)));
      return;
    }
    // What was closed is closed, however late: nobody asks for that again.
    const bool is_release = std::holds_alternative<Release>(request.operation);
    asked.context.deadline_ns = (is_release ? steady_clock().now_ns() : arrived_ns) + options_.patience_ns;
    if (!is_release && steady_clock().now_ns() >= asked.context.deadline_ns) {
      fail(asked, ETIMEDOUT,
           make_status(StatusCode::kDeadlineExceeded,
                       "{}: a request has waited for {} s behind others, which the store has not answered",
                       options_.store->uri_of(options_.folder), options_.patience_ns / kSecond));
      return;
    }
  }
  std::visit([&](const auto& operation) { handle(asked, operation); }, request.operation);
  keep_state_small();
}

bool FileSystem::send_error(const Asked& asked, int error) {
  return asked.replies.send(asked.request.header.unique, error, {});
}

bool FileSystem::send_bytes(const Asked& asked, Bytes bytes) {
  return asked.replies.send(asked.request.header.unique, 0, {&bytes, 1});
}

/// Answers an error, whose cause is logged where the errno does not say it.
bool FileSystem::fail(const Asked& asked, int error, const Status& status) {
  if (error != ENOENT && error != EINTR) {
    errors_.say(status);
  }
  return send_error(asked, error);
}

template <class Other>
void FileSystem::handle(const Asked& asked, const Other&) {
  send_error(asked, ENOSYS);
}

Attributes FileSystem::attributes_of(const Node& node) const {
  const std::shared_ptr<Draft> draft = drafts_.find(node.id);
  const uint64_t size = draft ? draft->size() : node.stat.size_bytes;
  const int64_t known_ns = draft && draft->is_unsaved() ? wall_clock_ns() : node.stat.modified_ns;
  const int64_t time_ns =
      std::max<int64_t>(known_ns == 0 && node.is_folder ? options_.mounted_ns : known_ns, 0);
  const auto seconds = static_cast<uint64_t>(time_ns / kSecond);
  const auto nanoseconds = static_cast<uint32_t>(time_ns % kSecond);
  return {.inode = node.id == kRootNode ? kRootNode : inode_of(node.stat.key),
          .size = node.is_folder ? 0 : size,
          .blocks = node.is_folder ? 0 : (size + kStatBlockBytes - 1) / kStatBlockBytes,
          .access_s = seconds,
          .modified_s = seconds,
          .changed_s = seconds,
          .access_ns = nanoseconds,
          .modified_ns = nanoseconds,
          .changed_ns = nanoseconds,
          .mode = node.is_folder ? kFolderMode : kFileMode,
          .links = 1,
          .uid = options_.uid,
          .gid = options_.gid,
          .block_bytes = kBlockBytes};
}

// What is said of a file is for ever where versions are sure: another version is another node. What its name
// leads to is not. Nothing that is said of what is being written holds for long.
EntryOut FileSystem::entry_of(const Node& node) const {
  const bool is_changing = nodes_.is_for_writing(node.id);
  const bool is_for_ever = !node.is_folder && nodes_.is_sure(node.id);
  const int64_t trusted_ns = is_changing ? 0 : options_.trusted_ns;
  const int64_t attributes_ns = is_for_ever && !is_changing ? kDayNs : trusted_ns;
  return {.node = node.id,
          .entry_valid_s = static_cast<uint64_t>(trusted_ns / kSecond),
          .attributes_valid_s = static_cast<uint64_t>(attributes_ns / kSecond),
          .entry_valid_ns = static_cast<uint32_t>(trusted_ns % kSecond),
          .attributes_valid_ns = static_cast<uint32_t>(attributes_ns % kSecond),
          .attributes = attributes_of(node)};
}

/// The folder that a request is about; answered, and null, where there is none.
NodeRef FileSystem::folder_node(const Asked& asked, uint64_t id) {
  NodeRef node = nodes_.find(id);
  if (!node || !node->is_folder) {
    send_error(asked, node ? ENOTDIR : ESTALE);
    return nullptr;
  }
  return node;
}

/// That there is no such name, which is trusted as others are.
void FileSystem::send_absent(const Asked& asked) {
  send_value(asked, EntryOut{.entry_valid_s = static_cast<uint64_t>(options_.trusted_ns / kSecond),
                             .entry_valid_ns = static_cast<uint32_t>(options_.trusted_ns % kSecond)});
}

void FileSystem::handle(const Asked& asked, const Lookup& lookup) {
  const NodeRef folder = folder_node(asked);
  if (!folder) {
    return;
  }
  if (lookup.name.size() > kMaxNameBytes) {
    send_error(asked, ENAMETOOLONG);
    return;
  }
  const std::string key = folder->stat.key + std::string(lookup.name);
  const Result<storage::ObjectAddress> address = address_for_all(key);
  if (address.status().code() == StatusCode::kPermissionDenied) {
    fail(asked, EACCES, address.status());
    return;
  }
  if (address.ok() && has_url_names(*address->store) && !is_url_name(lookup.name)) {
    send_absent(asked);
    return;
  }
  if (const std::optional<ActiveDraft> active = drafts_.find_key(key)) {
    if (const NodeRef written = nodes_.look_up_node(active->node)) {
      send_entry(asked, *written);  // it has its name before the store knows it
      return;
    }
  }
  const uint64_t seen_changes = nodes_.changes(key);
  Result<storage::Entry> entry = storage::find_entry(*options_.store, key, asked.context);
  if (entry.status().code() == StatusCode::kNotFound && options_.is_mount_point &&
      options_.is_mount_point(key)) {
    entry = storage::Entry{.is_folder = true};
  }
  const int error = errno_for(entry.status());
  if (error == ENOENT) {
    send_absent(asked);
    return;
  }
  if (error != 0) {
    fail(asked, error, entry.status());
    return;
  }
  entry->stat.key = entry->is_folder ? storage::as_folder_key(key) : key;
  if (!entry->is_folder && drafts_.is_expected(key)) {
    send_entry(asked, *nodes_.look_up_for_writing(std::move(entry->stat), seen_changes));
    return;
  }
  send_entry(asked, *nodes_.look_up(entry->is_folder, std::move(entry->stat)));
}

/// A node that was looked up, and is not if nobody hears of it.
void FileSystem::send_entry(const Asked& asked, const Node& node) {
  if (!send_value(asked, entry_of(node))) {
    nodes_.forget(node.id, 1);
  }
}

void FileSystem::handle(const Asked&, const Forget& forget) {
  for (const ForgetOne& each : forget.nodes) {
    nodes_.forget(each.node, each.lookups);
  }
}

void FileSystem::handle(const Asked& asked, const GetAttributes&) {
  const NodeRef node = nodes_.find(asked.node());
  if (!node) {
    send_error(asked, ESTALE);
    return;
  }
  const EntryOut entry = entry_of(*node);
  send_value(asked, AttributesOut{.valid_s = entry.attributes_valid_s,
                                  .valid_ns = entry.attributes_valid_ns,
                                  .attributes = entry.attributes});
}

// Nobody says how much fits into a bucket; but programs that look for room before they write find some. A
// local folder's disk knows.
void FileSystem::handle(const Asked& asked, const StatFileSystem&) {
  StatFileSystemOut out = {
      .block_bytes = kBlockBytes, .name_bytes = kMaxNameBytes, .fragment_bytes = kBlockBytes};
  struct statvfs disk {};
  const std::optional<std::string> folder = options_.store->local_file(options_.folder);
  if (folder && ::statvfs(folder->c_str(), &disk) == 0) {
    out.blocks = disk.f_blocks;
    out.blocks_free = disk.f_bfree;
    out.blocks_available = disk.f_bavail;
    out.files = disk.f_files;
    out.files_free = disk.f_ffree;
    out.block_bytes = static_cast<uint32_t>(disk.f_bsize);
    out.fragment_bytes = static_cast<uint32_t>(disk.f_frsize);
  } else if (!options_.is_read_only) {
    out.blocks = out.blocks_free = out.blocks_available = kBlocksOfABucket;
    out.files = out.files_free = kBlocksOfABucket;
  }
  send_value(asked, out);
}

void FileSystem::handle(const Asked& asked, const Access& access) {
  send_error(asked, options_.is_read_only && (access.mask & W_OK) != 0 ? EROFS : 0);
}

}  // namespace forebay::fuse
