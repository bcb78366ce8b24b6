// Tells the stores that hold a reader's data what it will read.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/dataset/order/order.h"
#include "forebay/dataset/source.h"

namespace forebay::dataset {

/// Sends each store of `source` a plan of the samples it holds: position k is the k-th sample of `order`,
/// from `first` on, endlessly. Thread safe. The destructor retracts the plans, except in a forked child,
/// where they still belong to the parent.
class ReadAhead {
 public:
  /// `window`: the reader itself asks for about so many samples ahead.
  ReadAhead(std::shared_ptr<const Source> source, const Order& order, uint64_t first, uint64_t window);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Notes that everything before the k-th sample has been read. Costs an atomic exchange for each store.
  void advance(uint64_t k);

 private:
  ReadAhead();

  const pid_t owner_;
  std::vector<std::shared_ptr<storage::ReadPlan>> plans_;
};

}  // namespace forebay::dataset
