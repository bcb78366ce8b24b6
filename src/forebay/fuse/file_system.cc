#include "forebay/fuse/file_system.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>
#include <utility>

#include "forebay/base/units.h"
#include "forebay/fuse/errno_table.h"
#include "forebay/fuse/url_names.h"
#include "forebay/storage/tree/entry.h"

namespace forebay::fuse {
namespace {

constexpr int64_t kDayNs = 86'400 * kSecond;
constexpr uint32_t kFileMode = S_IFREG | 0644;
constexpr uint32_t kFolderMode = S_IFDIR | 0755;
constexpr uint32_t kBlockBytes = 4096;
constexpr uint64_t kStatBlockBytes = 512;
constexpr std::string_view kVersionXattr = "user.forebay.version";

/// Whether who asks is this program: a store that holds its own mount, which would wait for itself.
bool is_own_thread(uint32_t thread) {
  return thread != 0 && ::syscall(SYS_tgkill, ::getpid(), static_cast<pid_t>(thread), 0) == 0;
}

bool asks_store(const Operation& operation) {
  return std::holds_alternative<Lookup>(operation) || std::holds_alternative<Read>(operation) ||
         std::holds_alternative<ReadDirectory>(operation) || std::holds_alternative<Open>(operation) ||
         std::holds_alternative<OpenDirectory>(operation);
}

Bytes bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
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
      directories_(HandleKind::kDirectory, log_of(options_)) {
  if (restored != nullptr) {
    restore(*restored);
  }
}

bool FileSystem::may_wait(const Request& request) {
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
    asked.context.deadline_ns = arrived_ns + options_.patience_ns;
    if (steady_clock().now_ns() >= asked.context.deadline_ns) {
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

/// The value of an attribute, or its size where `size` is 0.
void FileSystem::send_sized(const Asked& asked, std::string_view value, uint32_t size) {
  if (size == 0) {
    send_value(asked, GetXattrOut{.size = static_cast<uint32_t>(value.size())});
  } else if (value.size() > size) {
    send_error(asked, ERANGE);
  } else {
    send_bytes(asked, bytes_of_text(value));
  }
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

void FileSystem::handle(const Asked& asked, const Change&) {
  send_error(asked, EROFS);
}

Attributes FileSystem::attributes_of(const Node& node) const {
  const int64_t known_ns = node.stat.modified_ns;
  const int64_t time_ns =
      std::max<int64_t>(known_ns == 0 && node.is_folder ? options_.mounted_ns : known_ns, 0);
  const auto seconds = static_cast<uint64_t>(time_ns / kSecond);
  const auto nanoseconds = static_cast<uint32_t>(time_ns % kSecond);
  return {.inode = node.id == kRootNode ? kRootNode : inode_of(node.stat.key),
          .size = node.is_folder ? 0 : node.stat.size_bytes,
          .blocks = node.is_folder ? 0 : (node.stat.size_bytes + kStatBlockBytes - 1) / kStatBlockBytes,
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
// leads to is not.
EntryOut FileSystem::entry_of(const Node& node) const {
  const bool is_for_ever = !node.is_folder && nodes_.is_sure(node.id);
  const int64_t attributes_ns = is_for_ever ? kDayNs : options_.trusted_ns;
  return {.node = node.id,
          .entry_valid_s = static_cast<uint64_t>(options_.trusted_ns / kSecond),
          .attributes_valid_s = static_cast<uint64_t>(attributes_ns / kSecond),
          .entry_valid_ns = static_cast<uint32_t>(options_.trusted_ns % kSecond),
          .attributes_valid_ns = static_cast<uint32_t>(attributes_ns % kSecond),
          .attributes = attributes_of(node)};
}

/// The folder that a request is about; answered, and null, where there is none.
NodeRef FileSystem::folder_node(const Asked& asked) {
  NodeRef node = nodes_.find(asked.node());
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
  if (lookup.name.size() > kMostNameBytes) {
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
  const NodeRef node = nodes_.look_up(entry->is_folder, std::move(entry->stat));
  if (!send_value(asked, entry_of(*node))) {
    nodes_.forget(node->id, 1);
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

// Nobody says how much fits into a bucket, so nothing is said to be there; and nothing can be written.
void FileSystem::handle(const Asked& asked, const StatFileSystem&) {
  send_value(asked,
             StatFileSystemOut{
                 .block_bytes = kBlockBytes, .name_bytes = kMostNameBytes, .fragment_bytes = kBlockBytes});
}

void FileSystem::handle(const Asked& asked, const GetXattr& get) {
  const NodeRef node = nodes_.find(asked.node());
  if (!node || get.name != kVersionXattr || node->stat.version.empty()) {
    send_error(asked, node ? ENODATA : ESTALE);
    return;
  }
  send_sized(asked, node->stat.version, get.size);
}

void FileSystem::handle(const Asked& asked, const ListXattr& list) {
  const NodeRef node = nodes_.find(asked.node());
  if (!node) {
    send_error(asked, ESTALE);
    return;
  }
  const std::string names = std::string(kVersionXattr) + '\0';
  send_sized(asked, node->stat.version.empty() ? std::string_view() : names, list.size);
}

void FileSystem::handle(const Asked& asked, const Access& access) {
  send_error(asked, (access.mask & W_OK) != 0 ? EROFS : 0);
}

}  // namespace forebay::fuse
