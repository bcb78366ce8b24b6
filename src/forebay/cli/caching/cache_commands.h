// The commands below `forebay cache`, a file each, and what they share.
#pragma once

#include <string>

#include "forebay/cli/command/command.h"
#include "forebay/cli/command/progress_bar.h"
#include "forebay/cli/command/stop_on_signal.h"
#include "forebay/control/cache_walks.h"

namespace forebay::cli {

void add_cache_status(CLI::App& cache, Invocation& invocation);
void add_cache_verify(CLI::App& cache, Invocation& invocation);
void add_cache_free(CLI::App& cache, Invocation& invocation);
void add_cache_pin(CLI::App& cache, Invocation& invocation);
void add_cache_unpin(CLI::App& cache, Invocation& invocation);
void add_cache_rule(CLI::App& cache, Invocation& invocation);
void add_cache_metrics(CLI::App& cache, Invocation& invocation);
void add_cache_flush(CLI::App& cache, Invocation& invocation);

/// `forebay cache status PATH`.
Status print_share_held(const std::string& path, bool as_json);

/// A walk that a signal ends and `bar` shows; both must outlive it.
control::WalkWatcher walk_watcher(const StopOnSignal& stop, ProgressBar& bar);

}  // namespace forebay::cli
