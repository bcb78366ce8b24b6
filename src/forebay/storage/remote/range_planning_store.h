// A store that asks the one behind it in pieces of the right size: ranges close to each other by one request,
// long ones by several at once, as a learnt cost model has it.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "forebay/storage/forwarding_store.h"
#include "forebay/storage/remote/cost_model.h"

namespace forebay::storage {

struct RangePlanningOptions {
  size_t most_parts = 8;  // of one long range
};

/// Thread safe. A joined read's answers share one buffer; those into memory of the caller's choice are copied
/// there. The parts of one read are of one version, or the read is `aborted`.
class RangePlanningStore final : public ForwardingStore {
 public:
  RangePlanningStore(std::shared_ptr<ObjectStore> inner, std::shared_ptr<CostModel> costs,
                     RangePlanningOptions options = {});

  void read(ReadRequest request, const CallContext& context, ReadCallback done) override;
  void read_many(std::vector<ReadRequest> requests, const CallContext& context,
                 ReadManyCallback each) override;
  void remove_many(std::vector<std::string> keys, const CallContext& context,
                   RemoveManyCallback each) override {
    store_->remove_many(std::move(keys), context, std::move(each));
  }

 private:
  const std::shared_ptr<ObjectStore> store_;
  const std::shared_ptr<CostModel> costs_;
  const RangePlanningOptions options_;
};

}  // namespace forebay::storage
