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

/// The data set, entered if it is a GrowingSource. One whose scan has ended too early is opened anew.
Result<std::shared_ptr<dataset::Source>> entered_source(const Plan& plan, size_t index) {
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<dataset::Source> source, plan.open_source(index));
  const auto is_entered = [&source] {
    const auto* const growing = dynamic_cast<const dataset::GrowingSource*>(source.get());
    return growing == nullptr || growing->enter();
  };
  if (is_entered()) {
    return source;
  }
  plan.replace_source(index, source, nullptr);
  FOREBAY_ASSIGN_OR_RETURN(source, plan.open_source(index));
  if (is_entered()) {
    return source;
  }
  const Status status = dynamic_cast<const dataset::GrowingSource&>(*source).await_known(1);
  return status.ok() ? aborted("the data set was closed while it was opened") : status;
}

/// Blocks until all samples are known, or only the first one; then the reader stays a growing one.
Status await_samples(const Plan& plan, size_t index, bool may_grow, OpenReader* reader) {
  const dataset::GrowingSource& source = reader->growing->source();
  FOREBAY_RETURN_IF_ERROR(source.await_known(may_grow ? 1 : dataset::GrowingIndex::kAll));
  if (std::shared_ptr<dataset::Source> whole = source.whole()) {
    plan.replace_source(index, reader->source, whole);
    reader->source = std::move(whole);
    reader->growing = nullptr;
  }
  return ok_status();
}

/// Samples of several readers come side by side as each reader has them, so none may rearrange its own.
Status check_buckets(const Plan& plan, const Action& action, const dataset::OrderOptions& options) {
  if (options.bucket_by_length == 0 || plan.sources().size() == 1) {
    return ok_status();
  }
  return annotate(invalid_argument("bucket_by_length rearranges the samples of one reader, and the pipeline "
                                   "has {} of them; give one of them all that belongs to a sample",
                                   plan.sources().size()),
                  action.name);
}

Result<OpenReader> open_reader(const Plan& plan, size_t index, bool may_grow) {
  const Action& action = plan.sources()[index];
  FOREBAY_ASSIGN_OR_RETURN(dataset::OrderOptions options,
                           action.op->order_options(action.seed, plan.options().batch_size));
  FOREBAY_RETURN_IF_ERROR(check_buckets(plan, action, options));
  const Result<dataset::Order> uncounted = order_of_uncounted(options);
  FOREBAY_RETURN_IF_ERROR(annotate(uncounted.status(), action.name));
  OpenReader reader = {.name = action.name};
  FOREBAY_ASSIGN_OR_RETURN(reader.source, entered_source(plan, index));
  reader.may_lease = may_lease(*reader.source);
  if (auto growing = std::dynamic_pointer_cast<const dataset::GrowingSource>(reader.source)) {
    reader.growing = std::make_shared<GrowingReader>(std::move(growing), options, *uncounted);
    const bool may_begin = may_grow && reader.growing->may_begin_early();
    FOREBAY_RETURN_IF_ERROR(await_samples(plan, index, may_begin, &reader));
  }
  if (reader.growing == nullptr) {
    options = counted(std::move(options), *reader.source);
    Result<dataset::Order> order = dataset::Order::create(options);
    FOREBAY_RETURN_IF_ERROR(annotate(order.status(), action.name));
    reader.whole_order = *std::move(order);
  }
  return reader;
}

}  // namespace

Result<std::vector<OpenReader>> open_readers(const Plan& plan, bool may_grow) {
  std::vector<OpenReader> readers;
  for (size_t index = 0; index < plan.sources().size(); ++index) {
    Result<OpenReader> reader = open_reader(plan, index, may_grow);
    FOREBAY_RETURN_IF_ERROR(reader.status());
    readers.push_back(*std::move(reader));
  }
  return readers;
}

Result<std::vector<dataset::Order>> orders_from(const storage::StreamBegin& begin,
                                                const std::vector<OpenReader>& readers) {
  std::vector<dataset::Order> orders;
  for (const OpenReader& reader : readers) {
    dataset::OrderOptions options = reader.order().options();
    options.begin = begin;
    auto order = dataset::Order::create(options);
    FOREBAY_RETURN_IF_ERROR(annotate(order.status(), reader.name));
    orders.push_back(*std::move(order));
  }
  return orders;
}

}  // namespace forebay::pipeline
