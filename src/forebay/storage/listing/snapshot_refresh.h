// Makes a snapshot of names, and brings it up to date: what has changed since is written into a file beside
// it, until that is worth a new snapshot.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "forebay/storage/listing/entry_sorter.h"
#include "forebay/storage/listing/name_snapshot.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

struct RefreshOutcome {
  uint64_t objects = 0;  // that there are now
  uint64_t added = 0;    // since the snapshot was last brought up to date
  uint64_t changed = 0;
  uint64_t removed = 0;
  bool is_rewritten = false;  // else changes were written, or nothing, if there are none
};

/// Puts all entries that there are now into `sorter`, in any order.
using FillEntries = std::function<Status(EntrySorter& sorter)>;

/// Makes the snapshot `path`, or brings it up to date. A killed process leaves the old one or the new one.
/// A damaged snapshot is made anew; failed_precondition if `path` is one of another source, already_exists if
/// it is something else. Blocks. Memory: that of the sorter, and five bytes for each object.
Result<RefreshOutcome> refresh_snapshot(const std::string& path, const SnapshotFacts& facts,
                                        const FillEntries& fill);

/// What a snapshot of the keys below `prefix` says it is of: the URI, without what may be secret.
std::string snapshot_source(const ObjectStore& store, std::string_view prefix);

/// Lists `prefix` of the store, with several streams; keys are kept without the prefix. `progress`, which may
/// be empty, is called now and then with the number of objects so far.
FillEntries listed_entries(ObjectStore& store, std::string prefix,
                           std::function<void(uint64_t)> progress = {}, CallContext context = {});

}  // namespace forebay::storage
