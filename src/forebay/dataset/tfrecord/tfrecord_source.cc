#include "forebay/dataset/tfrecord/tfrecord_source.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/dataset/index/growing_source.h"
#include "forebay/dataset/index/mix_texts.h"
#include "forebay/dataset/index/path_patterns.h"
#include "forebay/dataset/index/shard_index.h"
#include "forebay/dataset/tfrecord/masked_crc32c.h"
#include "forebay/dataset/tfrecord/seen_features.h"
#include "forebay/dataset/tfrecord/tfrecord_index.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

std::string_view name_of(FeatureKind kind) {
  return kind == FeatureKind::kString ? "string" : kind == FeatureKind::kInt64 ? "int64" : "float";
}

/// The shape of a feature's tensor if the record has `count` values. Missing values are filled with the
/// default.
Result<tensor::Shape> shape_of(const FeatureSpec& spec, int64_t count) {
  if (spec.is_fixed) {
    if (count > spec.shape.volume()) {
      return data_loss("{} values where the shape {} has {}", count, spec.shape.to_string(),
                       spec.shape.volume());
    }
    return spec.shape;
  }
  const int64_t inner = spec.shape.volume();
  if (count % inner != 0) {
    return data_loss("{} values, which is not a multiple of the shape {}", count, spec.shape.to_string());
  }
  tensor::Shape shape;
  shape.push_back(count / inner);
  for (const int64_t extent : spec.shape.extents()) {
    shape.push_back(extent);
  }
  return shape;
}

template <class T, class Decode>
Result<tensor::Tensor> number_tensor(const FeatureSpec& spec, const FeatureBytes& feature, int64_t count,
                                     T fill, Decode&& decode) {
  FOREBAY_ASSIGN_OR_RETURN(const tensor::Shape shape, shape_of(spec, count));
  FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor tensor, tensor::Tensor::allocate({shape, tensor::kDTypeOf<T>, {}}));
  const std::span<T> values = tensor.mutable_view().span<T>();
  FOREBAY_RETURN_IF_ERROR(decode(feature, values.first(static_cast<size_t>(count))));
  std::fill(values.begin() + count, values.end(), fill);
  return tensor;
}

Result<tensor::Tensor> string_tensor(const FeatureSpec& spec, const FeatureBytes& feature,
                                     const storage::ReadBytes& read) {
  if (!feature.is_present()) {
    const auto text = std::as_bytes(std::span(spec.default_string));
    const tensor::Shape shape{static_cast<int64_t>(text.size())};
    return tensor::Tensor::copy_of_bytes(text, {shape, tensor::DType::kUint8, {}});
  }
  FOREBAY_ASSIGN_OR_RETURN(const Bytes value, first_string(feature));
  const auto offset = value.empty() ? 0 : static_cast<uint64_t>(value.data() - read.bytes.data());
  return byte_tensor(storage::buffer_of(read), offset, value.size());
}

Result<tensor::Tensor> feature_tensor(const FeatureSpec& spec, const FeatureBytes& feature,
                                      const storage::ReadBytes& read) {
  if (feature.is_present() && feature.kind != spec.kind) {
    return data_loss("of type {}, not {} as requested", name_of(feature.kind), name_of(spec.kind));
  }
  if (spec.kind == FeatureKind::kString) {
    return string_tensor(spec, feature, read);
  }
  if (spec.kind == FeatureKind::kInt64) {
    FOREBAY_ASSIGN_OR_RETURN(const int64_t count, count_int64(feature));
    return number_tensor<int64_t>(spec, feature, count, spec.default_int64, decode_int64);
  }
  FOREBAY_ASSIGN_OR_RETURN(const int64_t count, count_float(feature));
  return number_tensor<float>(spec, feature, count, spec.default_float, decode_float);
}

std::vector<std::string_view> names_of(const std::vector<FeatureSpec>& features) {
  std::vector<std::string_view> names;
  for (const FeatureSpec& feature : features) {
    names.push_back(feature.name);
  }
  return names;
}

class TfrecordSource final : public IndexedSource {
 public:
  TfrecordSource(std::shared_ptr<const SampleRows> rows, const TfrecordOptions& options)
      : IndexedSource(std::move(rows), {}, options),
        features_(options.features),
        names_(names_of(features_)),
        verify_checksums_(options.verify_checksums),
        seen_(names_) {}

  int num_fields() const override { return static_cast<int>(features_.size()); }

  void plan(int64_t index, std::vector<PlannedRead>* reads) const override {
    const size_t before = reads->size();
    IndexedSource::plan(index, reads);
    if (reads->size() > before) {
      reads->back().range.length_bytes += footer_bytes();
    }
  }

  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override {
    if (const Status status = check_index(index); !status.ok()) {
      done(status);
      return;
    }
    const SampleRow row = rows().row(index);
    read_row(index, row, flags, false, footer_bytes(),
             [this, index, row, done = std::move(done)](Result<storage::ReadBytes> read) mutable {
               if (!read.ok()) {
                 done(read.status());
                 return;
               }
               Record record;
               record.index = index;
               record.origin = origin_of(row.object, row.offset_bytes, row.length_bytes);
               const Status status = fill(row, *read, &record);
               if (!status.ok()) {
                 done(sample_error(status, index, record.origin));
                 return;
               }
               done(std::move(record));
             });
  }

 private:
  SampleRow extent_of(int64_t sample) const override {
    SampleRow row = rows().row(sample);
    row.label = 0;
    return row;
  }

  /// What is read behind a record.
  uint64_t footer_bytes() const { return verify_checksums_ ? kTfrecordFooterBytes : 0; }

  Status fill(const SampleRow& row, const storage::ReadBytes& read, Record* record) const {
    const Bytes example = read.bytes.first(row.length_bytes);
    if (verify_checksums_) {
      uint32_t stored = 0;
      std::memcpy(&stored, read.bytes.data() + row.length_bytes, sizeof(stored));
      if (stored != masked_crc32c(example)) {
        return data_loss("the record's checksum is wrong");
      }
    }
    Result<std::vector<FeatureBytes>> features = find_features(example, names_);
    FOREBAY_RETURN_IF_ERROR(annotate(features.status(), "no tf.train.Example"));
    seen_.note(*features, example, [&] { return std::string(path_of(row.object)); });
    record->fields.reserve(features_.size());
    for (size_t i = 0; i < features_.size(); ++i) {
      if (features_[i].is_required && !(*features)[i].is_present()) {
        return data_loss("the record has no feature '{}', which was given no default; it has {}",
                         features_[i].name, shown_names(example));
      }
      Result<tensor::Tensor> tensor = feature_tensor(features_[i], (*features)[i], read);
      if (!tensor.ok()) {
        return annotate(tensor.status(), fmt::format("feature '{}'", features_[i].name));
      }
      record->fields.push_back(*std::move(tensor));
    }
    return ok_status();
  }

  const std::vector<FeatureSpec> features_;
  const std::vector<std::string_view> names_;  // the names of features_
  const bool verify_checksums_;
  mutable SeenFeatures seen_;
};

Status check_feature(const FeatureSpec& feature) {
  const std::optional<int64_t> volume = feature.shape.checked_volume();
  if (!volume || *volume > (int64_t{1} << 32) || feature.shape.rank() == tensor::kMaxRank) {
    return invalid_argument("feature '{}': the shape {} is too large", feature.name,
                            feature.shape.to_string());
  }
  if (feature.kind == FeatureKind::kString && (!feature.is_fixed || *volume > 1)) {
    return invalid_argument(
        "feature '{}': tensors of strings are not supported; use a FixedLen feature of one", feature.name);
  }
  if (!feature.is_fixed && *volume == 0) {
    return invalid_argument("feature '{}': the shape {} has no elements", feature.name,
                            feature.shape.to_string());
  }
  return ok_status();
}

uint64_t parameters_of(const TfrecordOptions& options) {
  uint64_t hash = hash64("tfrecord_source 3");
  for (const std::vector<std::string>* texts : {&options.path, &options.index_path}) {
    hash = mix_texts(hash, *texts);
  }
  return hash;
}

// A scan depends on the file alone; index files may change independently.
TableRules tables_of(const TfrecordOptions& options) {
  if (!options.index_path.empty()) {
    return {};
  }
  return {.parameters = hash64("tfrecord table 1"), .end_of_row = [](const SampleRow& row) {
            return row.offset_bytes + row.length_bytes + kTfrecordFooterBytes;
          }};
}

SampleRow row_of(const TfrecordRange& record) {
  return {.object = 0, .offset_bytes = record.offset_bytes, .length_bytes = record.size_bytes};
}

Result<TfrecordScan> records_of(const TfrecordOptions& options, size_t which, const ByteSource& file,
                                const TakeRows& take) {
  if (options.index_path.empty()) {
    return scan_tfrecord(file, options.path[which], [&](const TfrecordRange& record) {
      const SampleRow row = row_of(record);
      take({&row, 1});
    });
  }
  const std::string& path = options.index_path[which];
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options).resolve(path));
  FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                           storage::read_now(*address.store, {.key = address.key}));
  TfrecordScan listed;
  FOREBAY_ASSIGN_OR_RETURN(
      listed.records,
      parse_tfrecord_index({reinterpret_cast<const char*>(read.bytes.data()), read.bytes.size()}, path));
  if (listed.records.empty() && file.size_bytes() > 0) {
    return data_loss("{}: the index names no record of {}, which has {} bytes, so it is not that file's",
                     storage::uri_for_message(path), storage::uri_for_message(options.path[which]),
                     file.size_bytes());
  }
  return listed;
}

Result<std::shared_ptr<const SampleIndex>> build_index(const TfrecordOptions& options, uint64_t parameters,
                                                       GrowingIndex* growing) {
  const auto scan = [&options](size_t which, const ObjectByteSource& file,
                               const TakeRows& take) -> Result<ShardRows> {
    FOREBAY_ASSIGN_OR_RETURN(const TfrecordScan found, records_of(options, which, file, take));
    ShardRows shard{.lost_at = found.damaged_at, .damage = found.damage};
    shard.rows.reserve(found.records.size());
    std::ranges::transform(found.records, std::back_inserter(shard.rows), row_of);
    return shard;
  };
  return index_shards(options, options.path, 1, parameters, tables_of(options), scan, growing);
}

/// Opened, or made; then `growing` is told of it, unless it is null.
Result<std::shared_ptr<const SampleIndex>> index_of(const TfrecordOptions& options, GrowingIndex* growing) {
  const uint64_t parameters = parameters_of(options);
  return open_or_build_index(options, {}, parameters, 1,
                             [&] { return build_index(options, parameters, growing); });
}

ShardParts parts_of(const TfrecordOptions& options) {
  return {.paths = options.path,
          .registry = options.registry,
          .scan = [options](GrowingIndex* growing) { return index_of(options, growing); },
          .source_of =
              [options](std::shared_ptr<const SampleRows> rows) {
                return std::make_shared<TfrecordSource>(std::move(rows), options);
              }};
}

Status check_index_numbers(const TfrecordOptions& options) {
  const bool fits = options.index_path.empty() || options.index_path.size() == options.path.size();
  return fits ? ok_status()
              : invalid_argument("{} index files for {} files", options.index_path.size(),
                                 options.path.size());
}

/// With the files that the paths stand for.
Result<TfrecordOptions> with_tfrecord_files(TfrecordOptions options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  FOREBAY_RETURN_IF_ERROR(expand_shards(&options.path, &options.index_path, registry_of(options)));
  FOREBAY_RETURN_IF_ERROR(check_index_numbers(options));
  return options;
}

}  // namespace

Status check(const TfrecordOptions& options) {
  if (options.path.empty()) {
    return invalid_argument("`path` may not be empty");
  }
  if (!has_pattern(options.path) && !has_pattern(options.index_path)) {
    FOREBAY_RETURN_IF_ERROR(check_index_numbers(options));
  }
  for (const FeatureSpec& feature : options.features) {
    FOREBAY_RETURN_IF_ERROR(check_feature(feature));
  }
  return ok_status();
}

Result<std::shared_ptr<Source>> make_tfrecord_source(const TfrecordOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const TfrecordOptions of_files, with_tfrecord_files(options));
  const ShardParts parts = parts_of(of_files);
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index, parts.scan(nullptr));
  return parts.source_of(std::move(index));
}

Result<std::shared_ptr<Source>> open_tfrecord_source(const TfrecordOptions& options,
                                                     const OrderOptions& order) {
  FOREBAY_ASSIGN_OR_RETURN(const TfrecordOptions of_files, with_tfrecord_files(options));
  return open_shards(parts_of(of_files), order);
}

}  // namespace forebay::dataset
