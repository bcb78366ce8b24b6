// The parts of one read: collected until all are there, then joined.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/object_store.h"

namespace forebay::cache {

/// Collects the parts of one read and answers when all are there. Thread safe.
class Gather {
 public:
  using Done = absl::AnyInvocable<void(Result<std::vector<storage::ReadBytes>>)>;

  Gather(size_t parts, Done done);

  /// Called once for each part.
  void take(size_t part, Result<storage::ReadBytes> bytes);

 private:
  Mutex mutex_;
  std::vector<storage::ReadBytes> parts_;
  size_t left_ FOREBAY_GUARDED_BY(mutex_);
  Status error_;
  Done done_;
};

/// Parts that lie behind each other in memory are one view; others are copied into one buffer, which is cut
/// from `memory` if the caller wants it nowhere else.
Result<storage::ReadBytes> join_parts(storage::ReadRequest request, std::vector<storage::ReadBytes> parts,
                                      const std::string& uri,
                                      const std::shared_ptr<memory::MemoryResource>& memory);

}  // namespace forebay::cache
