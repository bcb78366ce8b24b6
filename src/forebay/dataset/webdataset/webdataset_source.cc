#include "forebay/dataset/webdataset/webdataset_source.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "forebay/base/check.h"
#include "forebay/base/random/random.h"
#include "forebay/dataset/webdataset/webdataset_indexer.h"

namespace forebay::dataset {
namespace {

// Components closer than this are read together.
constexpr uint64_t kLargestGapBytes = 64 << 10;

/// A range of the archive that is read in one go.
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

  void plan(int64_t index, std::vector<PlannedRead>* reads) const override {
    if (!check_index(index).ok()) {
      return;
    }
    const std::vector<SampleRow> rows = rows_of(index);
    if (rows.front().is_lost()) {
      return;
    }
    for (const Span& span : spans_of(rows)) {
      plan_range(object_of(rows), span.begin, span.end - span.begin, reads);
    }
  }

 private:
  /// A read of several spans in progress. The mutex guards buffers, left and error until the last span has
  /// been read; then its thread has all to itself, without the mutex (and so without annotations).
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

  /// kNoObject for a sample without any component.
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
  if (gathering->rows.front().is_lost()) {
    read_row(index, gathering->rows.front(), flags, false, 0,
             [done = std::move(done)](Result<storage::ReadBytes> read) mutable { done(read.status()); });
    return;
  }
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
          gathering->buffers[i] = storage::buffer_of(*read);
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

uint64_t parameters_of(const WebdatasetOptions& options, const std::vector<tensor::DType>& dtypes) {
  uint64_t hash = hash64("webdataset_source 3");
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
    if (extensions.find_first_not_of(';') == std::string::npos) {
      return invalid_argument("'{}' does not name an extension", extensions);
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
  const auto build = [&] { return index_archives(options, dtypes, parameters); };
  FOREBAY_ASSIGN_OR_RETURN(
      std::shared_ptr<const SampleIndex> index,
      open_or_build_index(options, {}, parameters, static_cast<int>(dtypes.size()), build));
  return std::make_shared<WebdatasetSource>(std::move(index), std::move(dtypes), options);
}

}  // namespace forebay::dataset
