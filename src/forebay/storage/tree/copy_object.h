// Copies an object from any store to any other. Nothing is visible at the destination before all of it is
// there, and what is there is one version of the source.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

struct CopyOptions {
  bool if_absent = false;         // already_exists if there is an object at the destination
  uint64_t part_bytes = 4 << 20;  // larger where the destination asks for it
  size_t parts_in_flight = 4;     // the memory of one copy: about this many parts
  /// Called with the bytes of each part that has been read, on the calling thread.
  std::function<void(uint64_t bytes)> progress;
  /// What a listing has said of the source, so that nobody asks again; nothing, or without a version: it is
  /// asked.
  std::optional<ObjectStat> listed;
  bool only_listed = false;  // `aborted` if the source has another version than `listed` by now
};

/// Copies within a store without moving the bytes through this process where the store can. Small objects are
/// written at once, larger ones in parts, read ahead of the writer. Blocks. Errors are those of either store,
/// `aborted` if the source changes meanwhile.
Result<ObjectStat> copy_object(const ObjectAddress& from, const ObjectAddress& to,
                               const CopyOptions& options = {}, const CallContext& context = {});

}  // namespace forebay::storage
