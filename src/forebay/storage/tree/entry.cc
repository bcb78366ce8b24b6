#include "forebay/storage/tree/entry.h"

#include <utility>

#include "forebay/storage/blocking.h"

namespace forebay::storage {
namespace {

// A prefix with an object below it; where the store has directories, one that is empty, too.
Result<Entry> find_folder(ObjectStore& store, std::string key, const CallContext& context) {
  key = as_folder_key(std::move(key));
  Entry folder{.is_folder = true, .stat = {.key = key}};
  const bool has_directories = store.features().has_directories;
  if (!has_directories) {
    const ListRequest first = {.prefix = key, .delimiter = "/", .page_entries = 1, .names_only = true};
    FOREBAY_ASSIGN_OR_RETURN(const ListPage page, list_now(store, first, context));
    if (key.empty() || page.objects.size() + page.prefixes.size() > 0) {
      return folder;
    }
  }
  Result<ObjectStat> stat = stat_now(store, key, context);
  if (stat.ok()) {
    folder.stat = *std::move(stat);
    return folder;
  }
  return stat.status();
}

bool is_absence(const Status& status) {
  return status.code() == StatusCode::kNotFound || status.code() == StatusCode::kInvalidArgument;
}

}  // namespace

std::string as_folder_key(std::string key) {
  if (!key.empty() && !key.ends_with('/')) {
    key += '/';
  }
  return key;
}

Result<Entry> find_entry(ObjectStore& store, const std::string& key, const CallContext& context) {
  if (key.empty() || key.ends_with('/')) {
    return find_folder(store, key, context);
  }
  Result<ObjectStat> stat = stat_now(store, key, context);
  if (stat.ok()) {
    return Entry{.stat = *std::move(stat)};
  }
  if (!is_absence(stat.status())) {
    return stat.status();
  }
  Result<Entry> folder = find_folder(store, key, context);
  if (folder.ok() || !is_absence(folder.status())) {
    return folder;
  }
  return not_found("{}: no such object or folder", store.uri_of(key));
}

}  // namespace forebay::storage
