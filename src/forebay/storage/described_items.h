// Plans that another process can make again: what is read when is a pure function of their description, and
// what there is to read is a table. So neither the order nor the reads have to be sent.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/storage/planned_items.h"

namespace forebay::storage {

/// The order that a description names, over samples: numbers below its `num_items`. An order knows nothing of
/// where samples are stored. Immutable; thread safe.
class ReadOrder {
 public:
  virtual ~ReadOrder() = default;

  /// Any position of an endless stream.
  virtual uint64_t sample_at(uint64_t position) const = 0;
  /// Returns the smallest position in [from, before) at which `sample` is read, or kNeverRead. O(1) for each
  /// epoch between the two.
  virtual uint64_t next_read(uint64_t sample, uint64_t from, uint64_t before) const = 0;
};

/// `stored_shards`: see DescribedItems. invalid_argument for a description whose fields contradict each other
/// or these, as one from outside may.
using ReadOrderMaker = std::function<Result<std::shared_ptr<const ReadOrder>>(
    const PlanDescription& description, std::vector<uint64_t> stored_shards)>;

/// Items whose positions follow from their description and the number of the sample that each of them is.
class DescribedItems : public PlannedItems {
 public:
  /// What the order calls the item. Each sample is one item.
  virtual uint64_t sample_of(uint64_t item) const = 0;
  /// How many samples there are in each of the shards that they are stored in, in the order of their numbers;
  /// empty if they are not in shards.
  virtual std::vector<uint64_t> stored_shards() const { return {}; }
};

}  // namespace forebay::storage
