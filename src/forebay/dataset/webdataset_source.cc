#include "forebay/dataset/webdataset_source.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <optional>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/base/random.h"
#include "forebay/dataset/object_reader.h"
#include "forebay/dataset/wds_index.h"
#include "forebay/storage/blocking.h"

namespace forebay::dataset {
namespace {

// Parts closer than this are read in one go.
constexpr uint64_t kLargestGapBytes = 64 << 10;

/// A range of the archive that is read at once.
struct Span {
  uint64_t begin = 0;
  uint64_t end = 0;
};

/// The ranges that cover all rows.
std::vector<Span> spans_of(const std::vector<SampleRow>& rows) {
  std::vector<Span> parts;
  for (const SampleRow& row : rows) {
    if (!row.is_missing()) {
      parts.push_back({row.offset_bytes, row.offset_bytes + row.length_bytes});
    }
  }
  std::sort(parts.begin(), parts.end(), [](const Span& a, const Span& b) { return a.begin < b.begin; });
  std::vector<Span> spans;
  for (const Span& part : parts) {
    if (!spans.empty() && part.begin <= spans.back().end + kLargestGapBytes) {
      spans.back().end = std::max(spans.back().end, part.end);
    } else {
      spans.push_back(part);
    }
  }
  return spans;
}

class WebdatasetSource final : public IndexedSource {
 public:
  WebdatasetSource(std::shared_ptr<const SampleIndex> index, std::vector<tensor::DType> dtypes,
                   const SourceOptions& options)
      : IndexedSource(std::move(index), {}, options), dtypes_(std::move(dtypes)) {}

  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override;

  void plan(int64_t index, storage::ReadPlan* plan) const override {
    if (!check_index(index).ok()) {
      return;
    }
    const std::vector<SampleRow> rows = rows_of(index);
    for (const Span& span : spans_of(rows)) {
      plan->ranges.push_back({path_of(object_of(rows)), span.begin, span.end - span.begin});
    }
  }

 private:
  /// A read of several spans under way.
  struct Gathering {
    std::mutex mutex;
    RecordCallback done;
    std::vector<SampleRow> rows;
    std::vector<Span> spans;
    std::vector<memory::BufferRef> buffers;
    size_t left = 0;
    Status error;
  };

  std::vector<SampleRow> rows_of(int64_t sample) const {
    std::vector<SampleRow> rows;
    rows.reserve(dtypes_.size());
    for (int field = 0; field < num_fields(); ++field) {
      rows.push_back(index().row(sample, field));
    }
    return rows;
  }

  /// kNoObject for a sample without any part.
  static uint32_t object_of(const std::vector<SampleRow>& rows) {
    const auto found =
        std::find_if(rows.begin(), rows.end(), [](const SampleRow& row) { return !row.is_missing(); });
    return found == rows.end() ? kNoObject : found->object;
  }

  Result<Record> record_of(int64_t sample, const Gathering& gathering) const;
  Result<tensor::Tensor> field_of(int field, const Gathering& gathering) const;

  std::vector<tensor::DType> dtypes_;
};

void WebdatasetSource::read(int64_t index, const ReadFlags& flags, RecordCallback done) const {
  if (const Status status = check_index(index); !status.ok()) {
    done(status);
    return;
  }
  auto gathering = std::make_shared<Gathering>();
  gathering->rows = rows_of(index);
  gathering->spans = spans_of(gathering->rows);
  gathering->buffers.resize(gathering->spans.size());
  gathering->left = gathering->spans.size();
  if (gathering->left == 0) {
    done(record_of(index, *gathering));
    return;
  }
  gathering->done = std::move(done);
  for (size_t i = 0; i < gathering->spans.size(); ++i) {
    SampleRow row;
    row.object = object_of(gathering->rows);
    row.offset_bytes = gathering->spans[i].begin;
    row.length_bytes = gathering->spans[i].end - gathering->spans[i].begin;
    read_row(index, row, flags, false, 0, [this, index, i, gathering](Result<storage::ReadBytes> read) {
      {
        std::lock_guard lock(gathering->mutex);
        if (read.ok()) {
          gathering->buffers[i] = std::move(read->buffer);
        } else if (gathering->error.ok()) {
          gathering->error = read.status();
        }
        if (--gathering->left > 0) {
          return;
        }
      }
      gathering->done(gathering->error.ok() ? record_of(index, *gathering)
                                            : Result<Record>(gathering->error));
    });
  }
}

Result<tensor::Tensor> WebdatasetSource::field_of(int field, const Gathering& gathering) const {
  const SampleRow& row = gathering.rows[field];
  const tensor::DType dtype = dtypes_[field];
  if (row.is_missing()) {
    return tensor::Tensor::allocate({tensor::Shape{0}, dtype, {}});
  }
  for (size_t i = 0; i < gathering.spans.size(); ++i) {
    if (row.offset_bytes >= gathering.spans[i].begin &&
        row.offset_bytes + row.length_bytes <= gathering.spans[i].end) {
      const auto count = static_cast<int64_t>(row.length_bytes / tensor::size_of(dtype));
      const tensor::TensorSpec spec = {tensor::Shape{count}, dtype, {}};
      return tensor::Tensor(gathering.buffers[i], row.offset_bytes - gathering.spans[i].begin, spec);
    }
  }
  return internal_error("a part that was not read");
}

Result<Record> WebdatasetSource::record_of(int64_t sample, const Gathering& gathering) const {
  Record record;
  record.index = sample;
  FOREBAY_ASSIGN_OR_RETURN(const SampleLocation location, locate(sample));
  record.origin = location.origin();
  for (int field = 0; field < num_fields(); ++field) {
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor tensor, field_of(field, gathering));
    record.fields.push_back(std::move(tensor));
  }
  return record;
}

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return text;
}

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find(separator, begin), text.size());
    if (end > begin) {
      parts.push_back(text.substr(begin, end - begin));
    }
    begin = end + 1;
  }
  return parts;
}

/// Puts the samples of archives into the index, field by field.
class Indexer {
 public:
  Indexer(const WebdatasetOptions& options, const std::vector<tensor::DType>& dtypes)
      : options_(options), dtypes_(dtypes), builder_(static_cast<int>(options.ext.size())) {
    for (size_t field = 0; field < options.ext.size(); ++field) {
      for (const std::string& extension : split(options.ext[field], ';')) {
        fields_of_[normalised(extension)].push_back(field);
      }
    }
  }

  Status add_archive(size_t which);
  Result<std::shared_ptr<const SampleIndex>> finish(uint64_t parameters) {
    if (builder_.num_samples() == 0) {
      return not_found("{}: no samples found", options_.paths.front());
    }
    return builder_.finish(parameters);
  }

 private:
  std::string normalised(const std::string& extension) const {
    return options_.case_sensitive_extensions ? extension : lower_case(extension);
  }

  Result<std::vector<WdsSample>> samples_of(size_t which, const ByteSource& archive) const {
    const std::string& path = options_.paths[which];
    if (options_.index_paths.empty()) {
      return scan_wds_archive(archive, path);
    }
    const std::string& index_path = options_.index_paths[which];
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options_).resolve(index_path));
    FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                             storage::read_now(*address.store, {.key = address.key}));
    return parse_wds_index({reinterpret_cast<const char*>(read.bytes().data()), read.bytes().size()},
                           index_path);
  }

  Status add_sample(const WdsSample& sample, uint32_t object, const std::string& path);

  const WebdatasetOptions& options_;
  const std::vector<tensor::DType>& dtypes_;
  SampleIndexBuilder builder_;
  std::map<std::string, std::vector<size_t>> fields_of_;
  std::map<std::string, uint32_t> objects_;
};

Status Indexer::add_sample(const WdsSample& sample, uint32_t object, const std::string& path) {
  std::vector<SampleRow> rows(options_.ext.size());
  size_t filled = 0;
  for (const WdsComponent& component : sample.components) {
    const auto fields = fields_of_.find(normalised(component.extension));
    if (fields == fields_of_.end()) {
      continue;
    }
    for (const size_t field : fields->second) {
      if (!rows[field].is_missing()) {
        continue;  // the first that fits
      }
      if (component.size_bytes % tensor::size_of(dtypes_[field]) != 0) {
        return data_loss("{}: the part '{}' at {} has {} bytes, no multiple of a {}", path,
                         component.extension, component.offset_bytes, component.size_bytes,
                         tensor::name_of(dtypes_[field]));
      }
      rows[field].object = object;
      rows[field].offset_bytes = component.offset_bytes;
      rows[field].length_bytes = component.size_bytes;
      ++filled;
    }
  }
  if (filled < rows.size() && options_.missing_component_behavior == MissingComponent::kSkip) {
    return ok_status();
  }
  if (filled < rows.size() && options_.missing_component_behavior == MissingComponent::kError) {
    return invalid_argument("{}: the sample at {} lacks {} of {} parts", path,
                            sample.components.front().offset_bytes, rows.size() - filled, rows.size());
  }
  for (const SampleRow& row : rows) {
    builder_.add_row(row);
  }
  return ok_status();
}

Status Indexer::add_archive(size_t which) {
  const std::string& path = options_.paths[which];
  FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, registry_of(options_).resolve(path));
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<ObjectByteSource> archive,
                           ObjectByteSource::open(std::move(address)));
  auto [place, is_new] = objects_.try_emplace(path, 0);
  if (is_new) {
    place->second = builder_.add_object(path, archive->size_bytes(), archive->stat().modified_ns);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<WdsSample> samples, samples_of(which, *archive));
  for (const WdsSample& sample : samples) {
    FOREBAY_RETURN_IF_ERROR(add_sample(sample, place->second, path));
  }
  return ok_status();
}

uint64_t parameters_of(const WebdatasetOptions& options, const std::vector<tensor::DType>& dtypes) {
  uint64_t hash = hash64("webdataset_source 1");
  for (const std::vector<std::string>* texts : {&options.paths, &options.index_paths, &options.ext}) {
    hash = mix64(hash, texts->size());
    for (const std::string& text : *texts) {
      hash = mix64(hash, hash64(text));
    }
  }
  for (const tensor::DType dtype : dtypes) {
    hash = mix64(hash, static_cast<uint64_t>(dtype));
  }
  hash = mix64(hash, static_cast<uint64_t>(options.missing_component_behavior));
  return mix64(hash, options.case_sensitive_extensions ? 1 : 0);
}

Status check_options(const WebdatasetOptions& options) {
  if (options.paths.empty() || options.ext.empty()) {
    return invalid_argument("`paths` and `ext` may not be empty");
  }
  if (!options.index_paths.empty() && options.index_paths.size() != options.paths.size()) {
    return invalid_argument("{} index files for {} archives", options.index_paths.size(),
                            options.paths.size());
  }
  if (!options.dtypes.empty() && options.dtypes.size() != options.ext.size()) {
    return invalid_argument("{} dtypes for {} fields", options.dtypes.size(), options.ext.size());
  }
  for (const tensor::DType dtype : options.dtypes) {
    if (tensor::size_of(dtype) == 0) {
      return invalid_argument("a field needs a dtype");
    }
  }
  for (const std::string& extensions : options.ext) {
    if (split(extensions, ';').empty()) {
      return invalid_argument("'{}' names no extension", extensions);
    }
  }
  return ok_status();
}

}  // namespace

Result<std::shared_ptr<Source>> make_webdataset_source(const WebdatasetOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check_options(options));
  std::vector<tensor::DType> dtypes = options.dtypes;
  dtypes.resize(options.ext.size(), tensor::DType::kUint8);
  const uint64_t parameters = parameters_of(options, dtypes);
  const auto build = [&]() -> Result<std::shared_ptr<const SampleIndex>> {
    Indexer indexer(options, dtypes);
    for (size_t which = 0; which < options.paths.size(); ++which) {
      FOREBAY_RETURN_IF_ERROR(indexer.add_archive(which));
    }
    return indexer.finish(parameters);
  };
  FOREBAY_ASSIGN_OR_RETURN(
      std::shared_ptr<const SampleIndex> index,
      open_or_build_index(options, {}, parameters, static_cast<int>(dtypes.size()), build));
  return std::make_shared<WebdatasetSource>(std::move(index), std::move(dtypes), options);
}

}  // namespace forebay::dataset
