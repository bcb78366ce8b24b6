// An opened reader of a plan: what it reads, and in which order.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "forebay/dataset/order/order.h"
#include "forebay/dataset/source.h"
#include "forebay/pipeline/plan/plan.h"
#include "forebay/pipeline/samples/growing_reader.h"

namespace forebay::pipeline {

struct OpenReader {
  std::string name;
  std::shared_ptr<dataset::Source> source;
  std::optional<dataset::Order> whole_order;  // null where that of `growing` holds
  bool may_lease = false;                     // a store of its data may have samples in memory
  std::shared_ptr<GrowingReader> growing;     // null: all samples were known when it was opened

  const dataset::Order& order() const { return whole_order ? *whole_order : growing->order(); }
  /// The k-th sample of the stream, which is known.
  dataset::StreamItem item_at(uint64_t k) const {
    return whole_order ? whole_order->at(k) : growing->item_at(k);
  }
  /// What a sample is called: its number in the data set; -1 where it is read before others are counted.
  int64_t shown_index(uint64_t index) const {
    const dataset::OrderOptions& options = whole_order ? whole_order->options() : growing->options();
    return options.shard_first ? -1 : static_cast<int64_t>(index);
  }
};

/// The readers of plan.sources(), whose streams begin with epoch 0. Blocks until their samples are known; if
/// `may_grow`, only until the first one is, where a reader begins with that.
Result<std::vector<OpenReader>> open_readers(const Plan& plan, bool may_grow = false);

/// The readers' orders if their streams begin at `begin`. Errors name the reader.
Result<std::vector<dataset::Order>> orders_from(const storage::StreamBegin& begin,
                                                const std::vector<OpenReader>& readers);

}  // namespace forebay::pipeline
