// The future of a reader, told to the stores that hold its data.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "forebay/dataset/order.h"
#include "forebay/dataset/source.h"

namespace forebay::dataset {

/// Sends each store of `source` a plan of what lies in it: position k is the k-th sample of `order`, from
/// `first` on and without an end. Thread safe; the plans are retracted when this goes.
class ReadAhead {
 public:
  ReadAhead(std::shared_ptr<const Source> source, const Order& order, uint64_t first);
  ~ReadAhead();
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// What lies before the k-th sample has been read.
  void advance(uint64_t k);

 private:
  std::vector<std::shared_ptr<storage::ReadPlan>> plans_;
};

}  // namespace forebay::dataset
