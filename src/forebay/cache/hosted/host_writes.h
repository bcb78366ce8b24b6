// What a process writes through its daemon. Private to the daemon's side.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>

#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// One object. Its writer is used by one call at a time.
struct HostWrite {
  std::string uri;
  std::string key;
  std::unique_ptr<storage::ObjectWriter> writer;  // null if it could not be opened
  Status error;                                   // why
  std::atomic<bool> is_busy = false;
};
using HostWriteRef = std::shared_ptr<HostWrite>;

/// The objects that a process is writing. The loop's thread only; calls under way keep theirs.
class HostWrites {
 public:
  size_t size() const { return writes_.size(); }
  /// False if there is one with this number.
  bool add(uint64_t number, HostWriteRef write) { return writes_.emplace(number, std::move(write)).second; }
  /// Null if there is none.
  HostWriteRef find(uint64_t number) const {
    const auto found = writes_.find(number);
    return found == writes_.end() ? nullptr : found->second;
  }
  void drop(uint64_t number) { writes_.erase(number); }
  void drop_all() { writes_.clear(); }

 private:
  std::unordered_map<uint64_t, HostWriteRef> writes_;
};

}  // namespace forebay::cache
