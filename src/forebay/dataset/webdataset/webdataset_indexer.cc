#include "forebay/dataset/webdataset/webdataset_indexer.h"

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "forebay/dataset/index/shard_index.h"
#include "forebay/dataset/webdataset/tar.h"
#include "forebay/dataset/webdataset/wds_index.h"
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

/// Turns an archive's contents into rows, field by field. Thread safe.
class Indexer {
 public:
  Indexer(const WebdatasetOptions& options, const std::vector<tensor::DType>& dtypes)
      : options_(options), dtypes_(dtypes) {
    for (size_t field = 0; field < options.ext.size(); ++field) {
      for (const std::string& extension : split(options.ext[field], ';')) {
        fields_of_[normalised(extension)].push_back(field);
      }
    }
  }

  Result<ShardRows> index(size_t which, const ObjectByteSource& archive, const TakeRows& found) const;

 private:
  std::string normalised(const std::string& extension) const {
    return options_.case_sensitive_extensions ? extension : lower_case(extension);
  }

  /// The archive's last sample; the others are taken.
  Result<WdsArchive> scanned(size_t which, const ByteSource& archive, TakeWdsSample take) const {
    const std::string& path = options_.paths[which];
    if (options_.index_paths.empty()) {
      return scan_wds_archive(archive, path, take);
    }
    const std::string& index_path = options_.index_paths[which];
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry_of(options_).resolve(index_path));
    FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                             storage::read_now(*address.store, {.key = address.key}));
    FOREBAY_ASSIGN_OR_RETURN(
        std::vector<WdsSample> samples,
        parse_wds_index({reinterpret_cast<const char*>(read.bytes.data()), read.bytes.size()}, index_path));
    WdsArchive listed;
    for (WdsSample& sample : samples) {
      if (&sample == &samples.back()) {
        listed.samples.push_back(std::move(sample));
      } else {
        FOREBAY_RETURN_IF_ERROR(take(std::move(sample)));
      }
    }
    return listed;
  }

  Result<std::vector<SampleRow>> rows_of(const WdsSample& sample, const std::string& path) const;
  /// Whether these rows make a sample.
  Result<bool> is_wanted(const std::vector<SampleRow>& rows, uint64_t offset_bytes,
                         const std::string& path) const;
  /// Appends the rows if they make a sample.
  Status add(const std::vector<SampleRow>& rows, const WdsSample& sample, const std::string& path,
             std::vector<SampleRow>* all) const;

  const WebdatasetOptions& options_;
  const std::vector<tensor::DType>& dtypes_;
  std::map<std::string, std::vector<size_t>> fields_of_;
};

Result<std::vector<SampleRow>> Indexer::rows_of(const WdsSample& sample, const std::string& path) const {
  std::vector<SampleRow> rows(options_.ext.size());
  for (const WdsComponent& component : sample.components) {
    const auto fields = fields_of_.find(normalised(component.extension));
    if (fields == fields_of_.end()) {
      continue;
    }
    for (const size_t field : fields->second) {
      if (!rows[field].is_missing()) {
        continue;  // the first match fills the field
      }
      if (component.size_bytes % tensor::size_of(dtypes_[field]) != 0) {
        return data_loss("{}: the part '{}' at {} has {} bytes, which is not a multiple of a {}", path,
                         component.extension, component.offset_bytes, component.size_bytes,
                         tensor::name_of(dtypes_[field]));
      }
      rows[field].object = 0;
      rows[field].offset_bytes = component.offset_bytes;
      rows[field].length_bytes = component.size_bytes;
    }
  }
  return rows;
}

Result<bool> Indexer::is_wanted(const std::vector<SampleRow>& rows, uint64_t offset_bytes,
                                const std::string& path) const {
  const auto missing = std::ranges::count_if(rows, &SampleRow::is_missing);
  if (missing > 0 && options_.missing_component_behavior == MissingComponent::kError) {
    return invalid_argument("{}: the sample at {} lacks {} of {} parts", path, offset_bytes, missing,
                            rows.size());
  }
  return missing == 0 || options_.missing_component_behavior != MissingComponent::kSkip;
}

Status Indexer::add(const std::vector<SampleRow>& rows, const WdsSample& sample, const std::string& path,
                    std::vector<SampleRow>* all) const {
  FOREBAY_ASSIGN_OR_RETURN(const bool wanted, is_wanted(rows, sample.components.front().offset_bytes, path));
  if (wanted) {
    all->insert(all->end(), rows.begin(), rows.end());
  }
  return ok_status();
}

// What truncation or damage removed counts as one lost sample: the last one if it lacks components or
// content, else one behind it.
Result<ShardRows> Indexer::index(size_t which, const ObjectByteSource& shard, const TakeRows& found) const {
  const std::string& path = options_.paths[which];
  ShardRows all;
  const auto take = [&](const WdsSample& sample) -> Status {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<SampleRow> rows, rows_of(sample, path));
    const size_t before = all.rows.size();
    FOREBAY_RETURN_IF_ERROR(add(rows, sample, path, &all.rows));
    found(std::span(all.rows).subspan(before));
    return ok_status();
  };
  FOREBAY_ASSIGN_OR_RETURN(const WdsArchive archive, scanned(which, shard, take));
  all.lost_at = archive.lost_at;
  all.damage = archive.damage;
  for (const WdsSample& last : archive.samples) {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<SampleRow> rows, rows_of(last, path));
    if (archive.lost_at && std::ranges::any_of(rows, &SampleRow::is_missing)) {
      break;
    }
    const bool is_cut = archive.lost_at && std::ranges::any_of(rows, [&](const SampleRow& row) {
                          return row.offset_bytes + row.length_bytes > shard.size_bytes();
                        });
    if (is_cut) {
      all.lost_at.reset();  // its read reports the loss
    }
    FOREBAY_RETURN_IF_ERROR(add(rows, last, path, &all.rows));
  }
  return all;
}

}  // namespace

Result<std::shared_ptr<const SampleIndex>> index_archives(const WebdatasetOptions& options,
                                                          const std::vector<tensor::DType>& dtypes,
                                                          uint64_t parameters, uint64_t row_parameters,
                                                          GrowingIndex* growing) {
  const Indexer indexer(options, dtypes);
  const auto tables = options.index_paths.empty() ? std::optional(row_parameters) : std::nullopt;
  return index_shards(
      options, options.paths, static_cast<int>(options.ext.size()), parameters, tables,
      [&indexer](size_t which, const ObjectByteSource& archive, const TakeRows& found) {
        return indexer.index(which, archive, found);
      },
      growing);
}

}  // namespace forebay::dataset
