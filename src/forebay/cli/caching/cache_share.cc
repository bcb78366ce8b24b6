// forebay cache status PATH: how much of what is there the host's cache holds.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/objects/json_text.h"
#include "forebay/cli/objects/stop_on_signal.h"
#include "forebay/cli/objects/total.h"
#include "forebay/cli/progress_bar.h"
#include "forebay/cli/size_text.h"
#include "forebay/storage/tree/entry.h"
#include "forebay/storage/uri.h"

namespace forebay::cli {
namespace {

using cache::CacheWalked;

/// What lies at places, by listings of their stores.
Result<Total> count_stored(const std::vector<CachePlace>& places) {
  const StopOnSignal stop;
  const storage::CallContext context = {.cancellation = stop.token()};
  ProgressBar bar("listing", 1);
  Total stored;
  for (const CachePlace& place : places) {
    const storage::ObjectAddress& address = place.address;
    FOREBAY_ASSIGN_OR_RETURN(const storage::Entry entry,
                             storage::find_entry(*address.store, address.key, context));
    FOREBAY_RETURN_IF_ERROR(add_to_total(address, entry, context, bar, &stored));
  }
  return stored;
}

nlohmann::json json_of(const Total& stored, const CacheWalked& held) {
  return {{"objects", stored.objects}, {"bytes", stored.bytes},         {"held_entries", held.entries},
          {"held_bytes", held.bytes},  {"pinned_entries", held.pinned}, {"unreadable", held.unreadable}};
}

std::string text_of(const std::string& path, const Total& stored, const CacheWalked& held) {
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
  FOREBAY_ASSIGN_OR_RETURN(const Total stored, count_stored(places));
  fmt::print("{}\n", as_json ? json_line(json_of(stored, held)) : text_of(path, stored, held));
  return check_readable(held);
}

}  // namespace forebay::cli
