// Finds what an earlier run left in a cache's directories.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/cache/core/cache_core.h"

namespace forebay::cache {

/// Used once, by CacheCore::open(), with the lock held. What holds nothing that is sound is removed. An error
/// of the system (a disk that fails, a permission, no descriptors left) says nothing about a file: it stays.
class Recovery {
 public:
  explicit Recovery(CacheCore* core) : core_(*core) {}

  void run();

 private:
  void recover_segments(uint32_t directory);
  void recover_objects(uint32_t directory);
  /// The names in a folder of a directory, and that new ones begin behind them. None if it cannot be read.
  std::vector<std::string> names_in(uint32_t directory, const char* folder);
  Status recover_segment(uint32_t directory, const std::string& path);
  /// An object's files, of which only one may be there.
  Status recover_object(uint32_t directory, const std::string& path);
  void remove_object(const std::string& path);
  /// Adds a written, unchecked entry; nothing if there is one with its name.
  std::optional<EntrySlot> add(const EntryRecord& record);

  CacheCore& core_;
};

}  // namespace forebay::cache
