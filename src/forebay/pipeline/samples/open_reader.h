// An opened reader of a plan: what it reads, and in which order.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/order.h"
#include "forebay/dataset/source.h"
#include "forebay/pipeline/plan/plan.h"

namespace forebay::pipeline {

struct OpenReader {
  std::string name;
  std::shared_ptr<dataset::Source> source;
  dataset::Order order;
  bool may_lease = false;  // a store of its data may have samples in memory
};

/// The readers of plan.sources(), whose streams begin with epoch 0.
Result<std::vector<OpenReader>> open_readers(const Plan& plan);

/// The readers' orders if their streams begin at `begin`. Errors name the reader.
Result<std::vector<dataset::Order>> orders_from(const storage::StreamBegin& begin,
                                                const std::vector<OpenReader>& readers);

}  // namespace forebay::pipeline
