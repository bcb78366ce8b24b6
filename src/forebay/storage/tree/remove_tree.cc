#include "forebay/storage/tree/remove_tree.h"

#include <sys/stat.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "forebay/storage/blocking.h"

namespace forebay::storage {
namespace {

class TreeRemoval {
 public:
  TreeRemoval(ObjectStore& store, const RemoveOptions& options, const CallContext& context)
      : store_(store),
        options_(options),
        context_(context),
        has_directories_(store.features().has_directories) {}

  Status remove_folder(const std::string& folder) {
    if (is_symbolic_link(store_, folder)) {
      FOREBAY_RETURN_IF_ERROR(remove_now(store_, without_end_slash(folder), context_));
      ++count_;
      return ok_status();
    }
    const ListRequest all = {.prefix = folder, .delimiter = has_directories_ ? "/" : "", .names_only = true};
    const auto take = [this](const ListPage& page) { return remove_page(page); };
    FOREBAY_RETURN_IF_ERROR(list_pages_now(store_, all, take, context_));
    return has_directories_ ? remove_now(store_, folder, context_) : ok_status();
  }

  uint64_t count() const { return count_; }

 private:
  Status remove_page(const ListPage& page) {
    FOREBAY_RETURN_IF_ERROR(remove_objects(page));
    for (const std::string& below : page.prefixes) {
      FOREBAY_RETURN_IF_ERROR(remove_folder(below));
    }
    return ok_status();
  }

  Status remove_objects(const ListPage& page) {
    std::vector<std::string> keys;
    keys.reserve(page.objects.size());
    for (const ObjectStat& object : page.objects) {
      keys.push_back(object.key);
    }
    Status first_error;
    for (Status& removed : remove_many_now(store_, std::move(keys), context_)) {
      count_ += removed.ok() ? 1 : 0;
      first_error.Update(std::move(removed));
    }
    if (options_.progress) {
      options_.progress(count_);
    }
    return first_error;
  }

  ObjectStore& store_;
  const RemoveOptions& options_;
  const CallContext& context_;
  const bool has_directories_;
  uint64_t count_ = 0;
};

}  // namespace

std::string without_end_slash(std::string key) {
  while (key.size() > 1 && key.ends_with('/')) {
    key.pop_back();
  }
  return key;
}

bool is_symbolic_link(const ObjectStore& store, const std::string& key) {
  const std::optional<std::string> path = store.local_file(without_end_slash(key));
  struct stat status {};
  return path && ::lstat(path->c_str(), &status) == 0 && S_ISLNK(status.st_mode);
}

Result<uint64_t> remove_tree(ObjectStore& store, const std::string& folder, const RemoveOptions& options,
                             const CallContext& context) {
  TreeRemoval removal(store, options, context);
  FOREBAY_RETURN_IF_ERROR(removal.remove_folder(folder));
  return removal.count();
}

}  // namespace forebay::storage
