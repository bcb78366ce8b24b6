// Regions of POSIX shared memory that clients registered: inputs are read from there, outputs written to
// there. Source: Triton's "Shared-Memory Extension", the part about system shared memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/serving/inference/inference.h"

namespace forebay::serving {

struct SharedRegion {
  std::string name;
  std::string key;  // as shm_open() has it: one name, a slash before it or not
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

struct SharedRegionsOptions {
  std::string folder = "/dev/shm";
  std::string key_prefix;  // only keys that begin so may be registered
  size_t max_regions = 4096;
  /// Inputs are read where they lie. A client that makes its file shorter while a request reads it then ends
  /// the process (SIGBUS), and one that writes meanwhile changes what is computed. Set it to false for
  /// clients that are not trusted that far: then inputs are copied by reads of the file, which fail cleanly.
  bool reads_in_place = true;
};

/// Thread safe. Whoever may register a region may read and write all shared memory that this process may.
///
/// A file is checked to be long enough when it is registered and at each use. Outputs, and inputs whose bytes
/// are checked before use (BYTES, BOOL), never go through the mapping; other inputs do, see reads_in_place.
/// Unregistering takes only the name away: the mapping lives until the last tensor in it is gone.
class SharedRegions {
 public:
  explicit SharedRegions(SharedRegionsOptions options = {}) : options_(std::move(options)) {}

  /// already_exists for a name that is taken; not_found, permission_denied as the system says;
  /// invalid_argument for keys that are no name, and for files that are too short.
  Status add(const SharedRegion& region);
  /// Does nothing where there is no such region.
  void remove(const std::string& name);
  void remove_all();
  /// Sorted by name.
  std::vector<SharedRegion> all() const;
  /// not_found.
  Result<SharedRegion> find(const std::string& name) const;

  /// That the place lies within its region, and the region within its file.
  Status check(const SharedPlace& place) const;
  /// Sets the buffer and size of `tensor` to the bytes at `place`.
  Status read(const SharedPlace& place, NamedTensor& tensor) const;
  /// Writes to the beginning of `place`; invalid_argument if it is too small. permission_denied for files
  /// that may only be read.
  Status write(const SharedPlace& place, Bytes bytes) const;

 private:
  struct Opened;
  using OpenedRef = std::shared_ptr<const Opened>;

  Result<OpenedRef> open(const SharedRegion& region) const;
  Result<OpenedRef> usable(const SharedPlace& place) const;

  SharedRegionsOptions options_;
  mutable Mutex mutex_;
  std::map<std::string, OpenedRef> regions_ FOREBAY_GUARDED_BY(mutex_);
};

}  // namespace forebay::serving
