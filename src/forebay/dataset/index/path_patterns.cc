#include "forebay/dataset/index/path_patterns.h"

#include <fmt/format.h>
#include <fnmatch.h>
#include <locale.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "forebay/dataset/index/braces.h"
#include "forebay/dataset/opening.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/uri.h"

namespace forebay::dataset {
namespace {

constexpr std::string_view kWildcards = "*?[";
constexpr std::string_view kPlainCharacters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.";

/// A path or URI, divided into what may be a pattern and what may not.
struct PatternParts {
  size_t path_begin = 0;   // behind the scheme and the authority
  std::string_view text;   // up to the query
  std::string_view query;  // with its question mark
};

PatternParts parts_of_pattern(std::string_view path) {
  PatternParts parts{.path_begin = 0, .text = path, .query = {}};
  const Result<storage::Uri> uri = storage::parse_uri(path);
  if (!uri.ok() || uri->is_plain_path) {
    return parts;
  }
  parts.path_begin = std::min(path.find('/', path.find("://") + 3), path.size());
  constexpr std::string_view kWithQuery[] = {"http", "https", "az", "abfs", "webhdfs", "swebhdfs"};
  if (std::ranges::find(kWithQuery, uri->scheme) != std::end(kWithQuery)) {
    const size_t mark = std::min(path.find('?', parts.path_begin), path.size());
    parts.text = path.substr(0, mark);
    parts.query = path.substr(mark);
  }
  return parts;
}

/// Where the part of the path with the first wildcard begins and ends.
std::optional<std::pair<size_t, size_t>> wild_part(std::string_view text, size_t from) {
  const size_t wildcard = text.find_first_of(kWildcards, from);
  if (wildcard == std::string_view::npos) {
    return std::nullopt;
  }
  const size_t slash = text.rfind('/', wildcard);
  const size_t begin = slash == std::string_view::npos ? 0 : slash + 1;
  return std::pair(begin, std::min(text.find('/', wildcard), text.size()));
}

Result<bool> is_object_there(const std::string& path, const storage::StoreRegistry& registry) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry.resolve(path));
  const Status status = storage::stat_now(*address.store, address.key, opening()).status();
  return status.ok() || is_of_object(status) ? Result<bool>(status.ok()) : status;
}

/// Whether a name matches, character by character of UTF-8, whatever the process's language is: all ranks
/// find the same files. Nothing is an escape.
bool matches(const std::string& pattern, const std::string& name) {
  static const locale_t utf8 = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr));
  const locale_t before = utf8 == nullptr ? nullptr : ::uselocale(utf8);
  const bool is_match = ::fnmatch(pattern.c_str(), name.c_str(), FNM_PERIOD | FNM_NOESCAPE) == 0;
  if (before != nullptr) {
    ::uselocale(before);
  }
  return is_match;
}

/// Finds what wildcards match.
class Wildcards {
 public:
  Wildcards(const storage::StoreRegistry& registry, std::string_view pattern, std::string_view query,
            size_t most)
      : registry_(registry), pattern_(pattern), query_(query), most_(most) {}

  /// Appends what `text` matches, whose wildcards begin behind `from`.
  Status find(const std::string& text, size_t from, std::vector<std::string>* found) const {
    const auto part = wild_part(text, from);
    if (!part) {
      return take(text, found);
    }
    const auto [begin, end] = *part;
    const std::string folder = text.substr(0, begin);
    const std::string rest = text.substr(end);
    FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> names,
                             names_in(folder, text.substr(begin, end - begin), !rest.empty()));
    for (const std::string& name : names) {
      const std::string matched = storage::join_path(folder, name);
      if (rest.empty()) {
        found->push_back(matched + std::string(query_));
        FOREBAY_RETURN_IF_ERROR(check_count(*found));
      } else {
        FOREBAY_RETURN_IF_ERROR(find(matched + rest, matched.size(), found));
      }
    }
    return ok_status();
  }

 private:
  Status check_count(const std::vector<std::string>& found) const {
    return found.size() <= most_ ? ok_status()
                                 : invalid_argument("'{}' matches more than {} files",
                                                    storage::uri_for_message(pattern_), most_);
  }

  /// A path whose folders have matched.
  Status take(const std::string& text, std::vector<std::string>* found) const {
    std::string path = text + std::string(query_);
    FOREBAY_ASSIGN_OR_RETURN(const bool is_there, is_object_there(path, registry_));
    if (is_there) {
      found->push_back(std::move(path));
    }
    return check_count(*found);
  }

  /// The names in a folder that match, sorted: of folders, or of objects. One that is `pattern` itself goes
  /// alone.
  Result<std::vector<std::string>> names_in(const std::string& folder, const std::string& pattern,
                                            bool is_of_folders) const {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address,
                             registry_.resolve((folder.empty() ? "./" : folder) + std::string(query_)));
    const std::string key = storage::as_folder_key(address.key);
    const storage::ListRequest request = {
        .prefix = key + pattern.substr(0, pattern.find_first_not_of(kPlainCharacters)),
        .delimiter = "/",
        .names_only = true};
    std::vector<std::string> names;
    std::optional<std::string> exact;
    const auto look_at = [&](std::string_view entry) -> Status {
      const std::string_view part =
          entry.substr(key.size(), entry.size() - key.size() - (is_of_folders ? 1 : 0));
      const std::string name = address.store->name_of(part);
      if (name == pattern) {
        exact = std::string(part);
      }
      if (!part.empty() && !part.ends_with('/') && matches(pattern, name)) {
        names.push_back(std::string(part));
      }
      return names.size() <= most_ ? ok_status() : check_count(names);
    };
    const Status listed = storage::list_pages_now(
        *address.store, request,
        [&](const storage::ListPage& page) -> Status {
          for (const std::string& prefix : page.prefixes) {
            FOREBAY_RETURN_IF_ERROR(is_of_folders ? look_at(prefix) : ok_status());
          }
          for (const storage::ObjectStat& object : page.objects) {
            FOREBAY_RETURN_IF_ERROR(is_of_folders ? ok_status() : look_at(object.key));
          }
          return ok_status();
        },
        opening());
    if (listed.code() != StatusCode::kNotFound) {
      FOREBAY_RETURN_IF_ERROR(annotate(listed, fmt::format("'{}'", storage::uri_for_message(pattern_))));
    }
    if (exact) {
      return std::vector<std::string>{*exact};
    }
    std::ranges::sort(names);
    return names;
  }

  const storage::StoreRegistry& registry_;
  const std::string_view pattern_;
  const std::string_view query_;
  const size_t most_;
};

/// Appends what one path stands for.
Status expand_path(const std::string& path, const storage::StoreRegistry& registry, size_t most,
                   std::vector<std::string>* all) {
  const PatternParts parts = parts_of_pattern(path);
  const bool is_of_many_hosts = parts.text.find('{') < parts.path_begin;
  FOREBAY_ASSIGN_OR_RETURN(const bool is_itself,
                           is_of_many_hosts ? Result<bool>(false) : is_object_there(path, registry));
  if (is_itself) {
    all->push_back(path);
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<std::string> texts, expand_braces(parts.text, most));
  for (const std::string& text : texts) {
    const size_t from = parts_of_pattern(text).path_begin;
    std::string whole = text + std::string(parts.query);
    if (!wild_part(text, from)) {
      all->push_back(std::move(whole));
      continue;
    }
    FOREBAY_ASSIGN_OR_RETURN(const bool is_there,
                             texts.size() > 1 ? is_object_there(whole, registry) : Result<bool>(false));
    if (is_there) {
      all->push_back(std::move(whole));
      continue;
    }
    const size_t before = all->size();
    FOREBAY_RETURN_IF_ERROR(Wildcards(registry, whole, parts.query, most).find(text, from, all));
    if (all->size() == before) {
      return not_found("'{}' matches no file", storage::uri_for_message(whole));
    }
  }
  return ok_status();
}

bool is_pattern(const std::string& path) {
  const PatternParts parts = parts_of_pattern(path);
  return parts.text.find('{') != std::string_view::npos ||
         wild_part(parts.text, parts.path_begin).has_value();
}

std::string_view stem_of(std::string_view name) {
  return name.substr(0, name.rfind('.'));
}

bool has_wildcard(const std::string& path) {
  const PatternParts parts = parts_of_pattern(path);
  return wild_part(parts.text, parts.path_begin).has_value();
}

}  // namespace

bool has_pattern(const std::vector<std::string>& paths) {
  return std::ranges::any_of(paths, is_pattern);
}

Status expand_shards(std::vector<std::string>* paths, std::vector<std::string>* index_paths,
                     const storage::StoreRegistry& registry) {
  if (has_pattern(*paths) || has_pattern(*index_paths)) {
    FOREBAY_ASSIGN_OR_RETURN(*paths, expand_paths(*paths, registry));
    FOREBAY_ASSIGN_OR_RETURN(*index_paths, expand_index_paths(*index_paths, *paths, registry));
  }
  return ok_status();
}

Result<std::vector<std::string>> expand_index_paths(const std::vector<std::string>& index_paths,
                                                    const std::vector<std::string>& paths,
                                                    const storage::StoreRegistry& registry) {
  FOREBAY_ASSIGN_OR_RETURN(std::vector<std::string> expanded, expand_paths(index_paths, registry));
  if (std::ranges::none_of(index_paths, has_wildcard) || expanded.size() != paths.size()) {
    return expanded;
  }
  std::map<std::string, const std::string*, std::less<>> by_stem;
  for (const std::string& index_path : expanded) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string name, file_name_of(index_path, registry));
    by_stem[std::string(stem_of(name))] = &index_path;
  }
  std::vector<std::string> in_order;
  for (const std::string& path : paths) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string name, file_name_of(path, registry));
    const auto whole = by_stem.find(name);
    const auto found = whole == by_stem.end() ? by_stem.find(stem_of(name)) : whole;
    if (found == by_stem.end()) {
      return invalid_argument("'{}': no index file of its name is among those that match",
                              storage::uri_for_message(path));
    }
    in_order.push_back(*found->second);
  }
  return in_order;
}

Result<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths,
                                              const storage::StoreRegistry& registry, size_t most) {
  std::vector<std::string> all;
  for (const std::string& path : paths) {
    if (is_pattern(path)) {
      FOREBAY_RETURN_IF_ERROR(expand_path(path, registry, most, &all));
    } else {
      all.push_back(path);
    }
    if (all.size() > most) {
      return invalid_argument("'{}': more than {} paths", storage::uri_for_message(path), most);
    }
  }
  return all;
}

Result<std::string> file_name_of(const std::string& path, const storage::StoreRegistry& registry) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, registry.resolve(path));
  const std::string_view query = parts_of_pattern(path).query;
  std::string_view key = address.key;
  if (key.ends_with(query)) {
    key.remove_suffix(query.size());
  }
  return address.store->name_of(storage::base_name(key));
}

}  // namespace forebay::dataset
