// forebay cache: what the host's cache holds and does.
#include <CLI/CLI.hpp>

#include "forebay/cache/host/install_host.h"
#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/objects/mount_words.h"
#include "forebay/cli/objects/place.h"
#include "forebay/storage/namespace/mount_database.h"
#include "forebay/storage/store_registry.h"

namespace forebay::cli {

Result<std::shared_ptr<cache::HostClient>> connect_to_cache() {
  FOREBAY_ASSIGN_OR_RETURN(const std::string socket, cache::host_socket());
  Result<std::shared_ptr<cache::HostClient>> client = cache::HostClient::connect(socket);
  if (!client.ok()) {
    return annotate(client.status(), "no cache is served here; `forebay daemon` serves one");
  }
  return client;
}

namespace {

/// The scheme of a store's URI; local files are named by their paths.
std::string_view scheme_of(std::string_view uri) {
  const size_t end = uri.find("://");
  return end == std::string_view::npos ? "file" : uri.substr(0, end);
}

/// `options` are those of the mount that it lies in.
CachePlace cache_place(const storage::ObjectAddress& address, const storage::StoreOptions& options) {
  CachePlace place = {.uri = address.store->uri_of(address.key), .address = address};
  const std::string_view scheme = scheme_of(place.uri);
  place.is_cached = scheme != "forebay" && storage::is_cached(scheme, options);  // a namespace holds no bytes
  return place;
}

}  // namespace

Result<std::vector<CachePlace>> cache_places(const std::string& name) {
  storage::default_registry().decorate({});  // nothing is read, so no daemon is wanted
  FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress address, resolve(name));
  const Result<std::string> path = mount_path(name);
  if (!path.ok()) {
    return std::vector{cache_place(address, {})};  // the URI of a store, where nothing is mounted
  }
  storage::MountDatabase database(storage::process_mounts());
  FOREBAY_ASSIGN_OR_RETURN(const storage::MountTableRef table, database.table());
  const std::string key = path->substr(1);
  const storage::MountEntry* const around = table->covering(key);
  std::vector<CachePlace> places = {cache_place(address, around ? around->options : storage::StoreOptions())};
  for (const storage::MountEntry* const mount : table->below(storage::as_folder_key(key))) {
    FOREBAY_ASSIGN_OR_RETURN(const storage::ObjectAddress mounted, resolve(mount->path));
    places.push_back(cache_place(mounted, mount->options));
  }
  return places;
}

Result<std::vector<CachePlace>> cached_places(const std::string& name) {
  FOREBAY_ASSIGN_OR_RETURN(std::vector<CachePlace> places, cache_places(name));
  std::erase_if(places, [](const CachePlace& place) { return !place.is_cached; });
  if (places.empty()) {
    return invalid_argument(
        "{}: the host's cache holds far data, as of s3:// or https://, and folders that were mounted by "
        "`forebay mount PATH FOLDER --option cache=on`",
        name);
  }
  return places;
}

void add_cache(CLI::App& program, Invocation& invocation) {
  CLI::App* command = program.add_subcommand("cache", "What the host's cache holds and does");
  command->require_subcommand(1);
  add_cache_status(*command, invocation);
  add_cache_verify(*command, invocation);
  add_cache_free(*command, invocation);
  add_cache_pin(*command, invocation);
  add_cache_unpin(*command, invocation);
  add_cache_rule(*command, invocation);
  add_cache_metrics(*command, invocation);
  add_cache_flush(*command, invocation);
}

}  // namespace forebay::cli
