#include "forebay/dataset/webdataset_indexer.h"

#include <algorithm>
#include <map>
#include <utility>

#include "forebay/dataset/object_reader.h"
#include "forebay/dataset/tar.h"
#include "forebay/dataset/wds_index.h"
#include "forebay/storage/blocking.h"

namespace forebay::dataset {
namespace {

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

  Result<WdsArchive> scanned(size_t which, const ByteSource& archive) const {
    const std::string& path = options_.paths[which];
    if (options_.index_paths.empty()) {
      return scan_wds_archive(archive, path);
    }
    const std::string& index_path = options_.index_paths[which];
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options_).resolve(index_path));
    FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                             storage::read_now(*address.store, {.key = address.key}));
    WdsArchive listed;
    FOREBAY_ASSIGN_OR_RETURN(
        listed.samples,
        parse_wds_index({reinterpret_cast<const char*>(read.bytes().data()), read.bytes().size()},
                        index_path));
    return listed;
  }

  Result<std::vector<SampleRow>> rows_of(const WdsSample& sample, uint32_t object,
                                         const std::string& path) const;
  Status add_sample(const std::vector<SampleRow>& rows, uint64_t offset_bytes, const std::string& path);
  void add_rows(const std::vector<SampleRow>& rows);
  Status add_samples(const WdsArchive& archive, uint64_t size_bytes, uint32_t object,
                     const std::string& path);

  const WebdatasetOptions& options_;
  const std::vector<tensor::DType>& dtypes_;
  SampleIndexBuilder builder_;
  std::map<std::string, std::vector<size_t>> fields_of_;
  std::map<std::string, uint32_t> objects_;
};

Result<std::vector<SampleRow>> Indexer::rows_of(const WdsSample& sample, uint32_t object,
                                                const std::string& path) const {
  std::vector<SampleRow> rows(options_.ext.size());
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
    }
  }
  return rows;
}

Status Indexer::add_sample(const std::vector<SampleRow>& rows, uint64_t offset_bytes,
                           const std::string& path) {
  const auto missing = std::ranges::count_if(rows, &SampleRow::is_missing);
  if (missing > 0 && options_.missing_component_behavior == MissingComponent::kSkip) {
    return ok_status();
  }
  if (missing > 0 && options_.missing_component_behavior == MissingComponent::kError) {
    return invalid_argument("{}: the sample at {} lacks {} of {} parts", path, offset_bytes, missing,
                            rows.size());
  }
  add_rows(rows);
  return ok_status();
}

void Indexer::add_rows(const std::vector<SampleRow>& rows) {
  for (const SampleRow& row : rows) {
    builder_.add_row(row);
  }
}

// What a cut took away stands in the index as one sample whose read fails: the last one if it lacks parts or
// their content, else one behind it.
Status Indexer::add_samples(const WdsArchive& archive, uint64_t size_bytes, uint32_t object,
                            const std::string& path) {
  bool tells_of_cut = !archive.cut_at.has_value();
  for (const WdsSample& sample : archive.samples) {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<SampleRow> rows, rows_of(sample, object, path));
    const bool may_be_cut = archive.cut_at && &sample == &archive.samples.back();
    if (may_be_cut && std::ranges::any_of(rows, &SampleRow::is_missing)) {
      break;
    }
    tells_of_cut |= may_be_cut && std::ranges::any_of(rows, [&](const SampleRow& row) {
                      return row.offset_bytes + row.length_bytes > size_bytes;
                    });
    FOREBAY_RETURN_IF_ERROR(add_sample(rows, sample.components.front().offset_bytes, path));
  }
  if (!tells_of_cut) {
    SampleRow lost;
    lost.object = object;
    lost.offset_bytes = *archive.cut_at;
    lost.length_bytes = kTarBlockBytes;
    add_rows(std::vector<SampleRow>(options_.ext.size(), lost));
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
  FOREBAY_ASSIGN_OR_RETURN(const WdsArchive found, scanned(which, *archive));
  return add_samples(found, archive->size_bytes(), place->second, path);
}

}  // namespace

Result<std::shared_ptr<const SampleIndex>> index_archives(const WebdatasetOptions& options,
                                                          const std::vector<tensor::DType>& dtypes,
                                                          uint64_t parameters) {
  Indexer indexer(options, dtypes);
  for (size_t which = 0; which < options.paths.size(); ++which) {
    FOREBAY_RETURN_IF_ERROR(indexer.add_archive(which));
  }
  return indexer.finish(parameters);
}

}  // namespace forebay::dataset
