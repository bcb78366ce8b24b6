#include "forebay/fuse/files/inode_table.h"

#include <algorithm>
#include <utility>

#include "forebay/fuse/protocol/protocol.h"

namespace forebay::fuse {

// FNV-1a with 64 bits. Two names of ten million have the same number with a chance of three in a million, and
// then only tools that look for hard links would see it, which these files say they have none of.
uint64_t inode_of(std::string_view key) {
  constexpr uint64_t kBasis = 0xcbf29ce484222325;
  constexpr uint64_t kPrime = 0x100000001b3;
  uint64_t hash = kBasis;
  for (const char each : key) {
    hash = (hash ^ static_cast<uint8_t>(each)) * kPrime;
  }
  return hash <= kRootNode ? hash + kRootNode + 1 : hash;
}

InodeTable::InodeTable(storage::ObjectStat root, StateLog* log, RestoredState* restored)
    : log_(log), next_id_(kRootNode + 1) {
  auto node = std::make_shared<Node>(Node{kRootNode, true, std::move(root)});
  const MutexLock lock(mutex_);
  nodes_[kRootNode] = {.node = std::move(node), .lookups = 1};
  if (restored != nullptr) {
    restore(*restored);
  }
}

/// Takes the nodes, so that they are not in memory twice.
void InodeTable::restore(RestoredState& restored) {
  next_id_ = std::max(next_id_, restored.next_node);
  nodes_.reserve(restored.nodes.size() + 1);
  by_key_.reserve(restored.nodes.size());
  for (auto& [id, kept] : restored.nodes) {
    auto node = std::make_shared<Node>(Node{id, kept.is_folder, std::move(kept.stat)});
    if ((kept.marks & kIsCurrent) != 0) {
      by_key_.emplace(node->stat.key, id);
    }
    nodes_[id] = {.node = std::move(node),
                  .lookups = kept.lookups,
                  .is_current = (kept.marks & kIsCurrent) != 0,
                  .is_outdated = (kept.marks & kIsOutdated) != 0,
                  .is_strong = (kept.marks & kIsStrong) != 0,
                  .is_weak = (kept.marks & kIsWeak) != 0};
  }
  restored.nodes = {};
}

uint8_t InodeTable::Known::marks() const {
  const uint32_t marks = (is_current ? uint32_t{kIsCurrent} : 0) | (is_outdated ? uint32_t{kIsOutdated} : 0) |
                         (is_strong ? uint32_t{kIsStrong} : 0) | (is_weak ? uint32_t{kIsWeak} : 0);
  return static_cast<uint8_t>(marks);
}

/// A node that is new, or in place of what took so many bytes of the log.
void InodeTable::log_node(const Known& known, int64_t replaced_bytes) {
  if (log_ != nullptr) {
    const Node& node = *known.node;
    const std::string record = node_record(node.id, node.is_folder, known.marks(), known.lookups, node.stat);
    log_->append(record, StateLog::bytes_of(record) - replaced_bytes);
  }
}

void InodeTable::log_lookup(const Known& known) {
  if (log_ != nullptr && known.node->id != kRootNode) {
    log_->append(lookup_record(known.node->id), 0);
  }
}

void InodeTable::log_marks(const Known& known) {
  if (log_ != nullptr && known.node->id != kRootNode) {
    log_->append(marks_record(known.node->id, known.marks()), 0);
  }
}

void InodeTable::frozen(const std::function<void(const PutAll& put_all)>& then) const {
  const MutexLock lock(mutex_);
  then([this](const StateLog::PutRecord& put) FOREBAY_REQUIRES(mutex_) {
    put(next_node_record(next_id_));
    for (const auto& [id, known] : nodes_) {
      const Node& node = *known.node;
      if (id != kRootNode) {
        put(node_record(id, node.is_folder, known.marks(), known.lookups, node.stat));
      }
    }
  });
}

/// Of files: whether it is the same content. A folder is the same whatever is in it. A version says all; some
/// stores tell the time of one object more and less exactly.
bool InodeTable::is_same(const Node& node, const storage::ObjectStat& stat) {
  const bool has_same_time = !stat.version.empty() || node.stat.modified_ns == stat.modified_ns;
  return node.is_folder ||
         (node.stat.version == stat.version && node.stat.size_bytes == stat.size_bytes && has_same_time);
}

NodeRef InodeTable::look_up(bool is_folder, storage::ObjectStat stat) {
  const MutexLock lock(mutex_);
  const auto found = by_key_.find(stat.key);
  if (found != by_key_.end()) {
    Known& known = nodes_.at(found->second);
    if (is_same(*known.node, stat)) {
      ++known.lookups;
      if (is_folder && known.node->stat.modified_ns != stat.modified_ns) {
        replace(known, std::move(stat));
      } else {
        log_lookup(known);
      }
      return known.node;
    }
    forget_name(known);  // the kernel still has the node that it was
    log_marks(known);
  }
  Known& made = make(is_folder, std::move(stat));
  ++made.lookups;
  log_node(made, 0);
  return made.node;
}

InodeTable::Known& InodeTable::make(bool is_folder, storage::ObjectStat stat) {
  const uint64_t id = next_id_++;
  auto node = std::make_shared<Node>(Node{id, is_folder, std::move(stat)});
  by_key_.emplace(node->stat.key, id);
  Known& known = nodes_[id];
  known.node = std::move(node);
  known.is_current = true;
  return known;
}

/// The node is something else from now on, and its name, if it led there, goes with it.
void InodeTable::replace(Known& known, storage::ObjectStat stat) {
  const uint64_t id = known.node->id;
  const int64_t replaced_bytes = node_record_bytes(known.node->stat);
  ++known.changes;
  if (known.is_current) {
    by_key_.erase(known.node->stat.key);
  }
  known.node = std::make_shared<Node>(Node{id, known.node->is_folder, std::move(stat)});
  if (known.is_current) {
    forget_current(known.node->stat.key);  // another node's name
    by_key_.emplace(known.node->stat.key, id);
  }
  log_node(known, replaced_bytes);
}

/// The name leads to no node any more.
void InodeTable::forget_current(std::string_view key) {
  const auto found = by_key_.find(key);
  if (found != by_key_.end()) {
    Known& known = nodes_.at(found->second);
    forget_name(known);
    log_marks(known);
  }
}

NodeRef InodeTable::look_up_node(uint64_t id) {
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(id);
  if (found == nodes_.end()) {
    return nullptr;
  }
  ++found->second.lookups;
  log_lookup(found->second);
  return found->second.node;
}

uint64_t InodeTable::changes(std::string_view key) const {
  const MutexLock lock(mutex_);
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? 0 : nodes_.at(found->second).changes;
}

NodeRef InodeTable::look_up_for_writing(storage::ObjectStat stat, uint64_t seen_changes) {
  const MutexLock lock(mutex_);
  const auto found = by_key_.find(stat.key);
  if (found != by_key_.end()) {
    Known& known = nodes_.at(found->second);
    if (known.is_for_writing) {
      if (known.changes == seen_changes) {
        replace(known, std::move(stat));
        known.is_outdated = false;
      }
      ++known.lookups;
      log_lookup(known);
      return known.node;
    }
    forget_name(known);
    log_marks(known);
  }
  Known& made = make(false, std::move(stat));
  made.is_for_writing = true;
  ++made.lookups;
  log_node(made, 0);
  return made.node;
}

bool InodeTable::is_for_writing(uint64_t id) const {
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(id);
  return found != nodes_.end() && found->second.is_for_writing;
}

void InodeTable::set_stat(uint64_t id, storage::ObjectStat stat) {
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(id);
  if (found != nodes_.end()) {
    replace(found->second, std::move(stat));
  }
}

void InodeTable::set_version(uint64_t id, storage::ObjectStat stat) {
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(id);
  if (found != nodes_.end()) {
    stat.key = found->second.node->stat.key;
    replace(found->second, std::move(stat));
  }
}

void InodeTable::end_writing(uint64_t id) {
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(id);
  if (found != nodes_.end()) {
    found->second.is_for_writing = false;
  }
}

void InodeTable::rename_folder(const std::string& from, const std::string& to, bool is_copied) {
  const MutexLock lock(mutex_);
  for (auto& [id, known] : nodes_) {
    if (!known.node->stat.key.starts_with(from)) {
      continue;
    }
    storage::ObjectStat stat = known.node->stat;
    stat.key = to + stat.key.substr(from.size());
    replace(known, std::move(stat));
    if (is_copied && !known.node->is_folder && !known.is_for_writing) {
      known.is_outdated = true;
      forget_name(known);
      log_marks(known);
    }
  }
}

void InodeTable::forget_key(std::string_view key) {
  const MutexLock lock(mutex_);
  forget_current(key);
}

NodeRef InodeTable::find_key(std::string_view key) const {
  const MutexLock lock(mutex_);
  const auto found = by_key_.find(key);
  return found == by_key_.end() ? nullptr : nodes_.at(found->second).node;
}

NodeRef InodeTable::find(uint64_t id) const {
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(id);
  return found == nodes_.end() ? nullptr : found->second.node;
}

/// The name leads to this node no more, if it did.
void InodeTable::forget_name(Known& known) {
  if (std::exchange(known.is_current, false)) {
    by_key_.erase(known.node->stat.key);
  }
}

void InodeTable::note_outdated(uint64_t id) {
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(id);
  if (found != nodes_.end() && !found->second.node->is_folder) {
    found->second.is_outdated = true;
    forget_name(found->second);
    log_marks(found->second);
  }
}

bool InodeTable::is_outdated(uint64_t id) const {
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(id);
  return found != nodes_.end() && found->second.is_outdated;
}

void InodeTable::note_version(uint64_t id, bool is_weak) {
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(id);
  if (found == nodes_.end()) {
    return;
  }
  bool& is_noted = is_weak ? found->second.is_weak : found->second.is_strong;
  if (!std::exchange(is_noted, true)) {
    log_marks(found->second);
  }
}

bool InodeTable::is_sure(uint64_t id) const {
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(id);
  return found != nodes_.end() && found->second.is_strong && !found->second.is_weak;
}

void InodeTable::forget(uint64_t id, uint64_t lookups) {
  NodeRef forgotten;  // dropped after the lock
  const MutexLock lock(mutex_);
  const auto found = nodes_.find(id);
  if (id == kRootNode || found == nodes_.end()) {
    return;
  }
  Known& known = found->second;
  const bool is_gone = known.lookups <= lookups;
  if (log_ != nullptr) {
    log_->append(forget_record(id, lookups), is_gone ? -node_record_bytes(known.node->stat) : 0);
  }
  if (!is_gone) {
    known.lookups -= lookups;
    return;
  }
  forget_name(known);
  forgotten = std::move(known.node);
  nodes_.erase(found);
}

size_t InodeTable::size() const {
  const MutexLock lock(mutex_);
  return nodes_.size();
}

}  // namespace forebay::fuse
