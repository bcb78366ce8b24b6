// An index file that a reader has found out of date: it goes, so that whoever opens the data set next has it
// made anew. What looks at 256 objects when the index is opened may not see which one has changed; who reads
// it does.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>

#include "forebay/dataset/index/sample_index.h"
#include "forebay/storage/store_registry.h"

namespace forebay::dataset {

/// Thread safe. May be called from a store's callback: it waits for nobody.
class StaleIndex {
 public:
  /// `file`: a path or URI; empty: the index is only in memory, and nothing is done. `registry` must outlive
  /// this.
  StaleIndex(std::string file, const storage::StoreRegistry* registry)
      : file_(std::move(file)), registry_(registry) {}

  /// Removes the file if it still is `index`, which stays usable, and says so in the log; only the first call
  /// does anything. A file that somebody has made anew meanwhile stays. `object`: what has changed, for the
  /// log.
  void retire(const std::shared_ptr<const SampleIndex>& index, std::string_view object);

 private:
  const std::string file_;
  const storage::StoreRegistry* const registry_;
  std::atomic<bool> is_retired_ = false;
};

}  // namespace forebay::dataset
