#include "forebay/dataset/text_indexes/text_index.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/dataset/index/path_patterns.h"
#include "forebay/dataset/index/scan_folder.h"
#include "forebay/dataset/index/scan_progress.h"
#include "forebay/dataset/index/stat_paths.h"
#include "forebay/dataset/object_reader.h"
#include "forebay/dataset/opening.h"
#include "forebay/dataset/recordio/recordio_index.h"
#include "forebay/dataset/tfrecord/tfrecord_index.h"
#include "forebay/dataset/webdataset/wds_index.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/parallel_calls.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

Status check_whole(const std::string& name, std::optional<uint64_t> lost_at, const Status& damage) {
  FOREBAY_RETURN_IF_ERROR(damage);
  return lost_at ? data_loss("{}: truncated at {}", name, *lost_at) : ok_status();
}

/// Records of which the last may end behind the file.
template <class Records>
Status check_end(const std::string& name, const Records& records, uint64_t footer_bytes,
                 uint64_t file_bytes) {
  if (!records.empty() &&
      records.back().offset_bytes + records.back().size_bytes + footer_bytes > file_bytes) {
    return data_loss("{}: truncated in the record at {}", name, records.back().offset_bytes);
  }
  return ok_status();
}

Result<std::string> text_index_of(const ObjectByteSource& bytes, const std::string& name,
                                  TextIndexKind kind) {
  if (kind == TextIndexKind::kWds2idx) {
    FOREBAY_ASSIGN_OR_RETURN(const WdsArchive found, scan_wds_archive(bytes, name));
    FOREBAY_RETURN_IF_ERROR(check_whole(name, found.lost_at, found.damage));
    return wds_index_text(found.samples);
  }
  if (kind == TextIndexKind::kTfrecord2idx) {
    FOREBAY_ASSIGN_OR_RETURN(const TfrecordScan found, scan_tfrecord(bytes, name));
    FOREBAY_RETURN_IF_ERROR(check_whole(name, found.damaged_at, found.damage));
    FOREBAY_RETURN_IF_ERROR(check_end(name, found.records, kTfrecordFooterBytes, bytes.size_bytes()));
    return tfrecord_index_text(found.records);
  }
  FOREBAY_ASSIGN_OR_RETURN(const RecordIoScan found, scan_recordio(bytes, name));
  FOREBAY_RETURN_IF_ERROR(check_whole(name, found.damaged_at, found.damage));
  FOREBAY_RETURN_IF_ERROR(check_end(name, found.records, 0, bytes.size_bytes()));
  return recordio_index_text(found.records);
}

std::string_view name_of_kind(TextIndexKind kind) {
  switch (kind) {
    case TextIndexKind::kWds2idx:
      return "wds2idx";
    case TextIndexKind::kTfrecord2idx:
      return "tfrecord2idx";
    default:
      return "rec2idx";
  }
}

/// Tells of the reads of one file's scan.
class FollowedReads final : public ReadPace {
 public:
  FollowedReads(ScanProgress& progress, size_t which) : progress_(progress), which_(which) {}

  storage::CallContext begin_read() const override { return {}; }
  void end_read(uint64_t offset_bytes, uint64_t length_bytes, int64_t) const override {
    progress_.read(which_, offset_bytes, length_bytes);
  }

 private:
  ScanProgress& progress_;
  const size_t which_;
};

/// Whether what the indexes go to is a folder.
Result<bool> is_folder_of_indexes(const TextIndexesOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress place,
                           registry_of(options).resolve(options.index_file));
  const Result<storage::Entry> there = storage::find_entry(*place.store, place.key, opening());
  if (!there.ok() && is_of_object(there.status())) {
    return options.paths.size() > 1 || options.index_file.ends_with('/');
  }
  FOREBAY_RETURN_IF_ERROR(there.status());
  if (options.paths.size() > 1 && !there->is_folder) {
    return invalid_argument("{} is a file; the indexes of {} files go to a folder",
                            storage::uri_for_message(options.index_file), options.paths.size());
  }
  return there->is_folder;
}

std::string_view stem_of_file(std::string_view name) {
  const size_t dot = name.rfind('.');
  return name.substr(0, dot == 0 ? name.size() : std::min(dot, name.size()));
}

/// Where the indexes of the files go.
Result<std::vector<std::string>> places_of_indexes(const TextIndexesOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const bool is_folder, is_folder_of_indexes(options));
  if (!is_folder) {
    return std::vector{options.index_file};
  }
  std::vector<std::string> names;
  std::map<std::string, size_t, std::less<>> sharing;  // a name without its extension
  for (const std::string& path : options.paths) {
    FOREBAY_ASSIGN_OR_RETURN(names.emplace_back(), file_name_of(path, registry_of(options)));
    ++sharing[std::string(stem_of_file(names.back()))];
  }
  std::vector<std::string> places;
  std::set<std::string> known;
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string_view stem = stem_of_file(names[i]);
    const bool is_alone = sharing.find(stem)->second == 1;
    places.push_back(
        storage::join_path(options.index_file, fmt::format("{}.idx", is_alone ? stem : names[i])));
    if (!known.insert(places.back()).second) {
      return invalid_argument("{}: the indexes of two files would be {}",
                              storage::uri_for_message(options.paths[i]),
                              storage::uri_for_message(places.back()));
    }
  }
  return places;
}

/// Makes the indexes of several files.
class TextIndexes {
 public:
  TextIndexes(const TextIndexesOptions& options, const ScanFolder& made)
      : options_(options), made_(made), progress_(options.progress, options.paths.size()) {}

  Result<std::vector<std::string>> make() {
    std::vector<std::string> texts(options_.paths.size());
    stats_.assign(texts.size(), internal_error("not looked at"));
    FOREBAY_RETURN_IF_ERROR(stat_paths(
        registry_of(options_), texts.size(), [&](size_t which) { return options_.paths[which]; },
        [&](size_t which, Result<storage::ObjectStat> stat) {
          progress_.expect(which, stat.ok() ? stat->size_bytes : 0);
          stats_[which] = std::move(stat);
        }));
    FOREBAY_RETURN_IF_ERROR(storage::run_parallel_calls(texts.size(), [&](size_t which) -> Status {
      FOREBAY_ASSIGN_OR_RETURN(texts[which], text_of(which));
      const auto lines = static_cast<uint64_t>(std::ranges::count(texts[which], '\n'));
      progress_.done(which, lines - (options_.kind == TextIndexKind::kWds2idx ? 1 : 0));
      return ok_status();
    }));
    return texts;
  }

 private:
  Result<std::string> text_of(size_t which) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress file,
                             registry_of(options_).resolve(options_.paths[which]));
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectStat stat, stats_[which]);
    const auto place = made_.place_of(file.uri(), stat.version, name_of_kind(options_.kind));
    if (place && !stat.version.empty()) {
      const Result<storage::ReadBytes> made = storage::read_now(*place->store, {.key = place->key});
      if (made.ok()) {
        return std::string(reinterpret_cast<const char*>(made->bytes.data()), made->bytes.size());
      }
    }
    const FollowedReads reads(progress_, which);
    const ObjectByteSource bytes(file, stat, progress_.is_watched() ? &reads : nullptr);
    FOREBAY_ASSIGN_OR_RETURN(std::string text,
                             text_index_of(bytes, storage::uri_for_message(file.uri()), options_.kind));
    if (place && !stat.version.empty() && !bytes.has_weak_version()) {
      const Status kept =
          storage::write_now(*place->store, place->key, std::as_bytes(std::span(text))).status();
      if (!kept.ok()) {
        log_warning("{}; {} is scanned again if this is interrupted", message(kept), file.uri());
      }
    }
    return text;
  }

  const TextIndexesOptions& options_;
  const ScanFolder& made_;
  ScanProgress progress_;
  std::vector<Result<storage::ObjectStat>> stats_;
};

}  // namespace

Result<std::string> make_text_index(const storage::ObjectAddress& file, TextIndexKind kind) {
  const std::string name = storage::uri_for_message(file.uri());
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectStat stat,
                           storage::stat_now(*file.store, file.key, opening()));
  return text_index_of(ObjectByteSource(file, stat), name, kind);
}

Result<WrittenTextIndexes> write_text_indexes(TextIndexesOptions options) {
  const storage::StoreRegistry& registry = registry_of(options);
  FOREBAY_ASSIGN_OR_RETURN(options.paths, expand_paths(options.paths, registry));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> places, places_of_indexes(options));
  std::optional<storage::ObjectAddress> beside;
  if (places.size() > 1) {
    FOREBAY_ASSIGN_OR_RETURN(beside, registry.resolve(options.index_file));
  }
  const ScanFolder made(beside);
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> texts, TextIndexes(options, made).make());
  WrittenTextIndexes written;
  for (size_t i = 0; i < places.size(); ++i) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress place, registry.resolve(places[i]));
    FOREBAY_RETURN_IF_ERROR(
        storage::write_now(*place.store, place.key, std::as_bytes(std::span(texts[i]))).status());
    ++written.files;
    written.bytes += texts[i].size();
  }
  made.remove();
  return written;
}

}  // namespace forebay::dataset
