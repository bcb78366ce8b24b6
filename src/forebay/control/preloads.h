// Bringing a folder into the host's cache before somebody reads it: what is preloaded, in which order, and
// how far that is.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/cache/preload/preload_record.h"

namespace forebay::control {

/// What to preload. How far that is, is recorded for each path and order.
struct PreloadRequest {
  std::string path;                          // of a folder: in a mount, or a URI
  std::optional<uint64_t> seed;              // in the order of readers with random_shuffle; else by name
  uint64_t epoch = 0;                        // of that order
  uint32_t num_shards = 1;                   // of the job's readers, which read side by side
  std::string index;                         // of the data set; empty: one beside the record
  std::vector<std::string> extensions = {};  // of the parts of a sample in tar archives
  bool is_verified = false;                  // what was written to the cache is read back and compared
  uint64_t bytes_per_second = 0;             // of what has to be fetched; 0: no limit
  bool begins_anew = false;                  // also where an earlier call was not finished
};

struct PreloadProgress {
  uint64_t done_objects = 0;   // of this call and those before it
  uint64_t known_objects = 0;  // so far
  uint64_t fetched_bytes = 0;
};

/// Who watches a preload; `on_progress` may be empty, and is called by the calling thread.
struct PreloadWatcher {
  std::stop_token stop;  // ends it with `cancelled`; a later call goes on
  std::function<void(const PreloadProgress& progress)> on_progress;
};

/// How a run ended: `status` is `cancelled` if it was asked to, `unavailable` if objects could not be
/// brought, or the daemon went and no other came; and see Preload::run().
struct PreloadEnd {
  cache::PreloadRecord record;
  Status status;

  /// Done, whatever could not be brought, or stopped.
  const char* state() const { return record.state == cache::PreloadState::kDone ? "done" : "stopped"; }
};

/// Brings it, from where an earlier call ended. When the daemon goes, waits for the next one:
/// FOREBAY_RETRY_FOR seconds, ten minutes without it. Errors are those of its beginning: failed_precondition
/// if no cache keeps the folder, already_exists if another call is at work on it. Blocks.
Result<PreloadEnd> preload(const PreloadRequest& request, const PreloadWatcher& watcher);

struct PreloadStatus {
  cache::PreloadRecord record;
  const char* state = "";  // running, done or stopped
};

/// How far it is; not_found if it was never begun.
Result<PreloadStatus> preload_status(const PreloadRequest& request);

/// Asks whoever is at work on it, in this process or another, to end; not_found if nobody is. Does not wait.
Status stop_preload(const PreloadRequest& request);

}  // namespace forebay::control
