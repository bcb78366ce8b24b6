// forebay cache status PATH: how much of what is there the host's cache holds.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "forebay/cli/caching/cache_commands.h"
#include "forebay/cli/command/json_text.h"
#include "forebay/cli/command/progress_bar.h"
#include "forebay/cli/command/size_text.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/control/cache_walks.h"
#include "forebay/storage/uri.h"

namespace forebay::cli {
namespace {

using control::ShareHeld;

nlohmann::json json_of(const ShareHeld& share) {
  return {{"objects", share.stored.objects},         {"bytes", share.stored.bytes},
          {"held_entries", share.held.entries},      {"held_bytes", share.held.bytes},
          {"pinned_entries", share.held.pinned},     {"unreadable", share.held.unreadable},
          {"uncached_mounts", share.uncached_mounts}};
}

std::string text_of(const std::string& path, const ShareHeld& share) {
  std::string text = fmt::format("{}: {} of {} held", storage::uri_for_message(path),
                                 size_text(share.held.bytes), size_text(share.stored.bytes));
  if (share.stored.bytes > 0) {
    text += fmt::format(" ({:.1f} %)", 100.0 * static_cast<double>(share.held.bytes) /
                                           static_cast<double>(share.stored.bytes));
  }
  text += fmt::format("; {} there, {} held", count_text(share.stored.objects, "object", "objects"),
                      count_text(share.held.entries, "entry", "entries"));
  if (share.held.pinned > 0) {
    text += fmt::format(", {} of them pinned", share.held.pinned);
  }
  if (share.uncached_mounts > 0) {
    text +=
        fmt::format("; {} not cached, and left out", count_text(share.uncached_mounts, "mount", "mounts"));
  }
  return text;
}

}  // namespace

Status print_share_held(const std::string& path, bool as_json) {
  const StopOnSignal stop;
  ProgressBar bar("counting", 1);
  control::WalkWatcher watcher = walk_watcher(stop, bar);
  watcher.on_page = [&bar](const storage::Total& so_far) {
    bar.show(0, fmt::format("{} listed, {}", count_text(so_far.objects, "object", "objects"),
                            size_text(so_far.bytes)));
  };
  FOREBAY_ASSIGN_OR_RETURN(const ShareHeld share, control::share_held(path, watcher));
  fmt::print("{}\n", as_json ? json_line(json_of(share)) : text_of(path, share));
  return control::check_readable(share.held);
}

}  // namespace forebay::cli
