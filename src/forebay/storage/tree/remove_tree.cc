#include "forebay/storage/tree/remove_tree.h"

#include <sys/stat.h>

#include <optional>
#include <utility>

#include "forebay/base/run_parallel.h"
#include "forebay/base/sync/mutex.h"
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
      remove(without_end_slash(folder));
      return first_error();
    }
    const ListRequest all = {.prefix = folder, .delimiter = has_directories_ ? "/" : "", .names_only = true};
    const auto take = [this](const ListPage& page) { return remove_page(page); };
    FOREBAY_RETURN_IF_ERROR(list_pages_now(store_, all, take, context_));
    return has_directories_ ? remove_now(store_, folder, context_) : ok_status();
  }

  uint64_t count() const {
    const MutexLock lock(mutex_);
    return count_;
  }

 private:
  Status remove_page(const ListPage& page) {
    run_parallel(page.objects.size(), [&](size_t i) { remove(page.objects[i].key); });
    FOREBAY_RETURN_IF_ERROR(first_error());
    for (const std::string& below : page.prefixes) {
      FOREBAY_RETURN_IF_ERROR(remove_folder(below));
    }
    return ok_status();
  }

  void remove(const std::string& key) {
    if (!first_error().ok()) {
      return;
    }
    Status removed = remove_now(store_, key, context_);
    const MutexLock lock(mutex_);
    count_ += removed.ok() ? 1 : 0;
    first_error_.Update(std::move(removed));
    if (options_.progress) {
      options_.progress(count_);
    }
  }

  Status first_error() const {
    const MutexLock lock(mutex_);
    return first_error_;
  }

  ObjectStore& store_;
  const RemoveOptions& options_;
  const CallContext& context_;
  const bool has_directories_;
  mutable Mutex mutex_;
  uint64_t count_ FOREBAY_GUARDED_BY(mutex_) = 0;
  Status first_error_ FOREBAY_GUARDED_BY(mutex_);
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
