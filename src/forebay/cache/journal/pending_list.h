// A listing of a store, with the objects that wait to be stored in their places.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "forebay/storage/object_store.h"

namespace forebay::cache {

class PendingList final : public storage::ListStream {
 public:
  /// `waiting` have the keys of the store, in order, and begin with the prefix; they replace what `inner`
  /// says of the same keys.
  PendingList(std::unique_ptr<storage::ListStream> inner, std::vector<storage::ObjectStat> waiting,
              storage::ListRequest request);

  void next(const storage::CallContext& context, storage::ListCallback done) override;

 private:
  class Merge;

  const std::unique_ptr<storage::ListStream> inner_;
  const std::shared_ptr<Merge> merge_;
};

}  // namespace forebay::cache
