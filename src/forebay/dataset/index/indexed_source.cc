#include "forebay/dataset/index/indexed_source.h"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/base/random/random.h"
#include "forebay/dataset/index/folder_versions.h"
#include "forebay/dataset/index/scan_folder.h"
#include "forebay/dataset/index/stat_paths.h"
#include "forebay/dataset/opening.h"
#include "forebay/memory/copy.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/errors.h"
#include "forebay/storage/local/file_version.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kObjectsLookedAt = 256;

/// Whether `path` has the version that was indexed. Of a folder that must be the very same: a listing is
/// cheap.
bool has_version(const IndexedObject& object, const std::string& found,
                 const storage::StoreRegistry& registry, const std::string& path) {
  if (found == object.version || is_folder(object.name)) {
    return found == object.version;
  }
  const Result<storage::ObjectAddress> address = registry.resolve(path);
  return address.ok() && storage::has_same_content(*address->store, address->key, object.version, found);
}

/// Whether an object is the same as when the index was made, at `written_ns`, as far as one may know. `path`
/// is where it lies.
bool is_unchanged(const IndexedObject& object, const Result<storage::ObjectStat>& stat, int64_t written_ns,
                  const storage::StoreRegistry& registry, const std::string& path) {
  if (stat.status().code() == StatusCode::kPermissionDenied) {
    return true;  // its reader hears of it
  }
  if (!stat.ok() || !object.was_there()) {
    return !stat.ok() && !object.was_there();
  }
  return stat->size_bytes == object.size_bytes && stat->modified_ns == object.modified_ns &&
         has_version(object, stat->version, registry, path) &&
         (!is_folder(object.name) || shows_later_changes(*stat, written_ns));
}

/// All folders, and all objects or an evenly spread selection of them.
std::vector<uint32_t> objects_to_look_at(const SampleIndex& index) {
  std::vector<uint32_t> ids;
  const uint64_t count = std::min<uint64_t>(index.num_objects(), kObjectsLookedAt);
  for (uint64_t i = 0; i < count; ++i) {
    ids.push_back(static_cast<uint32_t>(i * index.num_objects() / count));
  }
  for (uint32_t id = 0; id < index.num_objects(); ++id) {
    if (is_folder(index.object(id).name)) {
      ids.push_back(id);
    }
  }
  return ids;
}

Result<bool> fits_objects(const SampleIndex& index, const storage::ObjectAddress& file,
                          const storage::StoreRegistry& registry, std::string_view root) {
  const Result<storage::ObjectStat> stat = storage::stat_now(*file.store, file.key, opening());
  if (storage::is_unanswered(stat.status())) {
    return stat.status();
  }
  const int64_t written_ns = stat.ok() ? stat->modified_ns : 0;
  const std::vector<uint32_t> ids = objects_to_look_at(index);
  const auto path_of = [&](size_t i) {
    const std::string_view name = index.object(ids[i]).name;
    return storage::join_path(root, name == kThisFolder ? std::string_view() : name);
  };
  bool fits = true;
  FOREBAY_RETURN_IF_ERROR(
      stat_paths(registry, ids.size(), path_of, [&](size_t i, const Result<storage::ObjectStat>& stat) {
        fits = fits && is_unchanged(index.object(ids[i]), stat, written_ns, registry, path_of(i));
      }));
  return fits;
}

/// invalid_argument for the address of a folder.
Status check_names_file(const storage::ObjectAddress& file) {
  const std::optional<std::string> path = file.store->local_file(file.key);
  std::error_code error;
  if (file.key.ends_with('/') || (path && std::filesystem::is_directory(*path, error))) {
    return invalid_argument("{}: this is a folder; `index_file` names a file, such as one in it",
                            storage::uri_for_message(file.uri()));
  }
  return ok_status();
}

/// Returns an existing index that may be used; null if a new one has to be made.
Result<std::shared_ptr<const SampleIndex>> open_index(const storage::ObjectAddress& file,
                                                      const storage::StoreRegistry& registry,
                                                      std::string_view root, uint64_t parameters) {
  std::shared_ptr<const SampleIndex> none;
  Result<std::shared_ptr<const SampleIndex>> known = SampleIndex::open(file);
  if (known.status().code() == StatusCode::kNotFound) {
    return none;
  }
  if (known.status().code() == StatusCode::kDataLoss) {
    FOREBAY_ASSIGN_OR_RETURN(const bool may_be_replaced, SampleIndex::may_be_replaced(file));
    if (!may_be_replaced) {
      return failed_precondition(
          "{} is not a sample index; it was left alone: remove it, or name another file for the index",
          storage::uri_for_message(file.uri()));
    }
    log_warning("{}; it is made anew", message(known.status()));
    return none;
  }
  FOREBAY_RETURN_IF_ERROR(known.status());
  if ((*known)->parameters() != parameters) {
    log_warning("{}: this index was made of other files or with other arguments; it is made anew",
                storage::uri_for_message(file.uri()));
    return none;
  }
  FOREBAY_ASSIGN_OR_RETURN(const bool fits, fits_objects(**known, file, registry, root));
  if (!fits) {
    log_warning("{}: the files have changed since this index was made; it is made anew",
                storage::uri_for_message(file.uri()));
    return none;
  }
  return known;
}

}  // namespace

const storage::StoreRegistry& registry_of(const SourceOptions& options) {
  return options.registry != nullptr ? *options.registry : storage::default_registry();
}

Result<std::shared_ptr<const SampleIndex>> open_or_build_index(
    const SourceOptions& options, std::string_view root, uint64_t parameters, int num_fields,
    const std::function<Result<std::shared_ptr<const SampleIndex>>()>& build) {
  if (options.index_file.empty()) {
    return build();
  }
  const storage::StoreRegistry& registry = registry_of(options);
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress file, registry.resolve(options.index_file));
  FOREBAY_RETURN_IF_ERROR(check_names_file(file));
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index,
                           open_index(file, registry, root, parameters));
  if (index && index->num_fields() != num_fields) {
    return data_loss("{}: the sample index does not fit its own parameters", file.uri());
  }
  if (!index) {
    FOREBAY_ASSIGN_OR_RETURN(index, build());
    FOREBAY_RETURN_IF_ERROR(annotate(index->write(file), "the sample index cannot be written"));
    ScanFolder(file).remove();
  }
  return index;
}

Result<tensor::Tensor> padded_byte_tensor(Bytes bytes) {
  const auto size = static_cast<int64_t>(bytes.size());
  const auto room = size + static_cast<int64_t>(storage::kDecoderPaddingBytes);
  FOREBAY_ASSIGN_OR_RETURN(const tensor::Tensor padded,
                           tensor::Tensor::allocate({tensor::Shape{room}, tensor::DType::kUint8, {}}));
  auto* const begin = static_cast<std::byte*>(padded.mutable_data());
  memory::copy(begin, bytes.data(), bytes.size());
  std::fill(begin + size, begin + room, std::byte{});
  return byte_tensor(padded.buffer(), padded.offset_bytes(), bytes.size());
}

tensor::Tensor byte_tensor(const memory::BufferRef& buffer, uint64_t offset_bytes, uint64_t length_bytes) {
  tensor::TensorSpec spec;
  spec.shape.push_back(static_cast<int64_t>(length_bytes));
  return tensor::Tensor(buffer, offset_bytes, spec);
}

IndexedSource::IndexedSource(std::shared_ptr<const SampleRows> rows, std::string root,
                             const SourceOptions& options)
    : rows_(std::move(rows)),
      index_(std::dynamic_pointer_cast<const SampleIndex>(rows_)),
      root_(std::move(root)),
      index_file_(options.index_file),
      registry_(&registry_of(options)),
      stale_index_(options.index_file, registry_) {
}

std::string IndexedSource::path_of(uint32_t object) const {
  return object == kNoObject ? std::string() : storage::join_path(root_, rows_->object(object).name);
}

Result<storage::ObjectAddress> IndexedSource::address_of(uint32_t object) const {
  if (object == kNoObject) {
    return data_loss("the index does not say in which object it is");
  }
  return registry_->resolve(path_of(object));
}

Status IndexedSource::check_index(int64_t index) const {
  if (!rows_->has(index)) {
    return out_of_range("there is no sample {}; the source has {}", index, size());
  }
  return ok_status();
}

SampleRow IndexedSource::extent_of(int64_t sample) const {
  SampleRow extent;
  uint64_t end = 0;
  for (int field = 0; field < num_fields(); ++field) {
    const SampleRow row = rows_->row(sample, field);
    if (field == 0) {
      extent.label = row.label;
    }
    if (row.is_missing()) {
      continue;
    }
    const bool is_first = extent.is_missing();
    extent.offset_bytes = is_first ? row.offset_bytes : std::min(extent.offset_bytes, row.offset_bytes);
    end = std::max(end, row.offset_bytes + row.length_bytes);
    extent.object = row.object;
  }
  extent.length_bytes = end - extent.offset_bytes;
  return extent;
}

Result<SampleLocation> IndexedSource::locate(int64_t index) const {
  FOREBAY_RETURN_IF_ERROR(check_index(index));
  const SampleRow extent = extent_of(index);
  return SampleLocation{path_of(extent.object), extent.offset_bytes, extent.length_bytes, extent.label};
}

std::vector<uint64_t> IndexedSource::lengths() const {
  std::vector<uint64_t> lengths(static_cast<size_t>(size()));
  for (size_t index = 0; index < lengths.size(); ++index) {
    const auto sample = static_cast<int64_t>(index);
    lengths[index] = rows_->has(sample) ? extent_of(sample).length_bytes : 0;
  }
  return lengths;
}

void IndexedSource::plan_range(uint32_t object, uint64_t offset_bytes, uint64_t length_bytes,
                               std::vector<PlannedRead>* reads) const {
  Result<storage::ObjectAddress> address = address_of(object);
  const IndexedObject indexed =
      address.ok() ? rows_->object(object) : IndexedObject{.size_bytes = kUnknownSize};
  if (indexed.was_there()) {
    reads->push_back({.store = address->store.get(),
                      .range = {.key = std::move(address->key),
                                .offset_bytes = offset_bytes,
                                .length_bytes = length_bytes,
                                .version = std::string(indexed.version)}});
  }
}

void IndexedSource::plan(int64_t index, std::vector<PlannedRead>* reads) const {
  for (int field = 0; rows_->has(index) && field < rows_->num_fields(); ++field) {
    const SampleRow row = rows_->row(index, field);
    if (!row.is_missing() && !row.is_lost()) {
      const SampleRow extent = extent_of(index);
      plan_range(row.object, extent.offset_bytes, extent.length_bytes, reads);
      return;
    }
  }
}

std::vector<std::shared_ptr<storage::ObjectStore>> IndexedSource::stores() const {
  std::vector<std::shared_ptr<storage::ObjectStore>> stores;
  std::optional<std::string_view> last_folder;
  for (uint32_t id = 0; id < rows_->num_objects(); ++id) {
    const std::string_view folder = storage::parent_path(rows_->object(id).name);
    if (folder == last_folder) {
      continue;  // names are sorted and stores are mounted on folders, so this one is in the same store
    }
    last_folder = folder;
    const Result<storage::ObjectAddress> address = address_of(id);
    if (address.ok() && std::ranges::find(stores, address->store) == stores.end()) {
      stores.push_back(address->store);
    }
  }
  return stores;
}

uint64_t IndexedSource::identity() const {
  return mix64(index_->checksum(), hash64(root_));
}

const StoredOrder& IndexedSource::stored_order() const {
  return stored_order_.get([this] { return std::make_unique<const StoredOrder>(index_); });
}

SampleOrigin IndexedSource::origin_of(uint32_t object, uint64_t offset_bytes, uint64_t length_bytes) const {
  return {storage::uri_for_message(path_of(object)), offset_bytes, length_bytes};
}

Status IndexedSource::sample_error(const Status& status, int64_t sample, SampleOrigin origin,
                                   uint32_t object) const {
  ErrorContext context;
  context.sample_index = sample < kUncountedSample ? sample : -1;
  context.origin = std::move(origin);
  if (context_of(status)) {
    return with_context(status, context);  // its words are chosen already
  }
  if (status.code() == StatusCode::kOutOfRange) {
    return with_context(data_loss("{}", message(status)), context);
  }
  if (status.code() == StatusCode::kAborted) {
    retire_index(object);
    const std::string index =
        index_file_.empty() ? std::string() : fmt::format(" (the index {})", index_file_);
    return with_context(
        aborted("{}. It was replaced after it was indexed; open the data set again to have it "
                "indexed anew{}",
                message(status), index),
        context);
  }
  return with_context(status, context);
}

void IndexedSource::retire_index(uint32_t object) const {
  const Result<storage::ObjectAddress> address = address_of(object);
  if (address.ok()) {
    stale_index_.retire(index_, *address, rows_->object(object));
  }
}

void IndexedSource::read_row(int64_t sample, const SampleRow& row, const ReadFlags& flags, bool whole_object,
                             uint64_t extra_bytes, storage::ReadCallback done) const {
  Result<storage::ObjectAddress> address = address_of(row.object);
  if (!address.ok()) {
    done(sample_error(address.status(), sample, origin_of(row.object, row.offset_bytes, row.length_bytes)));
    return;
  }
  if (row.is_lost()) {
    read_lost_row(sample, row, *address, flags.context, std::move(done));
    return;
  }
  const uint64_t length = whole_object ? storage::kToEnd : row.length_bytes + extra_bytes;
  address->store->read(
      request_for(std::move(address->key), row.object, {row.offset_bytes, length}, flags), flags.context,
      [this, sample, row, done = std::move(done)](Result<storage::ReadBytes> read) mutable {
        if (read.ok()) {
          done(std::move(read));
          return;
        }
        done(sample_error(read.status(), sample, origin_of(row.object, row.offset_bytes, row.length_bytes),
                          row.object));
      });
}

storage::ReadRequest IndexedSource::request_for(std::string key, uint32_t object, ByteRange range,
                                                const ReadFlags& flags) const {
  storage::ReadRequest request;
  request.key = std::move(key);
  request.offset_bytes = range.offset_bytes;
  request.length_bytes = range.length_bytes;
  request.if_version = rows_->object(object).version;
  request.padding_bytes = flags.padding_bytes;
  request.resource = flags.resource;
  if (request.resource == nullptr && !flags.may_be_view) {
    request.resource = memory::host_pool();
  }
  request.only_resident = flags.only_resident;
  return request;
}

namespace {

/// The ranges of a sample while they are being read; the store hands over one at a time.
struct RangesUnderWay {
  std::vector<Result<storage::ReadBytes>> reads;
  size_t left = 0;

  /// Once all are answered: the first range that could not be read, if any.
  std::optional<size_t> first_broken() const {
    const auto found = std::ranges::find_if(reads, [](const auto& read) { return !read.ok(); });
    return found == reads.end() ? std::nullopt : std::optional<size_t>(found - reads.begin());
  }
  std::vector<storage::ReadBytes> take_all() {
    std::vector<storage::ReadBytes> all;
    for (Result<storage::ReadBytes>& read : reads) {
      all.push_back(*std::move(read));
    }
    return all;
  }
};

}  // namespace

void IndexedSource::read_ranges(int64_t sample, uint32_t object, std::vector<ByteRange> ranges,
                                const ReadFlags& flags, RangesCallback done) const {
  if (ranges.size() == 1) {
    SampleRow row;
    row.object = object;
    row.offset_bytes = ranges[0].offset_bytes;
    row.length_bytes = ranges[0].length_bytes;
    read_row(sample, row, flags, false, 0, [done = std::move(done)](Result<storage::ReadBytes> read) mutable {
      if (!read.ok()) {
        done(read.status());
        return;
      }
      std::vector<storage::ReadBytes> all;
      all.push_back(*std::move(read));
      done(std::move(all));
    });
    return;
  }
  const Result<storage::ObjectAddress> address = address_of(object);
  if (!address.ok()) {
    done(sample_error(address.status(), sample, origin_of(object, 0, 0)));
    return;
  }
  std::vector<storage::ReadRequest> requests;
  for (const ByteRange& range : ranges) {
    requests.push_back(request_for(address->key, object, range, flags));
  }
  RangesUnderWay under_way;
  under_way.left = ranges.size();
  under_way.reads.assign(ranges.size(), unavailable("not answered"));
  address->store->read_many(
      std::move(requests), flags.context,
      [this, sample, object, ranges = std::move(ranges), under_way = std::move(under_way),
       done = std::move(done)](size_t which, Result<storage::ReadBytes> read) mutable {
        under_way.reads[which] = std::move(read);
        if (--under_way.left > 0) {
          return;
        }
        if (const std::optional<size_t> broken = under_way.first_broken()) {
          const ByteRange& range = ranges[*broken];
          done(sample_error(under_way.reads[*broken].status(), sample,
                            origin_of(object, range.offset_bytes, range.length_bytes), object));
          return;
        }
        done(under_way.take_all());
      });
}

// The store must say whether the object is still the damaged one, or still missing.
void IndexedSource::read_lost_row(int64_t sample, const SampleRow& row, const storage::ObjectAddress& address,
                                  const storage::CallContext& context, storage::ReadCallback done) const {
  const IndexedObject object = rows_->object(row.object);
  address.store->read(
      {.key = address.key, .length_bytes = 0, .if_version = std::string(object.version)}, context,
      [this, sample, row, was_there = object.was_there(),
       done = std::move(done)](Result<storage::ReadBytes> read) mutable {
        const std::string path = storage::uri_for_message(path_of(row.object));
        Status status = read.status();
        if (status.ok()) {
          status = was_there
                       ? data_loss("{}: truncated or damaged at {}; the data behind cannot be found", path,
                                   row.offset_bytes)
                       : aborted("{}: the object exists now, but was missing when it was indexed", path);
        }
        done(sample_error(status, sample, {path, row.offset_bytes, row.length_bytes}, row.object));
      });
}

}  // namespace forebay::dataset
