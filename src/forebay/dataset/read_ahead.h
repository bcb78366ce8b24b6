// Tells the stores that hold a reader's data what it will read.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/dataset/order.h"
#include "forebay/dataset/source.h"

namespace forebay::dataset {

/// Sends each store of `source` a plan of the samples it holds: position k is the k-th sample of `order`,
/// from `first` on, endlessly. Thread safe. The destructor retracts the plans.
class ReadAhead {
 public:
  ReadAhead(std::shared_ptr<const Source> source, const Order& order, uint64_t first);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Notes that everything before the k-th sample has been read.
  void advance(uint64_t k);

 private:
  std::vector<std::shared_ptr<storage::ReadPlan>> plans_;
};

}  // namespace forebay::dataset
