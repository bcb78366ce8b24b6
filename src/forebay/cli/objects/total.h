// How much lies at an address.
#pragma once

#include <cstdint>

#include "forebay/cli/progress_bar.h"
#include "forebay/storage/tree/entry.h"

namespace forebay::cli {

struct Total {
  uint64_t objects = 0;
  uint64_t bytes = 0;
};

/// Adds what is there: the object, or what a listing names below the folder, which `bar` shows as it comes.
/// Blocks.
Status add_to_total(const storage::ObjectAddress& address, const storage::Entry& entry,
                    const storage::CallContext& context, ProgressBar& bar, Total* total);

}  // namespace forebay::cli
