#include "forebay/dataset/webdataset/webdataset_indexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <utility>

#include "forebay/base/sync/mutex.h"
#include "forebay/dataset/index/shard_index.h"
#include "forebay/dataset/opening.h"
#include "forebay/dataset/webdataset/seen_extensions.h"
#include "forebay/dataset/webdataset/tar.h"
#include "forebay/dataset/webdataset/text_number.h"
#include "forebay/dataset/webdataset/wds_index.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c; });
  return text;
}

/// Turns an archive's contents into rows, field by field. Thread safe.
class Indexer {
 public:
  Indexer(const WebdatasetOptions& options, const std::vector<tensor::DType>& dtypes)
      : options_(options), dtypes_(dtypes), seen_(options.ext.size()) {
    for (size_t field = 0; field < options.ext.size(); ++field) {
      if (options.ext[field] == kKeyField) {
        key_fields_.push_back(field);
        continue;
      }
      for (const std::string& extension : extensions_of(options.ext[field])) {
        fields_of_[normalised(extension)].push_back(field);
        if (extension.starts_with('.')) {
          fields_of_[normalised(extension.substr(1))].push_back(field);
        }
      }
    }
  }

  Result<ShardRows> index(size_t which, const ObjectByteSource& archive, const TakeRows& found);

  /// Once all archives are indexed: invalid_argument that lists what there is if samples were found, but an
  /// output that nothing fills. `index` is null if there is none.
  Status check_extensions(const SampleIndex* index);

 private:
  std::string normalised(const std::string& extension) const {
    return options_.case_sensitive_extensions ? extension : lower_case(extension);
  }

  /// Which output no sample has, of those of the index and those that were seen; nothing if they have all.
  std::optional<size_t> empty_field(const SampleIndex* index) const;
  /// Sees what the first archive has that can be read.
  void see_one_archive();
  void merge_seen(const SeenExtensions& seen) {
    const MutexLock lock(mutex_);
    seen_.merge(seen);
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
  /// Fills the fields of the sample's key.
  Status add_key(const WdsComponent& component, const std::string& path, std::vector<SampleRow>* rows) const;
  /// Whether these rows make a sample.
  Result<bool> is_wanted(const std::vector<SampleRow>& rows, const WdsSample& sample,
                         const std::string& path) const;
  Status lacking(const std::vector<SampleRow>& rows, const WdsSample& sample, const std::string& path) const;
  /// Appends the rows if they make a sample.
  Status add(const std::vector<SampleRow>& rows, const WdsSample& sample, const std::string& path,
             SeenExtensions* seen, std::vector<SampleRow>* all) const;

  const WebdatasetOptions& options_;
  const std::vector<tensor::DType>& dtypes_;
  std::map<std::string, std::vector<size_t>> fields_of_;
  std::vector<size_t> key_fields_;
  mutable Mutex mutex_;
  SeenExtensions seen_ FOREBAY_GUARDED_BY(mutex_);  // in the archives that were scanned
};

Result<std::vector<SampleRow>> Indexer::rows_of(const WdsSample& sample, const std::string& path) const {
  std::vector<SampleRow> rows(options_.ext.size());
  const WdsComponent* named = &sample.components.front();  // a member that is read, if there is one
  bool is_any_read = false;
  for (const WdsComponent& component : sample.components) {
    const auto fields = fields_of_.find(normalised(component.extension));
    if (fields == fields_of_.end()) {
      continue;
    }
    for (const size_t field : fields->second) {
      if (!rows[field].is_missing()) {
        continue;  // the first match fills the field
      }
      if (!is_number_in_text(options_, field) &&
          component.size_bytes % tensor::size_of(dtypes_[field]) != 0) {
        return data_loss("{}: the part '{}' at {} has {} bytes, which is not a multiple of a {}", path,
                         component.extension, component.offset_bytes, component.size_bytes,
                         tensor::name_of(dtypes_[field]));
      }
      rows[field].object = 0;
      rows[field].offset_bytes = component.offset_bytes;
      rows[field].length_bytes = component.size_bytes;
      named = is_any_read ? named : &component;
      is_any_read = true;
    }
  }
  FOREBAY_RETURN_IF_ERROR(key_fields_.empty() ? ok_status() : add_key(*named, path, &rows));
  return rows;
}

Status Indexer::add_key(const WdsComponent& component, const std::string& path,
                        std::vector<SampleRow>* rows) const {
  if (!component.name_offset_bytes) {
    return invalid_argument(
        "{}: `{}` is the name of the member at {}, of which the index file does not tell where it lies in "
        "the "
        "archive: leave out `index_paths`",
        storage::uri_for_message(path), kKeyField, component.offset_bytes);
  }
  for (const size_t field : key_fields_) {
    (*rows)[field] = {.object = 0,
                      .flags = component.is_name_split ? kTarHeaderRow : 0,
                      .offset_bytes = *component.name_offset_bytes,
                      .length_bytes = component.is_name_split ? kTarBlockBytes : component.key().size()};
  }
  return ok_status();
}

Status Indexer::lacking(const std::vector<SampleRow>& rows, const WdsSample& sample,
                        const std::string& path) const {
  std::string missing;
  for (size_t field = 0; field < rows.size(); ++field) {
    if (rows[field].is_missing()) {
      missing += fmt::format("{}'{}'", missing.empty() ? "" : ", ", options_.ext[field]);
    }
  }
  const WdsComponent& first = sample.components.front();
  return invalid_argument("{}: the sample '{}' at {} lacks {}; it has {}", storage::uri_for_message(path),
                          first.key(), first.offset_bytes, missing, extensions_text(sample));
}

Result<bool> Indexer::is_wanted(const std::vector<SampleRow>& rows, const WdsSample& sample,
                                const std::string& path) const {
  const bool is_whole = std::ranges::none_of(rows, &SampleRow::is_missing);
  if (!is_whole && options_.missing_component_behavior == MissingComponent::kError) {
    return lacking(rows, sample, path);
  }
  return is_whole || options_.missing_component_behavior != MissingComponent::kSkip;
}

Status Indexer::add(const std::vector<SampleRow>& rows, const WdsSample& sample, const std::string& path,
                    SeenExtensions* seen, std::vector<SampleRow>* all) const {
  seen->add(sample);
  for (size_t field = 0; field < rows.size(); ++field) {
    if (!rows[field].is_missing()) {
      seen->fill(field);
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(const bool wanted, is_wanted(rows, sample, path));
  if (wanted) {
    all->insert(all->end(), rows.begin(), rows.end());
  }
  return ok_status();
}

// What truncation or damage removed counts as one lost sample: the last one if it lacks components or
// content, else one behind it.
Result<ShardRows> Indexer::index(size_t which, const ObjectByteSource& shard, const TakeRows& found) {
  const std::string& path = options_.paths[which];
  SeenExtensions seen(options_.ext.size());
  ShardRows all;
  const auto take = [&](const WdsSample& sample) -> Status {
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<SampleRow> rows, rows_of(sample, path));
    const size_t before = all.rows.size();
    FOREBAY_RETURN_IF_ERROR(add(rows, sample, path, &seen, &all.rows));
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
    FOREBAY_RETURN_IF_ERROR(add(rows, last, path, &seen, &all.rows));
  }
  merge_seen(seen);
  return all;
}

std::optional<size_t> Indexer::empty_field(const SampleIndex* index) const {
  bool has_whole_sample = false;
  std::vector<bool> is_filled(options_.ext.size());
  {
    const MutexLock lock(mutex_);
    has_whole_sample = !seen_.empty();
    for (size_t field = 0; field < is_filled.size(); ++field) {
      is_filled[field] = seen_.is_filled(field);
    }
  }
  for (int64_t sample = 0; index != nullptr && sample < index->size(); ++sample) {
    if (std::ranges::count(is_filled, false) == 0) {
      return std::nullopt;
    }
    if (index->row(sample).is_lost()) {
      return std::nullopt;  // what could not be read may have it
    }
    has_whole_sample = true;
    for (size_t field = 0; field < is_filled.size(); ++field) {
      is_filled[field] = is_filled[field] || !index->row(sample, static_cast<int>(field)).is_missing();
    }
  }
  const auto empty = std::ranges::find(is_filled, false);
  return empty == is_filled.end() || !has_whole_sample ? std::nullopt
                                                       : std::optional<size_t>(empty - is_filled.begin());
}

// Where all archives' tables were kept, none was scanned.
void Indexer::see_one_archive() {
  for (size_t which = 0; which < options_.paths.size(); ++which) {
    {
      const MutexLock lock(mutex_);
      if (!seen_.empty()) {
        return;
      }
    }
    const Result<storage::ObjectAddress> address = registry_of(options_).resolve(options_.paths[which]);
    const Result<storage::ObjectStat> stat =
        address.ok() ? storage::stat_now(*address->store, address->key, opening()) : address.status();
    if (stat.ok()) {
      index(which, ObjectByteSource(*address, *stat), [](std::span<const SampleRow>) {})
          .status()
          .IgnoreError();
    }
  }
}

Status Indexer::check_extensions(const SampleIndex* index) {
  const std::optional<size_t> field = empty_field(index);
  if (!field) {
    return ok_status();
  }
  see_one_archive();
  const MutexLock lock(mutex_);
  const size_t others = options_.paths.size() - 1;
  return invalid_argument("{}{}: no sample has '{}', which `ext` names; the extensions that occur are {}",
                          storage::uri_for_message(options_.paths.front()),
                          others == 0 ? std::string() : fmt::format(" and {} other archives", others),
                          options_.ext[*field], seen_.text());
}

}  // namespace

Result<std::shared_ptr<const SampleIndex>> index_archives(const WebdatasetOptions& options,
                                                          const std::vector<tensor::DType>& dtypes,
                                                          uint64_t parameters, uint64_t row_parameters,
                                                          GrowingIndex* growing) {
  Indexer indexer(options, dtypes);
  const auto tables = options.index_paths.empty() ? std::optional(row_parameters) : std::nullopt;
  Result<std::shared_ptr<const SampleIndex>> index = index_shards(
      options, options.paths, static_cast<int>(options.ext.size()), parameters, {.parameters = tables},
      [&indexer](size_t which, const ObjectByteSource& archive, const TakeRows& found) {
        return indexer.index(which, archive, found);
      },
      growing);
  if (index.ok() || index.status().code() == StatusCode::kNotFound) {
    FOREBAY_RETURN_IF_ERROR(indexer.check_extensions(index.ok() ? index->get() : nullptr));
  }
  return index;
}

}  // namespace forebay::dataset
