// The half of FileSystem that lists directories.
#include <dirent.h>

#include <algorithm>
#include <cerrno>
#include <utility>
#include <vector>

#include "forebay/fuse/files/file_system.h"
#include "forebay/fuse/files/url_names.h"
#include "forebay/fuse/protocol/errno_table.h"

namespace forebay::fuse {
namespace {

constexpr uint64_t kDots = 2;  // "." and ".." come first
constexpr uint32_t kMaxAnswerBytes = 1 << 20;
/// Beyond so many nodes, which take some 400 bytes each, a listing no longer makes any: programs that only
/// list then cost no memory.
constexpr size_t kMaxListedNodes = 1 << 20;
constexpr size_t kAlignment = 8;

uint64_t padded(uint64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

/// A program that has not taken all of an answer asks from within it on; so only what is before that goes.
void release_what_was_read(DirectoryListing& listing, uint64_t offset) {
  if (offset == 0) {
    listing.rewind();
  } else if (offset > kDots) {
    listing.release_before(offset - kDots);
  }
}

template <class Value>
void append(std::string& bytes, const Value& value) {
  bytes.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

}  // namespace

/// Entries for the kernel, up to the bytes that it has room for.
struct DirectoryAnswer {
  uint32_t room = 0;
  std::string bytes;
  std::vector<uint64_t> looked_up;  // nodes, once for each entry

  bool has_room_for(std::string_view name, bool with_attributes) const {
    const uint64_t header = sizeof(DirectoryEntry) + (with_attributes ? sizeof(EntryOut) : 0);
    return bytes.size() + header + padded(name.size()) <= room;
  }
  /// "." at 0 and ".." at 1, which the kernel knows by itself; false if there is no room.
  bool put_dots(uint64_t inode, uint64_t at, bool with_attributes) {
    const std::string name(at + 1, '.');
    if (!has_room_for(name, with_attributes)) {
      return false;
    }
    const EntryOut unknown{};
    const auto name_bytes = static_cast<uint32_t>(name.size());
    put(with_attributes ? &unknown : nullptr, {inode, at + 1, name_bytes, DT_DIR}, name);
    return true;
  }
  void put(const EntryOut* entry, const DirectoryEntry& listed, std::string_view name) {
    if (entry != nullptr) {
      append(bytes, *entry);
    }
    append(bytes, listed);
    bytes += name;
    bytes.append(padded(name.size()) - name.size(), '\0');
  }
};

void FileSystem::handle(const Asked& asked, const OpenDirectory&) {
  const NodeRef node = folder_node(asked);
  if (!node) {
    return;
  }
  Result<std::shared_ptr<OpenedDirectory>> directory = open_directory(node);
  if (!directory.ok()) {
    fail(asked, errno_for(directory.status()), directory.status());
    return;
  }
  const uint64_t handle = directories_.add(*std::move(directory), {.node = node->id});
  if (!send_value(asked, OpenOut{.handle = handle})) {
    directories_.remove(handle);
  }
}

Result<std::shared_ptr<FileSystem::OpenedDirectory>> FileSystem::open_directory(const NodeRef& node) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, address_for_all(node->stat.key));
  const bool has_plain_folders = !address.store->features().has_directories;
  // Where mounts lie in the folder it is the namespace's, and only a name in it tells whose names it has.
  const Result<storage::ObjectAddress> name = address_of(node->stat.key + "name");
  const ListingOptions options = {.has_url_names = name.ok() && has_url_names(*name->store),
                                  .warnings = &errors_};
  return std::make_shared<OpenedDirectory>(node, has_plain_folders, options_.store, options);
}

/// Puts an entry of the listing; false if there is no room for it.
bool FileSystem::take_entry(const OpenedDirectory& directory, const ListedEntry& entry, uint64_t next,
                            const ReadDirectory& read, DirectoryAnswer& answer) {
  if (!answer.has_room_for(entry.name, read.with_attributes)) {
    return false;
  }
  const std::string key = directory.node->stat.key + entry.name + (entry.is_folder ? "/" : "");
  const DirectoryEntry listed = {.inode = inode_of(key),
                                 .offset = next,
                                 .name_bytes = static_cast<uint32_t>(entry.name.size()),
                                 .type = entry.is_folder ? uint32_t{DT_DIR} : uint32_t{DT_REG}};
  if (!read.with_attributes) {
    answer.put(nullptr, listed, entry.name);
    return true;
  }
  const bool is_known = entry.is_folder ? directory.knows_folders : entry.is_known();
  EntryOut out{};  // node 0: nothing is said of it but its name
  if (is_known && nodes_.size() < kMaxListedNodes) {
    storage::ObjectStat stat = entry.stat;
    stat.key = key;
    const NodeRef node = nodes_.look_up(entry.is_folder, std::move(stat));
    answer.looked_up.push_back(node->id);
    out = entry_of(*node);
  }
  answer.put(&out, listed, entry.name);
  return true;
}

// An error behind entries that were read already is that of the next call.
void FileSystem::handle(const Asked& asked, const ReadDirectory& read) {
  const std::shared_ptr<OpenedDirectory> directory = directories_.find(read.handle);
  if (!directory) {
    send_error(asked, EBADF);
    return;
  }
  DirectoryAnswer answer = {.room = std::min(read.size, kMaxAnswerBytes)};
  Status status;
  {
    const MutexLock lock(directory->mutex);
    release_what_was_read(directory->listing, read.offset);
    uint64_t at = read.offset;
    while (at < kDots && answer.put_dots(attributes_of(*directory->node).inode, at, read.with_attributes)) {
      ++at;
    }
    for (bool has_room = at >= kDots; has_room; ++at) {
      const Result<const ListedEntry*> entry = directory->listing.at(at - kDots, asked.context);
      status = entry.status();
      has_room = entry.ok() && *entry != nullptr && take_entry(*directory, **entry, at + 1, read, answer);
    }
  }
  if (!status.ok() && answer.bytes.empty()) {
    fail(asked, errno_for(status), status);
    return;
  }
  if (!send_bytes(asked, std::as_bytes(std::span(answer.bytes.data(), answer.bytes.size())))) {
    for (const uint64_t node : answer.looked_up) {
      nodes_.forget(node, 1);
    }
  }
}

void FileSystem::handle(const Asked& asked, const ReleaseDirectory& release) {
  directories_.remove(release.handle);
  send_error(asked, 0);
}

}  // namespace forebay::fuse
