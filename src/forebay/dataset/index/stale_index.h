// An index file that a reader has found out of date: it goes, so that whoever opens the data set next has it
// made anew. What looks at 256 objects when the index is opened may not see which one has changed; who reads
// it does.
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "forebay/dataset/index/sample_index.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::dataset {

/// Thread safe. May be called from a store's callback: it waits for nobody.
class StaleIndex {
 public:
  /// `file`: a path or URI; empty: the index is only in memory, and nothing is done. `registry` must outlive
  /// this.
  StaleIndex(std::string file, const storage::StoreRegistry* registry)
      : file_(std::move(file)), registry_(registry) {}

  /// Removes the file if its store says that `object` is no longer as `indexed`, and if the file still is
  /// `index`, which stays usable; the log says so, once. A conflict that passes leaves the file, as does a
  /// store that does not answer: the next call looks again. A file that somebody has made anew meanwhile
  /// stays, at least where the store renames: elsewhere there is a moment between the last look and the
  /// removal.
  void retire(const std::shared_ptr<const SampleIndex>& index, const storage::ObjectAddress& object,
              const IndexedObject& indexed);

 private:
  const std::string file_;
  const storage::StoreRegistry* const registry_;
  // Shared with the answers of stores.
  const std::shared_ptr<std::atomic<bool>> is_retired_ = std::make_shared<std::atomic<bool>>(false);
};

}  // namespace forebay::dataset
