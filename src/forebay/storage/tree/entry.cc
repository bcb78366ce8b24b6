#include "forebay/storage/tree/entry.h"

#include <utility>

#include "forebay/storage/blocking.h"

namespace forebay::storage {
namespace {

bool is_absence(const Status& status) {
  return status.code() == StatusCode::kNotFound;
}

Result<bool> has_entries(ObjectStore& store, const std::string& folder, const CallContext& context) {
  const ListRequest first = {.prefix = folder, .delimiter = "/", .page_entries = 1, .names_only = true};
  FOREBAY_ASSIGN_OR_RETURN(const ListPage page, list_now(store, first, context));
  return page.objects.size() + page.prefixes.size() > 0;
}

// A directory, or a prefix with an object below it. A store with directories is asked for those first; but a
// folder above mounts need not be one.
Result<Entry> find_folder(ObjectStore& store, const std::string& key, const CallContext& context) {
  const Entry folder{.is_folder = true, .stat = {.key = key}};
  const auto as_prefix = [&]() -> Result<bool> {
    FOREBAY_ASSIGN_OR_RETURN(const bool is_prefix, has_entries(store, key, context));
    return is_prefix || key.empty();
  };
  const bool has_directories = store.features().has_directories;
  if (has_directories && key.empty()) {
    return folder;
  }
  if (!has_directories) {
    FOREBAY_ASSIGN_OR_RETURN(const bool is_prefix, as_prefix());
    if (is_prefix) {
      return folder;
    }
  }
  Result<ObjectStat> stat = stat_now(store, key, context);
  if (stat.ok()) {
    return Entry{.is_folder = true, .stat = *std::move(stat)};
  }
  if (has_directories && is_absence(stat.status())) {
    FOREBAY_ASSIGN_OR_RETURN(const bool is_prefix, as_prefix());
    if (is_prefix) {
      return folder;
    }
  }
  return stat.status();
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
  Result<Entry> folder = find_folder(store, as_folder_key(key), context);
  if (folder.ok() || !is_absence(folder.status())) {
    return folder;
  }
  return not_found("{}: no such object or folder", store.uri_of(key));
}

}  // namespace forebay::storage
