// Where a Bringer has objects brought from: one upstream store, read through the cache.
#pragma once

#include <string>

#include "forebay/cache/entries/object_version.h"
#include "forebay/storage/basic_store.h"

namespace forebay::cache {

/// Thread safe.
class BringSource {
 public:
  virtual std::string uri_of(const std::string& key) const = 0;
  virtual void stat(std::string key, const storage::CallContext& context, storage::StatCallback done) = 0;
  /// Makes a range of an object resident, in one read upstream for each run of chunks that are missing.
  /// failed_precondition if it is not kept.
  virtual void bring(const storage::BringRequest& request, ByteRange range,
                     const storage::CallContext& context, storage::BringCallback done) = 0;
  /// Compares what was kept of it with its checksums, once it is on disk.
  virtual Status read_back(const storage::BringRequest& request, ByteRange range) const = 0;

 protected:
  ~BringSource() = default;
};

}  // namespace forebay::cache
