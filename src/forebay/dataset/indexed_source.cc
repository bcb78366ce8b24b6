#include "forebay/dataset/indexed_source.h"

#include <algorithm>
#include <map>
#include <utility>

#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

constexpr uint32_t kObjectsLookedAt = 64;

/// Whether the objects, or a spread sample of them, are what they were when the index was made.
bool fits_objects(const SampleIndex& index, const storage::StoreRegistry& registry, std::string_view root) {
  const uint32_t count = std::min(index.num_objects(), kObjectsLookedAt);
  for (uint64_t i = 0; i < count; ++i) {
    const IndexedObject object = index.object(static_cast<uint32_t>(i * index.num_objects() / count));
    if (object.modified_ns == 0) {
      continue;  // was not looked at when it was indexed
    }
    const Result<storage::ObjectAddress> address = registry.resolve(storage::join_path(root, object.name));
    if (!address.ok()) {
      return false;
    }
    const Result<storage::ObjectStat> stat = storage::stat_now(*address->store, address->key);
    if (!stat.ok() || stat->size_bytes != object.size_bytes || stat->modified_ns != object.modified_ns) {
      return false;
    }
  }
  return true;
}

}  // namespace

const storage::StoreRegistry& registry_of(const SourceOptions& options) {
  return options.registry != nullptr ? *options.registry : storage::default_registry();
}

Result<std::shared_ptr<const SampleIndex>> open_or_build_index(
    const SourceOptions& options, std::string_view root, uint64_t parameters, int num_fields,
    const std::function<Result<std::shared_ptr<const SampleIndex>>()>& build, const IndexCheck& fits) {
  if (options.index_file.empty()) {
    return build();
  }
  const storage::StoreRegistry& registry = registry_of(options);
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry.resolve(options.index_file));
  Result<std::shared_ptr<const SampleIndex>> known = SampleIndex::open(address);
  if (known.ok() && (*known)->parameters() == parameters && fits_objects(**known, registry, root) &&
      (!fits || fits(address))) {
    if ((*known)->num_fields() != num_fields) {
      return data_loss("{}: the sample index does not fit its own parameters", address.uri());
    }
    return known;
  }
  if (!known.ok() && known.status().code() != StatusCode::kNotFound) {
    return known.status();
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> made, build());
  FOREBAY_RETURN_IF_ERROR(made->write(address));
  return made;
}

tensor::Tensor byte_tensor(const memory::BufferRef& buffer, uint64_t offset_bytes, uint64_t length_bytes) {
  tensor::TensorSpec spec;
  spec.shape.push_back(static_cast<int64_t>(length_bytes));
  return tensor::Tensor(buffer, offset_bytes, spec);
}

IndexedSource::IndexedSource(std::shared_ptr<const SampleIndex> index, std::string root,
                             const SourceOptions& options)
    : index_(std::move(index)), root_(std::move(root)), registry_(&registry_of(options)) {
}

std::string IndexedSource::path_of(uint32_t object) const {
  return object == kNoObject ? std::string() : storage::join_path(root_, index_->object(object).name);
}

Result<storage::ObjectAddress> IndexedSource::address_of(uint32_t object) const {
  if (object == kNoObject) {
    return data_loss("the index names no object");
  }
  return registry_->resolve(path_of(object));
}

Status IndexedSource::check_index(int64_t index) const {
  if (index < 0 || index >= size()) {
    return out_of_range("sample {} of a source of {}", index, size());
  }
  return ok_status();
}

Result<SampleLocation> IndexedSource::locate(int64_t index) const {
  FOREBAY_RETURN_IF_ERROR(check_index(index));
  SampleLocation location;
  uint64_t end = 0;
  uint32_t object = kNoObject;
  for (int field = 0; field < num_fields(); ++field) {
    const SampleRow row = index_->row(index, field);
    if (field == 0) {
      location.label = row.label;
    }
    if (row.is_missing()) {
      continue;
    }
    const bool is_first = object == kNoObject;
    location.offset_bytes = is_first ? row.offset_bytes : std::min(location.offset_bytes, row.offset_bytes);
    end = std::max(end, row.offset_bytes + row.length_bytes);
    object = row.object;
  }
  if (object != kNoObject) {
    location.object = path_of(object);
    location.length_bytes = end - location.offset_bytes;
  }
  return location;
}

void IndexedSource::plan(int64_t index, storage::ReadPlan* plan) const {
  const Result<SampleLocation> location = locate(index);
  if (location.ok() && !location->object.empty()) {
    plan->ranges.push_back({location->object, location->offset_bytes, location->length_bytes});
  }
}

void IndexedSource::advise(const storage::ReadPlan& plan) const {
  std::map<std::shared_ptr<storage::ObjectStore>, storage::ReadPlan> plans;
  for (const storage::ReadPlan::Range& range : plan.ranges) {
    Result<storage::ObjectAddress> address = registry_->resolve(range.key);
    if (address.ok()) {
      plans[address->store].ranges.push_back(
          {std::move(address->key), range.offset_bytes, range.length_bytes});
    }
  }
  for (const auto& [store, part] : plans) {
    store->advise(part);
  }
}

Status IndexedSource::sample_error(const Status& status, int64_t sample, SampleOrigin origin) const {
  ErrorContext context;
  context.sample_index = sample;
  context.origin = std::move(origin);
  if (status.code() == StatusCode::kOutOfRange) {
    return with_context(data_loss("{}", message(status)), context);
  }
  return with_context(status, context);
}

void IndexedSource::read_row(int64_t sample, const SampleRow& row, const ReadFlags& flags, bool whole_object,
                             uint64_t extra_bytes, storage::ReadCallback done) const {
  Result<storage::ObjectAddress> address = address_of(row.object);
  if (!address.ok()) {
    done(sample_error(address.status(), sample, {path_of(row.object), row.offset_bytes, row.length_bytes}));
    return;
  }
  storage::ReadRequest request;
  request.key = std::move(address->key);
  request.offset_bytes = row.offset_bytes;
  request.length_bytes = whole_object ? storage::kToEnd : row.length_bytes + extra_bytes;
  request.padding_bytes = flags.padding_bytes;
  request.resource = flags.resource;
  address->store->read(std::move(request), [this, sample, row,
                                            done = std::move(done)](Result<storage::ReadBytes> read) mutable {
    if (read.ok()) {
      done(std::move(read));
      return;
    }
    done(sample_error(read.status(), sample, {path_of(row.object), row.offset_bytes, row.length_bytes}));
  });
}

}  // namespace forebay::dataset
