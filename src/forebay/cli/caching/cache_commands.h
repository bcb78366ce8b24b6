// The commands below `forebay cache`, a file each, and what they share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/cache/host/host_client.h"
#include "forebay/cli/command.h"
#include "forebay/storage/object_store.h"

namespace forebay::cli {

void add_cache_status(CLI::App& cache, Invocation& invocation);
void add_cache_verify(CLI::App& cache, Invocation& invocation);
void add_cache_free(CLI::App& cache, Invocation& invocation);
void add_cache_pin(CLI::App& cache, Invocation& invocation);
void add_cache_unpin(CLI::App& cache, Invocation& invocation);
void add_cache_rule(CLI::App& cache, Invocation& invocation);
void add_cache_metrics(CLI::App& cache, Invocation& invocation);
void add_cache_flush(CLI::App& cache, Invocation& invocation);

/// The connection to the daemon that serves here. Commands that look at the cache start none.
Result<std::shared_ptr<cache::HostClient>> connect_to_cache();

/// `forebay cache status PATH`.
Status print_share_held(const std::string& path, bool as_json);

/// A part of what a name stands for, as the cache knows it.
struct CachePlace {
  std::string uri;  // empty: all that it holds
  storage::ObjectAddress address;
  bool is_cached = false;  // as it is mounted now
};

/// What a path or URI names: the place itself, and the mounts below it.
Result<std::vector<CachePlace>> cache_places(const std::string& name);

/// Those of them that are cached; invalid_argument if none is.
Result<std::vector<CachePlace>> cached_places(const std::string& name);

/// A walk through what the daemon holds of places, until a signal ends it; `doing` names its progress bar.
Result<cache::CacheWalked> walk_cache(cache::WalkKind kind, const std::vector<CachePlace>& places,
                                      const std::string& doing);

/// An error if there are entries that nothing is known of, which must not look like sound or freed ones.
Status check_readable(const cache::CacheWalked& walked);

}  // namespace forebay::cli
