// A store that asks a second time for what takes far longer than its like, and takes the first answer.
//
// Source: J. Dean, L. A. Barroso, "The Tail at Scale", CACM 56(2), 2013.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/base/sync/timer.h"
#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/remote/cost_model.h"

namespace forebay::storage {

struct HedgingOptions {
  double most_hedged = 0.05;  // of all reads
};

/// Thread safe. Only demand reads of known length are asked for twice; the later answer is cancelled. A read
/// into the caller's memory is answered once nobody writes there any more.
class HedgingStore final : public ForwardingStore {
 public:
  HedgingStore(std::shared_ptr<ObjectStore> inner, std::shared_ptr<const CostModel> costs,
               HedgingOptions options = {}, Timer& timer = process_timer());

  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  void remove_many(std::vector<std::string> keys, const CallContext& context,
                   RemoveManyCallback each) override {
    store_->remove_many(std::move(keys), context, std::move(each));
  }

  /// How many reads were asked for a second time.
  uint64_t hedged_reads() const;

  /// What reads share; lives as long as they do.
  struct State;

 private:
  const std::shared_ptr<ObjectStore> store_;
  const std::shared_ptr<State> state_;
};

}  // namespace forebay::storage
