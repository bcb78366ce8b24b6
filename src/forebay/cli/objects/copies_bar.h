// A progress bar for copies.
#pragma once

#include <functional>

#include "forebay/cli/command/progress_bar.h"
#include "forebay/storage/tree/copies.h"

namespace forebay::cli {

/// Draws on `bar`, which lives longer.
std::function<void(const storage::CopiesProgress& progress)> drawn_on(ProgressBar& bar);

}  // namespace forebay::cli
