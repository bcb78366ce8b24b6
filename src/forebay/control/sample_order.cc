#include "forebay/control/sample_order.h"

#include <utility>

#include "forebay/dataset/order/order.h"

namespace forebay::control {
namespace {

using cache::PreloadBatch;
using dataset::IndexedSource;
using dataset::SampleIndex;
using dataset::SampleRow;

class SampleOrder final : public cache::PreloadSource {
 public:
  SampleOrder(std::shared_ptr<const IndexedSource> samples, const dataset::Order& order,
              const SampleOrderOptions& options, uint64_t begin)
      : samples_(std::move(samples)), order_(order), options_(options), next_(begin) {}

  /// The samples of a batch lie in one store.
  Result<PreloadBatch> next(const storage::CallContext& context) override {
    PreloadBatch batch;
    while (!batch.is_full() && next_ < known_objects()) {
      if (!is_wanted(context)) {
        return not_wanted(context, samples_->root());
      }
      FOREBAY_ASSIGN_OR_RETURN(const bool was_added, add_next(&batch));
      if (!was_added) {
        break;
      }
      ++next_;
      batch.mark = std::to_string(next_);
    }
    return batch;
  }
  uint64_t known_objects() const override { return static_cast<uint64_t>(samples_->size()); }

 private:
  /// False if the next sample lies in another store than the batch.
  Result<bool> add_next(PreloadBatch* batch) const {
    const auto sample = static_cast<int64_t>(order_.index_at(options_.epoch, position_of(next_)));
    std::vector<storage::BringRequest> requests;
    for (int field = 0; field < samples_->index().num_fields(); ++field) {
      const SampleRow row = samples_->index().row(sample, field);
      if (row.is_missing() || !samples_->index().object(row.object).was_there()) {
        continue;
      }
      FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, samples_->address_of(row.object));
      if (batch->store && batch->store != address.store) {
        return false;
      }
      batch->store = address.store;
      requests.push_back(request_of(row, std::move(address.key)));
    }
    for (storage::BringRequest& request : requests) {
      batch->bytes += cache::bytes_of(request);
      batch->requests.push_back(std::move(request));
    }
    return true;
  }

  /// Shards are as long as each other, but the longer ones by one; these alone have a last row.
  uint64_t position_of(uint64_t number) const {
    const uint64_t size = known_objects();
    const uint64_t shards = options_.num_shards;
    const uint64_t even = size / shards * shards;
    uint64_t shard = number % shards;
    if (number >= even) {
      // The shards that are longer, in order.
      const auto is_longer = [&](uint64_t i) { return begin_of(i + 1) - begin_of(i) > size / shards; };
      uint64_t left = number - even;
      for (shard = 0; !is_longer(shard) || left > 0; ++shard) {
        left -= is_longer(shard) ? 1 : 0;
      }
    }
    return begin_of(shard) + number / shards;
  }
  uint64_t begin_of(uint64_t shard) const { return known_objects() * shard / options_.num_shards; }

  storage::BringRequest request_of(const SampleRow& row, std::string key) const {
    const dataset::IndexedObject object = samples_->index().object(row.object);
    return {.key = std::move(key),
            .version = std::string(object.version),
            .object_bytes = object.size_bytes,
            .offset_bytes = row.offset_bytes,
            .length_bytes = row.length_bytes};
  }

  const std::shared_ptr<const IndexedSource> samples_;
  const dataset::Order order_;
  const SampleOrderOptions options_;
  uint64_t next_;
};

}  // namespace

Result<std::unique_ptr<cache::PreloadSource>> sample_order(std::shared_ptr<const IndexedSource> samples,
                                                           const SampleOrderOptions& options,
                                                           uint64_t begin) {
  FOREBAY_ASSIGN_OR_RETURN(const dataset::Order order,
                           dataset::Order::create({.dataset_size = static_cast<uint64_t>(samples->size()),
                                                   .num_shards = options.num_shards,
                                                   .seed = options.seed,
                                                   .random_shuffle = true}));
  return std::make_unique<SampleOrder>(std::move(samples), order, options, begin);
}

}  // namespace forebay::control
