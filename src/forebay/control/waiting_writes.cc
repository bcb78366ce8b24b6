#include "forebay/control/waiting_writes.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/cache/client/install_host.h"
#include "forebay/cache/client/said_start.h"
#include "forebay/cache/journal/journal.h"
#include "forebay/control/cache_counts.h"
#include "forebay/control/cache_places.h"
#include "forebay/storage/home/forebay_home.h"

namespace forebay::control {
namespace {

constexpr auto kBetweenQuestions = std::chrono::milliseconds(100);

Result<WaitingWrites> ask(cache::HostClient& client, const CachePlaces& places, bool hurries,
                          const std::stop_token& stop) {
  WaitingWrites all;
  for (const CachePlace& place : places) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string text, client.backlog(place.uri, hurries, stop));
    FOREBAY_ASSIGN_OR_RETURN(const nlohmann::json counts, parse_cache_counts(text));
    all.objects += count_in_json(counts, "objects");
    all.failing += count_in_json(counts, "failing");
    const auto error = counts.find("last_error");
    if (error != counts.end() && error->is_string() && !error->get_ref<const std::string&>().empty()) {
      all.last_error = error->get<std::string>();
    }
  }
  return all;
}

/// Without a daemon nothing is stored; if something waits, one is started. Null if nothing waits.
Result<std::shared_ptr<cache::HostClient>> connect_or_start(const std::vector<std::string>& programs,
                                                            const std::stop_token& stop) {
  Result<std::shared_ptr<cache::HostClient>> client = connect_to_cache();
  if (client.ok()) {
    return client;
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string home, storage::forebay_home());
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<cache::JournalWaiting> waiting,
                           cache::list_journal(*cache::host_files(), cache::journal_folder(home)));
  if (waiting.empty()) {
    return std::shared_ptr<cache::HostClient>();
  }
  if (stop.stop_requested()) {
    return cancelled("stopped; {} objects wait to be stored", waiting.size());
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string socket, cache::host_socket());
  FOREBAY_ASSIGN_OR_RETURN(const bool is_started,
                           cache::start_daemon({.home = home, .socket = socket, .programs = programs}));
  client = connect_to_cache();
  if (is_started && client.ok()) {
    cache::say_start(**client);
  }
  return client;
}

}  // namespace

Status Flushed::status() const {
  return left.objects == 0
             ? ok_status()
             : make_status(StatusCode::kDeadlineExceeded, "{} objects still wait to be stored{}{}",
                           left.objects,
                           left.last_error.empty() ? "" : "; the last error: ", left.last_error);
}

Result<Flushed> flush_writes(const FlushRequest& request, const FlushWatcher& watcher) {
  CachePlaces places = {CachePlace{}};
  if (!request.name.empty()) {
    FOREBAY_ASSIGN_OR_RETURN(places, cache_places(request.name));
    places = without_overlaps(std::move(places));
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<cache::HostClient> client,
                           connect_or_start(request.programs, watcher.stop));
  if (!client) {
    return Flushed();
  }
  const int64_t began_ns = steady_clock().now_ns();
  Flushed flushed;
  FOREBAY_ASSIGN_OR_RETURN(flushed.left, ask(*client, places, /*hurries=*/true, watcher.stop));
  const uint64_t first = flushed.left.objects;
  uint64_t most = first;
  while (flushed.left.objects > 0 && steady_clock().now_ns() - began_ns < request.patience_ns) {
    if (watcher.stop.stop_requested()) {
      return cancelled("stopped; {} objects still wait to be stored", flushed.left.objects);
    }
    most = std::max(most, flushed.left.objects);
    if (watcher.on_progress) {
      watcher.on_progress(flushed.left, most);
    }
    std::this_thread::sleep_for(kBetweenQuestions);
    FOREBAY_ASSIGN_OR_RETURN(flushed.left, ask(*client, places, /*hurries=*/false, watcher.stop));
  }
  flushed.stored = first - std::min(first, flushed.left.objects);
  return flushed;
}

}  // namespace forebay::control
