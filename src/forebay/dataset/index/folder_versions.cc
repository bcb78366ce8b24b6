#include "forebay/dataset/index/folder_versions.h"

#include <filesystem>
#include <string>
#include <system_error>

#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/errors.h"

namespace forebay::dataset {
namespace {

// The coarsest clock of any file system: FAT's.
constexpr int64_t kCoarsestTickNs = 2'000'000'000;

std::string normal_path(const std::string& path) {
  std::error_code error;
  return std::filesystem::absolute(path, error).lexically_normal().string();
}

bool lies_in(const storage::ObjectAddress& index, const storage::ObjectAddress& folder) {
  const std::optional<std::string> file = index.store->local_file(index.key);
  const std::optional<std::string> path = folder.store->local_file(folder.key);
  if (!file || !path) {
    return false;
  }
  const std::filesystem::path home = std::filesystem::path(normal_path(*file)).parent_path();
  return home / "" == normal_path(*path + "/");
}

}  // namespace

Result<std::optional<storage::ObjectStat>> folder_before_listing(const storage::ObjectAddress& folder,
                                                                 const storage::ObjectAddress& index) {
  if (lies_in(index, folder)) {
    return std::nullopt;
  }
  Result<storage::ObjectStat> stat = storage::stat_now(*folder.store, folder.key, opening());
  if (storage::is_unanswered(stat.status())) {
    return stat.status();
  }
  return stat.ok() ? std::optional<storage::ObjectStat>(*std::move(stat)) : std::nullopt;
}

bool shows_later_changes(const storage::ObjectStat& folder, int64_t written_ns) {
  return written_ns == 0 || folder.modified_ns < written_ns - kCoarsestTickNs;
}

}  // namespace forebay::dataset
