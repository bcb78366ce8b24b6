// An opened reader of a plan: what it reads, and in which order.
#pragma once

#include <memory>
#include <string>

#include "forebay/dataset/order.h"
#include "forebay/dataset/source.h"

namespace forebay::pipeline {

struct OpenReader {
  std::string name;
  std::shared_ptr<dataset::Source> source;
  dataset::Order order;
  bool may_lease = false;  // a store of its data may have samples in memory
};

}  // namespace forebay::pipeline
