// A plan of another process, as the daemon has it: the order from its description, the items from its table.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/cache/hosted/host_stores.h"
#include "forebay/cache/items/item_table.h"
#include "forebay/storage/described_items.h"

namespace forebay::cache {

/// The keys by which the daemon's store knows what processes name by URI. Thread safe.
class HostedNames {
 public:
  /// `uri` is that of any object, which lies at `key` of `store`. What does not lie as it does is found by
  /// `open`.
  HostedNames(const std::string& uri, std::string_view key, std::shared_ptr<storage::ObjectStore> store,
              StoreOpener open, storage::StoreUse use);

  /// Nothing for an object of another store.
  std::optional<std::string> key_of(const std::string& uri) const;

 private:
  const std::string base_;  // before a key there is often nothing but this
  const std::shared_ptr<storage::ObjectStore> store_;
  const StoreOpener open_;
  const storage::StoreUse use_;
};

/// Immutable; thread safe.
class HostedItems final : public storage::PlannedItems {
 public:
  /// `order` is that of the description, over as many samples as the table has items. `prefix` is what the
  /// table leaves out of URIs.
  HostedItems(const storage::PlanDescription& description, std::shared_ptr<const storage::ReadOrder> order,
              std::shared_ptr<const ItemTable> table, std::string prefix,
              std::shared_ptr<const HostedNames> names)
      : description_(description),
        order_(std::move(order)),
        table_(std::move(table)),
        prefix_(std::move(prefix)),
        names_(std::move(names)) {}

  storage::PlanDescription description() const override { return description_; }
  uint64_t data_set() const override { return description_.data_set; }
  uint64_t num_items() const override { return table_->num_items(); }
  uint64_t item_at(uint64_t position) const override { return table_->item_of(order_->sample_at(position)); }
  uint64_t next_position(uint64_t item, uint64_t from, uint64_t before) const override {
    return order_->next_read(table_->sample_of(item), from, before);
  }
  void ranges_of(uint64_t item, std::vector<storage::PlannedRange>* ranges) const override;
  uint64_t num_objects() const override { return table_->num_objects(); }
  std::optional<storage::PlannedObject> object(uint64_t number) const override;
  storage::ItemRun items_in(uint64_t object, uint64_t offset_bytes, uint64_t length_bytes) const override {
    return table_->items_in(object, offset_bytes, length_bytes);
  }

 private:
  std::optional<std::string> key_of(const ItemTable::Object& object) const;

  const storage::PlanDescription description_;
  const std::shared_ptr<const storage::ReadOrder> order_;
  const std::shared_ptr<const ItemTable> table_;
  const std::string prefix_;
  const std::shared_ptr<const HostedNames> names_;
};

}  // namespace forebay::cache
