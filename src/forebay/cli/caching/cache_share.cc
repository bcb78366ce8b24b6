// forebay cache status PATH: how much of what is there the host's cache holds.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/objects/json_text.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/cli/progress_bar.h"
#include "forebay/cli/size_text.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/uri.h"

namespace forebay::cli {
namespace {

using cache::CacheWalked;

struct Stored {
  uint64_t objects = 0;
  uint64_t bytes = 0;
};

/// What lies at an address, by a listing of its store.
Status count_stored(const storage::ObjectAddress& address, const storage::CallContext& context,
                    ProgressBar& bar, Stored* stored) {
  FOREBAY_ASSIGN_OR_RETURN(const storage::Entry entry,
                           storage::find_entry(*address.store, address.key, context));
  if (!entry.is_folder) {
    ++stored->objects;
    stored->bytes += entry.stat.size_bytes;
    return ok_status();
  }
  const auto count = [&](const storage::ListPage& page) {
    for (const storage::ObjectStat& object : page.objects) {
      stored->bytes += object.size_bytes;
    }
    stored->objects += page.objects.size();
    bar.show(0, fmt::format("{} objects, {}", stored->objects, size_text(stored->bytes)));
    return ok_status();
  };
  return storage::list_pages_now(*address.store, {.prefix = storage::as_folder_key(address.key)}, count,
                                 context);
}

Result<Stored> count_stored(const std::vector<CachePlace>& places) {
  const StopOnSignal stop;
  ProgressBar bar("listing", 1);
  Stored stored;
  for (const CachePlace& place : places) {
    FOREBAY_RETURN_IF_ERROR(count_stored(place.address, {.cancellation = stop.token()}, bar, &stored));
  }
  return stored;
}

nlohmann::json json_of(const Stored& stored, const CacheWalked& held) {
  return {{"objects", stored.objects}, {"bytes", stored.bytes},         {"held_entries", held.entries},
          {"held_bytes", held.bytes},  {"pinned_entries", held.pinned}, {"unreadable", held.unreadable}};
}

std::string text_of(const std::string& path, const Stored& stored, const CacheWalked& held) {
  std::string text = fmt::format("{}: {} of {} held", storage::uri_for_message(path), size_text(held.bytes),
                                 size_text(stored.bytes));
  if (stored.bytes > 0) {
    text += fmt::format(" ({:.1f} %)",
                        100.0 * static_cast<double>(held.bytes) / static_cast<double>(stored.bytes));
  }
  text += fmt::format("; {} objects there, {} entries held", stored.objects, held.entries);
  return held.pinned == 0 ? text : text + fmt::format(", {} of them pinned", held.pinned);
}

}  // namespace

Status print_share_held(const std::string& path, bool as_json) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<CachePlace> places, cached_places(path));
  FOREBAY_ASSIGN_OR_RETURN(const CacheWalked held, walk_cache(cache::WalkKind::kCount, places, "counting"));
  FOREBAY_ASSIGN_OR_RETURN(const Stored stored, count_stored(places));
  fmt::print("{}\n", as_json ? json_line(json_of(stored, held)) : text_of(path, stored, held));
  return check_readable(held);
}

}  // namespace forebay::cli
