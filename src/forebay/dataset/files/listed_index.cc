#include "forebay/dataset/files/listed_index.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/dataset/index/stat_paths.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

/// A file of a list: its first mention and its stat.
struct KnownFile {
  std::string_view path;
  uint32_t object = 0;
  storage::ObjectStat stat;
};

constexpr size_t kFilesBetweenTellings = 4096;

/// Looks for the files, and tells of the progress if somebody wants to hear of it.
Status stat_known(std::vector<KnownFile>& known, const std::string& root, const SourceOptions& options) {
  const size_t step = options.progress ? kFilesBetweenTellings : std::max<size_t>(1, known.size());
  for (size_t first = 0; first < known.size(); first += step) {
    const std::span<KnownFile> some = std::span(known).subspan(first, std::min(step, known.size() - first));
    FOREBAY_RETURN_IF_ERROR(stat_paths(
        registry_of(options), some.size(), [&](size_t i) { return storage::join_path(root, some[i].path); },
        [&](size_t i, Result<storage::ObjectStat> stat) {
          if (stat.ok()) {
            some[i].stat = *std::move(stat);
          }
        }));
    if (options.progress) {
      const size_t done = first + some.size();
      options.progress({.shards_done = done, .shards = known.size(), .samples = done, .samples_found = done});
    }
  }
  return ok_status();
}

}  // namespace

uint64_t parameters_of_list(const std::vector<ListedFile>& files) {
  uint64_t hash = hash64("file_list 2");
  for (const ListedFile& file : files) {
    hash = mix64(mix64(hash, hash64(file.path)), static_cast<uint64_t>(file.label));
  }
  return hash;
}

Result<std::shared_ptr<const SampleIndex>> index_listed_files(const std::vector<ListedFile>& files,
                                                              const std::string& root,
                                                              const SourceOptions& options) {
  std::vector<KnownFile> known;
  std::unordered_map<std::string_view, size_t> places;
  for (const ListedFile& file : files) {
    if (places.try_emplace(file.path, known.size()).second) {
      known.push_back({.path = file.path, .stat = {.size_bytes = kUnknownSize}});
    }
  }
  FOREBAY_RETURN_IF_ERROR(stat_known(known, root, options));
  SampleIndexBuilder builder;
  for (KnownFile& file : known) {
    file.object = builder.add_object(std::string(file.path), file.stat);
  }
  for (const ListedFile& file : files) {
    const KnownFile& found = known[places[file.path]];
    SampleRow row;
    row.object = found.object;
    row.length_bytes = found.stat.size_bytes == kUnknownSize ? 0 : found.stat.size_bytes;
    row.label = file.label;
    builder.add_row(row);
  }
  return builder.finish(parameters_of_list(files));
}

}  // namespace forebay::dataset
