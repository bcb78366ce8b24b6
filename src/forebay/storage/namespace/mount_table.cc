#include "forebay/storage/namespace/mount_table.h"

#include <utility>

namespace forebay::storage {
namespace {

constexpr size_t kMaxMounts = 16384;

}  // namespace

const MountEntry* MountTable::covering(std::string_view key) const {
  if (entries_.empty()) {
    return nullptr;
  }
  std::string path = "/" + std::string(key);
  for (size_t length = path.size(); length > 0; length = path.rfind('/', length - 1)) {
    const auto found = entries_.find(std::string_view(path).substr(0, length));
    if (found != entries_.end()) {
      return &found->second;
    }
  }
  const auto root = entries_.find("/");
  return root == entries_.end() ? nullptr : &root->second;
}

std::vector<const MountEntry*> MountTable::below(std::string_view folder) const {
  std::vector<const MountEntry*> found;
  const std::string prefix = "/" + std::string(folder);
  for (auto entry = entries_.lower_bound(prefix); entry != entries_.end(); ++entry) {
    if (!entry->first.starts_with(prefix)) {
      break;
    }
    if (entry->first != "/") {
      found.push_back(&entry->second);
    }
  }
  return found;
}

Status MountTable::add(MountEntry entry) {
  if (entries_.size() >= kMaxMounts) {
    return resource_exhausted("{}: there are {} mounts already, and no more are allowed", entry.path,
                              entries_.size());
  }
  const std::string path = entry.path;
  const auto [place, is_new] = entries_.emplace(path, std::move(entry));
  if (!is_new) {
    return already_exists("{}: {} is mounted there; unmount it first", path, place->second.uri);
  }
  return ok_status();
}

Status MountTable::remove(std::string_view path) {
  const auto found = entries_.find(path);
  if (found == entries_.end()) {
    return not_found("{}: nothing is mounted there", path);
  }
  entries_.erase(found);
  return ok_status();
}

}  // namespace forebay::storage
