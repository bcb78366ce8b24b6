#include "forebay/control/cache_walks.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "forebay/control/cache_counts.h"

namespace forebay::control {
namespace {

using cache::CacheWalk;
using cache::CacheWalked;
using cache::WalkKind;

Status stopped(const CacheWalked& so_far) {
  return cancelled("stopped; {} {} were looked at", so_far.entries,
                   so_far.entries == 1 ? "entry" : "entries");
}

/// All of a walk below one URI, added to `all`.
Status walk_one(cache::HostClient& client, CacheWalk piece, const WalkWatcher& watcher, CacheWalked* all) {
  do {
    const Result<CacheWalked> walked = client.walk(piece, watcher.stop);
    if (watcher.stop.stop_requested()) {
      return stopped(*all);
    }
    FOREBAY_RETURN_IF_ERROR(walked.status());
    all->add(*walked);
    piece.begin = walked->next;
    piece.end = walked->end;
    if (watcher.on_piece) {
      watcher.on_piece(*all);
    }
  } while (!all->is_over());
  return ok_status();
}

Result<CacheWalked> walk_places(cache::HostClient& client, WalkKind kind, const CachePlaces& places,
                                const WalkWatcher& watcher) {
  CacheWalked all;
  for (const CachePlace& place : places) {
    if (watcher.stop.stop_requested()) {
      return stopped(all);
    }
    FOREBAY_RETURN_IF_ERROR(walk_one(client, {kind, place.uri}, watcher, &all));
  }
  return all;
}

Result<CacheWalked> walk_name(WalkKind kind, const std::string& name, const WalkWatcher& watcher) {
  FOREBAY_ASSIGN_OR_RETURN(CachePlaces places, cache_places(name));
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<cache::HostClient> client, connect_to_cache());
  return walk_places(*client, kind, without_overlaps(std::move(places)), watcher);
}

/// What lies at a place, by a listing of its store. A mount is a folder, whatever its store says of it.
Result<storage::Total> count_at(const CachePlace& place, const WalkWatcher& watcher) {
  const storage::CallContext context = {.cancellation = watcher.stop};
  storage::Entry entry = {.is_folder = true, .stat = {}};
  if (!place.is_mount) {
    FOREBAY_ASSIGN_OR_RETURN(entry, storage::find_entry(*place.address.store, place.address.key, context));
  }
  return storage::count_objects(place.address, entry, context, watcher.on_page);
}

/// The sum; where there is nothing, `absence` says so.
Result<storage::Total> count_stored(const CachePlaces& places, const WalkWatcher& watcher, Status* absence) {
  storage::Total all;
  for (const CachePlace& place : places) {
    const Result<storage::Total> one = count_at(place, watcher);
    if (one.status().code() == StatusCode::kNotFound) {
      *absence = one.status();
      continue;
    }
    FOREBAY_RETURN_IF_ERROR(one.status());
    all.objects += one->objects;
    all.bytes += one->bytes;
  }
  return all;
}

}  // namespace

Result<CacheWalked> verify_held(const std::string& name, const WalkWatcher& watcher) {
  if (!name.empty()) {
    return walk_name(WalkKind::kVerify, name, watcher);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<cache::HostClient> client, connect_to_cache());
  return walk_places(*client, WalkKind::kVerify, {CachePlace{}}, watcher);
}

Result<CacheWalked> free_held(const std::string& name, const WalkWatcher& watcher) {
  return walk_name(WalkKind::kFree, name, watcher);
}

// The stores are listed through the daemon, which is there, so that what waits in its journal is seen.
Result<ShareHeld> share_held(const std::string& name, const WalkWatcher& watcher) {
  FOREBAY_ASSIGN_OR_RETURN(const std::shared_ptr<cache::HostClient> client, connect_to_cache());
  FOREBAY_ASSIGN_OR_RETURN(CachePlaces places, cache_places(name, storage::default_registry()));
  ShareHeld share;
  share.uncached_mounts = static_cast<size_t>(std::ranges::count_if(
      places, [](const CachePlace& place) { return place.is_mount && !place.is_cached; }));
  FOREBAY_ASSIGN_OR_RETURN(places, only_cached(std::move(places), name));
  places = without_overlaps(std::move(places));
  Status absence;
  FOREBAY_ASSIGN_OR_RETURN(share.stored, count_stored(places, watcher, &absence));
  FOREBAY_ASSIGN_OR_RETURN(share.held, walk_places(*client, WalkKind::kCount, places, watcher));
  if (share.held.entries == 0 && share.stored.objects == 0) {
    FOREBAY_RETURN_IF_ERROR(absence);
  }
  return share;
}

Status check_readable(const CacheWalked& walked) {
  return walked.unreadable == 0
             ? ok_status()
             : resource_exhausted(
                   "{} entries could not be read, for the daemon lacked descriptors or memory; "
                   "try again",
                   walked.unreadable);
}

}  // namespace forebay::control
