#include "forebay/dataset/webdataset/webdataset_source.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/base/random/random.h"
#include "forebay/dataset/index/growing_source.h"
#include "forebay/dataset/index/mix_texts.h"
#include "forebay/dataset/index/path_patterns.h"
#include "forebay/dataset/webdataset/tar.h"
#include "forebay/dataset/webdataset/text_number.h"
#include "forebay/dataset/webdataset/wds_index.h"
#include "forebay/dataset/webdataset/webdataset_indexer.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

// Components closer than this are read together.
constexpr uint64_t kLargestGapBytes = 64 << 10;

uint64_t end_of(const ByteRange& range) {
  return range.offset_bytes + range.length_bytes;
}

/// The ranges that cover all rows.
std::vector<ByteRange> ranges_of(const std::vector<SampleRow>& rows) {
  std::vector<ByteRange> parts;
  for (const SampleRow& row : rows) {
    if (!row.is_missing()) {
      parts.push_back({row.offset_bytes, row.length_bytes});
    }
  }
  std::ranges::sort(parts, {}, &ByteRange::offset_bytes);
  std::vector<ByteRange> ranges;
  for (const ByteRange& part : parts) {
    if (!ranges.empty() && part.offset_bytes <= end_of(ranges.back()) + kLargestGapBytes) {
      const uint64_t end = std::max(end_of(ranges.back()), end_of(part));
      ranges.back().length_bytes = end - ranges.back().offset_bytes;
    } else {
      ranges.push_back(part);
    }
  }
  return ranges;
}

/// The key of a sample whose members' names are split.
Result<tensor::Tensor> key_in_header(Bytes header) {
  if (header.size() != kTarBlockBytes) {
    return data_loss("a tar header of {} bytes", header.size());
  }
  const std::string name = tar_header_name(header);
  return padded_byte_tensor(std::as_bytes(std::span(WdsComponent::key_of_name(name))));
}

class WebdatasetSource final : public IndexedSource {
 public:
  WebdatasetSource(std::shared_ptr<const SampleRows> rows, std::vector<tensor::DType> dtypes,
                   const WebdatasetOptions& options)
      : IndexedSource(std::move(rows), {}, options), dtypes_(std::move(dtypes)) {
    for (size_t field = 0; field < dtypes_.size(); ++field) {
      is_number_in_text_.push_back(is_number_in_text(options, field));
    }
  }

  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override;

  void plan(int64_t index, std::vector<PlannedRead>* reads) const override {
    if (!check_index(index).ok()) {
      return;
    }
    const std::vector<SampleRow> rows = rows_of(index);
    if (rows.front().is_lost()) {
      return;
    }
    for (const ByteRange& range : ranges_of(rows)) {
      plan_range(object_of(rows), range.offset_bytes, range.length_bytes, reads);
    }
  }

 private:
  /// The components of a sample: where they are, and what was read.
  struct Parts {
    std::vector<SampleRow> rows;
    std::vector<ByteRange> ranges;
    std::vector<memory::BufferRef> buffers;  // one for each range
  };

  std::vector<SampleRow> rows_of(int64_t sample) const {
    std::vector<SampleRow> fields;
    fields.reserve(dtypes_.size());
    for (int field = 0; field < num_fields(); ++field) {
      fields.push_back(rows().row(sample, field));
    }
    return fields;
  }

  /// kNoObject for a sample without any component.
  static uint32_t object_of(const std::vector<SampleRow>& rows) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [](const SampleRow& row) { return !row.is_missing(); });
    return found == rows.end() ? kNoObject : found->object;
  }

  Result<Record> record_of(int64_t sample, const Parts& parts) const;
  Result<tensor::Tensor> field_of(int field, const Parts& parts) const;

  std::vector<tensor::DType> dtypes_;
  std::vector<bool> is_number_in_text_;  // by field
};

void WebdatasetSource::read(int64_t index, const ReadFlags& flags, RecordCallback done) const {
  if (const Status status = check_index(index); !status.ok()) {
    done(status);
    return;
  }
  Parts parts;
  parts.rows = rows_of(index);
  if (parts.rows.front().is_lost()) {
    read_row(index, parts.rows.front(), flags, false, 0,
             [done = std::move(done)](Result<storage::ReadBytes> read) mutable { done(read.status()); });
    return;
  }
  parts.ranges = ranges_of(parts.rows);
  if (parts.ranges.empty()) {
    done(record_of(index, parts));
    return;
  }
  const uint32_t object = object_of(parts.rows);
  std::vector<ByteRange> ranges = parts.ranges;
  read_ranges(index, object, std::move(ranges), flags,
              [this, index, parts = std::move(parts),
               done = std::move(done)](const Result<std::vector<storage::ReadBytes>>& reads) mutable {
                if (!reads.ok()) {
                  done(reads.status());
                  return;
                }
                std::ranges::transform(*reads, std::back_inserter(parts.buffers), storage::buffer_of);
                done(record_of(index, parts));
              });
}

Result<tensor::Tensor> WebdatasetSource::field_of(int field, const Parts& parts) const {
  const SampleRow& row = parts.rows[field];
  const tensor::DType dtype = dtypes_[field];
  if (row.is_missing()) {
    return tensor::Tensor::allocate({tensor::Shape{0}, dtype, {}});
  }
  for (size_t i = 0; i < parts.ranges.size(); ++i) {
    const ByteRange& range = parts.ranges[i];
    if (row.offset_bytes >= range.offset_bytes && row.offset_bytes + row.length_bytes <= end_of(range)) {
      const auto* const buffer = static_cast<const std::byte*>(parts.buffers[i]->data());
      const Bytes content(buffer + row.offset_bytes - range.offset_bytes, row.length_bytes);
      if (is_number_in_text_[field]) {
        return number_in_text(content, dtype);
      }
      if ((row.flags & kTarHeaderRow) != 0) {
        return key_in_header(content);
      }
      const auto count = static_cast<int64_t>(row.length_bytes / tensor::size_of(dtype));
      const tensor::TensorSpec spec = {tensor::Shape{count}, dtype, {}};
      return tensor::Tensor(parts.buffers[i], row.offset_bytes - range.offset_bytes, spec);
    }
  }
  return internal_error("a part that was not read");
}

Result<Record> WebdatasetSource::record_of(int64_t sample, const Parts& parts) const {
  Record record;
  record.index = sample;
  FOREBAY_ASSIGN_OR_RETURN(const SampleLocation location, locate(sample));
  record.origin = location.origin();
  record.origin.object = storage::uri_for_message(location.object);
  for (int field = 0; field < num_fields(); ++field) {
    Result<tensor::Tensor> tensor = field_of(field, parts);
    if (!tensor.ok()) {
      const SampleRow& row = parts.rows[field];
      return sample_error(annotate(tensor.status(), record.origin.object), sample,
                          origin_of(row.object, row.offset_bytes, row.length_bytes));
    }
    record.fields.push_back(*std::move(tensor));
  }
  return record;
}

/// A hash of everything that rows depend on besides their archive.
uint64_t row_parameters_of(const WebdatasetOptions& options, const std::vector<tensor::DType>& dtypes) {
  uint64_t hash = mix_texts(hash64("webdataset_source 5"), options.ext);
  for (const tensor::DType dtype : dtypes) {
    hash = mix64(hash, static_cast<uint64_t>(dtype));
  }
  hash = mix64(hash, static_cast<uint64_t>(options.missing_component_behavior));
  return mix64(hash, options.case_sensitive_extensions ? 1 : 0);
}

std::vector<tensor::DType> dtypes_of(const WebdatasetOptions& options) {
  std::vector<tensor::DType> dtypes = options.dtypes;
  dtypes.resize(options.ext.size(), tensor::DType::kUint8);
  return dtypes;
}

/// Opened, or made; then `growing` is told of it, unless it is null.
Result<std::shared_ptr<const SampleIndex>> index_of(const WebdatasetOptions& options,
                                                    const std::vector<tensor::DType>& dtypes,
                                                    GrowingIndex* growing) {
  const uint64_t rows = row_parameters_of(options, dtypes);
  const uint64_t parameters = mix_texts(mix_texts(rows, options.paths), options.index_paths);
  return open_or_build_index(options, {}, parameters, static_cast<int>(dtypes.size()),
                             [&] { return index_archives(options, dtypes, parameters, rows, growing); });
}

ShardParts parts_of(const WebdatasetOptions& options) {
  const std::vector<tensor::DType> dtypes = dtypes_of(options);
  return {.paths = options.paths,
          .rows_each = static_cast<int>(dtypes.size()),
          .registry = options.registry,
          .scan = [options, dtypes](GrowingIndex* growing) { return index_of(options, dtypes, growing); },
          .source_of =
              [options, dtypes](std::shared_ptr<const SampleRows> rows) {
                return std::make_shared<WebdatasetSource>(std::move(rows), dtypes, options);
              }};
}

Status check_numbers(const WebdatasetOptions& options) {
  const bool fits = options.index_paths.empty() || options.index_paths.size() == options.paths.size();
  return fits ? ok_status()
              : invalid_argument("{} `index_paths` are given for {} `paths`", options.index_paths.size(),
                                 options.paths.size());
}

/// With the files that the paths stand for.
Result<WebdatasetOptions> with_files(WebdatasetOptions options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  FOREBAY_RETURN_IF_ERROR(expand_shards(&options.paths, &options.index_paths, registry_of(options)));
  FOREBAY_RETURN_IF_ERROR(check_numbers(options));
  return options;
}

}  // namespace

Status check(const WebdatasetOptions& options) {
  if (options.paths.empty() || options.ext.empty()) {
    return invalid_argument("`paths` and `ext` may not be empty");
  }
  if (!has_pattern(options.paths) && !has_pattern(options.index_paths)) {
    FOREBAY_RETURN_IF_ERROR(check_numbers(options));
  }
  if (!options.dtypes.empty() && options.dtypes.size() != options.ext.size()) {
    return invalid_argument("{} `dtypes` are given for {} outputs", options.dtypes.size(),
                            options.ext.size());
  }
  for (const tensor::DType dtype : options.dtypes) {
    if (tensor::size_of(dtype) == 0) {
      return invalid_argument("a field needs a dtype");
    }
  }
  for (size_t field = 0; field < options.ext.size(); ++field) {
    const std::string& extensions = options.ext[field];
    if (extensions == kKeyField && !options.dtypes.empty() &&
        options.dtypes[field] != tensor::DType::kUint8) {
      return invalid_argument("`{}` is the bytes of a name: its dtype is UINT8, not {}", kKeyField,
                              tensor::name_of(options.dtypes[field]));
    }
    if (extensions != kKeyField && std::ranges::count(extensions_of(extensions), kKeyField) > 0) {
      return invalid_argument("'{}': `{}` is no extension, and goes alone", extensions, kKeyField);
    }
    if (extensions.find_first_not_of(';') == std::string::npos) {
      return invalid_argument("'{}' does not name an extension", extensions);
    }
  }
  return ok_status();
}

Result<std::shared_ptr<Source>> make_webdataset_source(const WebdatasetOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const WebdatasetOptions of_files, with_files(options));
  const ShardParts parts = parts_of(of_files);
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const SampleIndex> index, parts.scan(nullptr));
  return parts.source_of(std::move(index));
}

Result<std::shared_ptr<Source>> open_webdataset_source(const WebdatasetOptions& options,
                                                       const OrderOptions& order) {
  FOREBAY_ASSIGN_OR_RETURN(const WebdatasetOptions of_files, with_files(options));
  return open_shards(parts_of(of_files), order);
}

}  // namespace forebay::dataset
