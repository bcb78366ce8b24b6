// A reader's plan for one store as items: the samples of an indexed source, in the order in which they are
// stored, read in the order of a rank.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/order/order.h"
#include "forebay/storage/described_items.h"

namespace forebay::dataset {

/// Returns the order that a description names. invalid_argument for fields that contradict each other, as
/// those of a description from outside may. `stored_shards`: of its samples.
Result<Order> order_of(const storage::PlanDescription& description, std::vector<uint64_t> stored_shards = {});
/// The same for stores and caches, which know no Order.
Result<std::shared_ptr<const storage::ReadOrder>> read_order_of(const storage::PlanDescription& description,
                                                                std::vector<uint64_t> stored_shards);

/// Immutable; thread safe.
class PlannedSamples final : public storage::DescribedItems {
 public:
  /// `order` must be over the source's samples. Ranges in stores other than `store` are left out; only its
  /// address is used.
  PlannedSamples(std::shared_ptr<const IndexedSource> source, const Order& order,
                 const storage::ObjectStore* store);

  storage::PlanDescription description() const override;
  uint64_t data_set() const override { return source_->identity(); }
  uint64_t num_items() const override { return static_cast<uint64_t>(source_->size()); }
  uint64_t item_at(uint64_t position) const override;
  uint64_t sample_of(uint64_t item) const override { return source_->stored_order().sample_at(item); }
  std::vector<uint64_t> stored_shards() const override { return source_->stored_shards(); }
  uint64_t next_position(uint64_t item, uint64_t from, uint64_t before) const override;
  void ranges_of(uint64_t item, std::vector<storage::PlannedRange>* ranges) const override;
  uint64_t num_objects() const override { return source_->index().num_objects(); }
  std::optional<storage::PlannedObject> object(uint64_t number) const override;
  storage::ItemRun items_in(uint64_t object, uint64_t offset_bytes, uint64_t length_bytes) const override;

 private:
  const std::shared_ptr<const IndexedSource> source_;
  const Order order_;
  const storage::ObjectStore* const store_;
};

/// Appends what reading a sample fetches from one store, of which only the address is used.
void planned_ranges(const Source& source, const storage::ObjectStore* store, uint64_t sample,
                    std::vector<storage::PlannedRange>* ranges);

}  // namespace forebay::dataset
