#include "forebay/storage/tree/moves.h"

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "forebay/base/sync/mutex.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/tree/copies.h"
#include "forebay/storage/tree/remove_tree.h"
#include "forebay/storage/tree/same_place.h"

namespace forebay::storage {
namespace {

constexpr size_t kRemovedTogether = 1000;

Status check_can_be_removed(const Place& from) {
  return from.address.store->features().can_remove
             ? ok_status()
             : permission_denied("{}: its store lets nothing be removed, so it cannot be moved; cp copies it",
                                 from.name);
}

Status check_is_free(const ObjectAddress& to, bool replaces, const CallContext& context) {
  const Result<Entry> there = find_entry(*to.store, to.key, context);
  if (there.status().code() == StatusCode::kNotFound) {
    return ok_status();
  }
  FOREBAY_RETURN_IF_ERROR(there.status());
  if (!there->is_folder) {
    return replaces ? ok_status()
                    : already_exists(
                          "{}: the object already exists, and a move that has to copy does not replace it; "
                          "remove it first",
                          to.uri());
  }
  const std::string folder = as_folder_key(to.key);
  const auto refuse_any = [&](const ListPage& page) {
    const bool is_empty =
        page.prefixes.empty() &&
        std::ranges::all_of(page.objects, [&](const ObjectStat& object) { return object.key == folder; });
    return is_empty
               ? ok_status()
               : failed_precondition(
                     "{}: the folder is not empty, and a move between stores merges none; cp -r -n and rm -r "
                     "finish a move that was stopped",
                     to.uri());
  };
  return list_pages_now(*to.store, {.prefix = folder, .delimiter = "/", .names_only = true}, refuse_any,
                        context);
}

/// What such a link leads to would be copied, and could not be removed with it.
Status check_has_no_links_to_folders(const Place& from) {
  const std::optional<std::string> root = from.address.store->local_file(from.address.key);
  if (!root || !from.entry.is_folder) {
    return ok_status();
  }
  if (is_symbolic_link(*from.address.store, from.address.key)) {
    return failed_precondition("{}: a link to a folder, which cannot be moved to another store", from.name);
  }
  namespace fs = std::filesystem;
  std::error_code error;
  fs::recursive_directory_iterator entry(*root, error);
  for (; !error && entry != fs::recursive_directory_iterator(); entry.increment(error)) {
    std::error_code dangles;
    if (entry->is_symlink(dangles) && entry->is_directory(dangles)) {
      return failed_precondition(
          "{}: a link to a folder, whose content lies elsewhere, cannot be moved to another store; remove "
          "the link, "
          "or use cp -r and rm -r",
          entry->path().string());
    }
  }
  return error ? errno_status(error.value(), from.name) : ok_status();
}

/// Folders of the source at the destination, where both have them: those without objects move, too.
Status make_folders(const Place& from, const ObjectAddress& to, const CallContext& context) {
  ObjectStore& source = *from.address.store;
  if (!source.features().has_directories || !to.store->features().has_directories) {
    return ok_status();
  }
  std::vector<std::string> waiting = {from.folder_key()};
  while (!waiting.empty()) {
    const std::string folder = std::move(waiting.back());
    waiting.pop_back();
    const std::string below = folder.substr(from.folder_key().size());
    FOREBAY_RETURN_IF_ERROR(make_directory_now(*to.store, as_folder_key(to.key) + below, context));
    const auto take = [&](const ListPage& page) {
      waiting.insert(waiting.end(), page.prefixes.begin(), page.prefixes.end());
      return ok_status();
    };
    FOREBAY_RETURN_IF_ERROR(
        list_pages_now(source, {.prefix = folder, .delimiter = "/", .names_only = true}, take, context));
  }
  return ok_status();
}

/// What was copied, and then the end of it at the source.
class MovedObjects {
 public:
  MovedObjects(const Place& from, const CallContext& context)
      : from_(from), store_(*from.address.store), context_(context) {}

  void add(const ObjectStat& object) {
    const MutexLock lock(mutex_);
    objects_.push_back({object.key, object.version});
  }

  /// After the last add().
  Status remove() {
    std::vector<Object> objects;
    {
      const MutexLock lock(mutex_);
      objects.swap(objects_);
    }
    for (size_t first = 0; first < objects.size(); first += kRemovedTogether) {
      const auto begin = objects.begin() + static_cast<std::ptrdiff_t>(first);
      const auto end =
          begin + static_cast<std::ptrdiff_t>(std::min(kRemovedTogether, objects.size() - first));
      FOREBAY_RETURN_IF_ERROR(
          remove_unchanged({std::make_move_iterator(begin), std::make_move_iterator(end)}));
    }
    if (from_.entry.is_folder) {
      FOREBAY_RETURN_IF_ERROR(remove_emptied(from_.folder_key()).status());
    }
    return left_.empty()
               ? ok_status()
               : failed_precondition(
                     "{}: changed or added while it was moved, and stays there; what was copied before is "
                     "at the new place",
                     store_.uri_of(left_));
  }

 private:
  struct Object {
    std::string key;
    std::string version;
  };

  Status remove_unchanged(std::vector<Object> objects) {
    std::vector<std::string> keys;
    for (const Object& object : objects) {
      keys.push_back(object.key);
    }
    const std::vector<Result<ObjectStat>> now = stat_many_now(store_, std::move(keys), context_);
    std::vector<std::string> unchanged;
    for (size_t i = 0; i < objects.size(); ++i) {
      const bool is_gone = now[i].status().code() == StatusCode::kNotFound;
      if (!now[i].ok() && !is_gone) {
        return now[i].status();
      }
      if (now[i].ok() && now[i]->version == objects[i].version) {
        unchanged.push_back(std::move(objects[i].key));
      } else if (!is_gone) {
        left_ = std::move(objects[i].key);
      }
    }
    Status first_error;
    for (const Status& removed : remove_many_now(store_, std::move(unchanged), context_)) {
      first_error.Update(removed.code() == StatusCode::kNotFound ? ok_status() : removed);
    }
    return first_error;
  }

  /// From the bottom up; objects that are there stay, and so do the folders that they lie in. Whether it was
  /// empty.
  Result<bool> remove_emptied(const std::string& folder) {
    const bool has_directories = store_.features().has_directories;
    bool is_empty = true;
    std::vector<std::string> below;
    const auto take = [&](const ListPage& page) {
      for (const ObjectStat& object : page.objects) {
        left_ = object.key;
        is_empty = false;
      }
      below.insert(below.end(), page.prefixes.begin(), page.prefixes.end());
      return ok_status();
    };
    const ListRequest all = {.prefix = folder, .delimiter = has_directories ? "/" : "", .names_only = true};
    FOREBAY_RETURN_IF_ERROR(list_pages_now(store_, all, take, context_));
    for (const std::string& name : below) {
      bool is_gone = false;
      if (is_symbolic_link(store_, name)) {
        left_ = name;
      } else {
        FOREBAY_ASSIGN_OR_RETURN(is_gone, remove_emptied(name));
      }
      is_empty = is_empty && is_gone;
    }
    if (is_empty && has_directories) {
      FOREBAY_RETURN_IF_ERROR(remove_now(store_, folder, context_));
    }
    return is_empty;
  }

  const Place& from_;
  ObjectStore& store_;
  const CallContext& context_;
  std::string left_;  // a key that changed or came meanwhile
  Mutex mutex_;
  std::vector<Object> objects_ FOREBAY_GUARDED_BY(mutex_);
};

bool can_rename(const Place& from, const ObjectAddress& to) {
  const StoreFeatures features = to.store->features();
  return from.address.store == to.store && features.can_rename &&
         (!from.entry.is_folder || features.has_directories);
}

Status rename_entry(const Place& from, const ObjectAddress& to, bool if_absent, const CallContext& context) {
  MoveRequest request = {
      .from = without_end_slash(from.address.key), .to = without_end_slash(to.key), .if_absent = if_absent};
  if (from.entry.is_folder) {
    request.from = as_folder_key(request.from);
    request.to = as_folder_key(request.to);
  }
  return rename_now(*to.store, request, context).status();
}

/// `from` with the versions that its objects keep: one that is acknowledged only is not changed by being
/// stored.
Result<Place> settled(Place from, const CallContext& context) {
  ObjectStore& store = *from.address.store;
  if (!store.features().acknowledges_early) {
    return from;
  }
  FOREBAY_RETURN_IF_ERROR(
      settle_now(store, from.entry.is_folder ? from.folder_key() : from.address.key, context));
  if (!from.entry.is_folder) {
    FOREBAY_ASSIGN_OR_RETURN(from.entry.stat, stat_now(store, from.address.key, context));
  }
  return from;
}

/// Whether an object at `to` may go. That it is another one than that at `from` has been seen, by their
/// names.
bool may_replace(const Place& from, const ObjectAddress& to, const MoveOptions& options) {
  return options.replaces_within_store && !options.if_absent && !from.entry.is_folder &&
         from.address.store->identity() == to.store->identity();
}

Result<Moved> move_by_copy(const Place& from, const ObjectAddress& to, const MoveOptions& options,
                           const CallContext& context) {
  FOREBAY_RETURN_IF_ERROR(check_can_be_removed(from));
  if (from.entry.is_folder && lies_within(to, from.address)) {
    return invalid_argument("{} cannot be moved into itself", from.name);
  }
  if (from.entry.is_folder && from.folder_key().empty()) {
    return invalid_argument("{}: a whole store cannot be moved; name what is in it", from.name);
  }
  if (!from.entry.is_folder && is_one_place(from.address, to)) {
    return already_exists("{} and {} are one object", from.name, to.uri());
  }
  const bool replaces = may_replace(from, to, options);
  FOREBAY_RETURN_IF_ERROR(check_is_free(to, replaces, context));
  FOREBAY_RETURN_IF_ERROR(check_has_no_links_to_folders(from));
  MovedObjects moved(from, context);
  Copies copies({.replaces = replaces,
                 .copied = [&moved](const ObjectStat& object) { moved.add(object); },
                 .progress = options.progress},
                context);
  const Status begun =
      from.entry.is_folder ? copies.add_folder(from, to) : copies.add(from.address, to, from.entry.stat);
  const Status folders = begun.ok() && from.entry.is_folder ? make_folders(from, to, context) : begun;
  const Status copied = copies.finish();
  FOREBAY_RETURN_IF_ERROR(folders);
  FOREBAY_RETURN_IF_ERROR(copied);
  FOREBAY_RETURN_IF_ERROR(moved.remove());
  return Moved{copies.objects(), copies.bytes()};
}

}  // namespace

Result<Moved> move_entry(const Place& from, const ObjectAddress& to, const MoveOptions& options,
                         const CallContext& context) {
  if (can_rename(from, to)) {
    const Status renamed = rename_entry(from, to, options.if_absent, context);
    if (renamed.code() != StatusCode::kUnimplemented) {  // it lies on another disk
      FOREBAY_RETURN_IF_ERROR(renamed);
      return Moved();
    }
  }
  FOREBAY_ASSIGN_OR_RETURN(const Place stored, settled(from, context));
  return move_by_copy(stored, to, options, context);
}

}  // namespace forebay::storage
