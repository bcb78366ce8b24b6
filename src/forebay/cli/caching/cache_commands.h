// The commands below `forebay cache`, a file each, and what they share.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/cache/host/host_client.h"
#include "forebay/cli/command.h"

namespace forebay::cli {

void add_cache_status(CLI::App& cache, Invocation& invocation);
void add_cache_verify(CLI::App& cache, Invocation& invocation);
void add_cache_free(CLI::App& cache, Invocation& invocation);
void add_cache_pin(CLI::App& cache, Invocation& invocation);
void add_cache_unpin(CLI::App& cache, Invocation& invocation);
void add_cache_rule(CLI::App& cache, Invocation& invocation);
void add_cache_flush(CLI::App& cache, Invocation& invocation);

/// The connection to the daemon that serves here. Commands that look at the cache start none.
Result<std::shared_ptr<cache::HostClient>> connect_to_cache();

/// A part of what a name stands for, as the cache knows it.
struct CachePlace {
  std::string uri;
  bool is_cached = false;  // as it is mounted now
};

/// What a path or URI names: the place itself, and the mounts below it.
Result<std::vector<CachePlace>> cache_places(const std::string& name);

}  // namespace forebay::cli
