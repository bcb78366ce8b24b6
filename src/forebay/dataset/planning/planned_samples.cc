#include "forebay/dataset/planning/planned_samples.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

namespace forebay::dataset {
namespace {

class SampleOrder final : public storage::ReadOrder {
 public:
  explicit SampleOrder(const Order& order) : order_(order) {}

  uint64_t sample_at(uint64_t position) const override { return order_.at(position).index; }
  uint64_t next_read(uint64_t sample, uint64_t from, uint64_t before) const override {
    return order_.next_read(sample, from, before);
  }

 private:
  const Order order_;
};

}  // namespace

Result<Order> order_of(const storage::PlanDescription& description, std::vector<uint64_t> stored_shards) {
  auto shards = std::make_shared<const std::vector<uint64_t>>(std::move(stored_shards));
  return Order::create({.dataset_size = description.num_items,
                        .num_shards = description.num_shards,
                        .shard_id = description.shard_id,
                        .seed = description.seed,
                        .random_shuffle = description.random_shuffle,
                        .shard_first = description.shard_first,
                        .stored_shards = std::move(shards),
                        .shuffle_after_epoch = description.shuffle_after_epoch,
                        .stick_to_shard = description.stick_to_shard,
                        .pad_last_batch = description.pad_last_batch,
                        .batch_size = description.batch_size,
                        .begin = description.begin});
}

Result<std::shared_ptr<const storage::ReadOrder>> read_order_of(const storage::PlanDescription& description,
                                                                std::vector<uint64_t> stored_shards) {
  FOREBAY_ASSIGN_OR_RETURN(const Order order, order_of(description, std::move(stored_shards)));
  return std::make_shared<const SampleOrder>(order);
}

void planned_ranges(const Source& source, const storage::ObjectStore* store, uint64_t sample,
                    std::vector<storage::PlannedRange>* ranges) {
  std::vector<PlannedRead> reads;
  source.plan(static_cast<int64_t>(sample), &reads);
  for (PlannedRead& read : reads) {
    if (read.store == store) {
      ranges->push_back(std::move(read.range));
    }
  }
}

PlannedSamples::PlannedSamples(std::shared_ptr<const IndexedSource> source, const Order& order,
                               const storage::ObjectStore* store)
    : source_(std::move(source)), order_(order), store_(store) {
}

storage::PlanDescription PlannedSamples::description() const {
  const OrderOptions& order = order_.options();
  return {.data_set = data_set(),
          .index = source_->index_file(),
          .root = source_->root(),
          .num_items = num_items(),
          .seed = order.seed,
          .num_shards = order.num_shards,
          .shard_id = order.shard_id,
          .batch_size = order.batch_size,
          .random_shuffle = order.random_shuffle,
          .shard_first = order.shard_first,
          .shuffle_after_epoch = order.shuffle_after_epoch,
          .stick_to_shard = order.stick_to_shard,
          .pad_last_batch = order.pad_last_batch,
          .begin = order.begin};
}

uint64_t PlannedSamples::item_at(uint64_t position) const {
  return source_->stored_order().place_of(order_.at(position).index);
}

uint64_t PlannedSamples::next_position(uint64_t item, uint64_t from, uint64_t before) const {
  return order_.next_read_or_earlier(source_->stored_order().sample_at(item), from, before);
}

void PlannedSamples::ranges_of(uint64_t item, std::vector<storage::PlannedRange>* ranges) const {
  planned_ranges(*source_, store_, source_->stored_order().sample_at(item), ranges);
}

std::optional<storage::PlannedObject> PlannedSamples::object(uint64_t number) const {
  const auto id = static_cast<uint32_t>(number);
  const IndexedObject object = source_->index().object(id);
  Result<storage::ObjectAddress> address = source_->address_of(id);
  if (!object.was_there() || !address.ok() || address->store.get() != store_) {
    return std::nullopt;
  }
  return storage::PlannedObject{std::move(address->key), std::string(object.version)};
}

storage::ItemRun PlannedSamples::items_in(uint64_t object, uint64_t offset_bytes,
                                          uint64_t length_bytes) const {
  const uint64_t longest = std::numeric_limits<uint64_t>::max() - offset_bytes;
  return source_->stored_order().samples_in(static_cast<uint32_t>(object), offset_bytes,
                                            offset_bytes + std::min(length_bytes, longest));
}

}  // namespace forebay::dataset
