#include "forebay/pipeline/samples/open_reader.h"

#include <algorithm>
#include <utility>

#include "forebay/storage/object_store.h"

namespace forebay::pipeline {
namespace {

bool may_lease(const dataset::Source& source) {
  return std::ranges::any_of(source.stores(),
                             [](const auto& store) { return store->features().has_resident; });
}

}  // namespace

Result<std::vector<OpenReader>> open_readers(const Plan& plan) {
  std::vector<OpenReader> readers;
  for (size_t index = 0; index < plan.sources().size(); ++index) {
    const Action& action = plan.sources()[index];
    FOREBAY_ASSIGN_OR_RETURN(auto source, plan.open_source(index));
    FOREBAY_ASSIGN_OR_RETURN(dataset::OrderOptions options,
                             action.op->order_options(action.seed, plan.options().batch_size));
    options.dataset_size = static_cast<uint64_t>(source->size());
    auto order = dataset::Order::create(options);
    FOREBAY_RETURN_IF_ERROR(annotate(order.status(), action.name));
    const bool leases = may_lease(*source);
    readers.push_back({action.name, std::move(source), *std::move(order), leases});
  }
  return readers;
}

Result<std::vector<dataset::Order>> orders_from(const storage::StreamBegin& begin,
                                                const std::vector<OpenReader>& readers) {
  std::vector<dataset::Order> orders;
  for (const OpenReader& reader : readers) {
    dataset::OrderOptions options = reader.order.options();
    options.begin = begin;
    auto order = dataset::Order::create(options);
    FOREBAY_RETURN_IF_ERROR(annotate(order.status(), reader.name));
    orders.push_back(*std::move(order));
  }
  return orders;
}

}  // namespace forebay::pipeline
