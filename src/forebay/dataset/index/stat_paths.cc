#include "forebay/dataset/index/stat_paths.h"

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"

namespace forebay::dataset {
namespace {

// Bounds the memory for names and answers.
constexpr size_t kPathsAtOnce = 1 << 16;

struct Asked {
  std::vector<size_t> paths;
  std::vector<std::string> keys;
};

Status stat_some(const storage::StoreRegistry& registry, size_t first, size_t last, const PathAt& path_of,
                 const StatTaker& take) {
  std::map<std::shared_ptr<storage::ObjectStore>, Asked> by_store;
  for (size_t i = first; i < last; ++i) {
    FOREBAY_ASSIGN_OR_RETURN(storage::ObjectAddress address, registry.resolve(path_of(i)));
    Asked& asked = by_store[std::move(address.store)];
    asked.paths.push_back(i);
    asked.keys.push_back(std::move(address.key));
  }
  for (auto& [store, asked] : by_store) {
    std::vector<Result<storage::ObjectStat>> stats =
        storage::stat_many_now(*store, std::move(asked.keys), opening());
    for (size_t i = 0; i < stats.size(); ++i) {
      if (!stats[i].ok() && !is_of_object(stats[i].status())) {
        return stats[i].status();
      }
      take(asked.paths[i], std::move(stats[i]));
    }
  }
  return ok_status();
}

}  // namespace

Status stat_paths(const storage::StoreRegistry& registry, size_t count, const PathAt& path_of,
                  const StatTaker& take) {
  for (size_t first = 0; first < count; first += kPathsAtOnce) {
    const size_t last = std::min(first + kPathsAtOnce, count);
    FOREBAY_RETURN_IF_ERROR(stat_some(registry, first, last, path_of, take));
  }
  return ok_status();
}

}  // namespace forebay::dataset
