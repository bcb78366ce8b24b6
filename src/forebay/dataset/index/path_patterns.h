// Paths and URIs that stand for several: s-{000..099}.tar, s3://bucket/train/s-*.tar.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::dataset {

/// So many paths may come of one list.
inline constexpr size_t kMaxPaths = 1 << 20;

/// Whether one of the paths has a character that may make it stand for others.
bool has_pattern(const std::vector<std::string>& paths);

/// Each path in its place: itself if it is an object's or has no pattern, else what its braces give in their
/// order, and of each of those with a wildcard (*, ?, [...], none of which is a slash or a dot that a name
/// begins with) the objects that match it, sorted. Lists folders; blocks. Not in the query of a URL.
/// not_found if a wildcard matches nothing, invalid_argument for more than `most` paths.
Result<std::vector<std::string>> expand_paths(const std::vector<std::string>& paths,
                                              const storage::StoreRegistry& registry,
                                              size_t most = kMaxPaths);

/// Replaces shards and their index files, if there are any, by the files that they stand for.
Status expand_shards(std::vector<std::string>* paths, std::vector<std::string>* index_paths,
                     const storage::StoreRegistry& registry);

/// As expand_paths(), for index files of `paths`. Where wildcards find them, each path gets the one of its
/// name, with another extension or one more; invalid_argument if there is none.
Result<std::vector<std::string>> expand_index_paths(const std::vector<std::string>& index_paths,
                                                    const std::vector<std::string>& paths,
                                                    const storage::StoreRegistry& registry);

/// The name of a path's file as people write it: without folders, escapes of its URL, and what follows its
/// name there, such as tokens.
Result<std::string> file_name_of(const std::string& path, const storage::StoreRegistry& registry);

}  // namespace forebay::dataset
