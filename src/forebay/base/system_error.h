// The original errno of an error. Status codes are coarser: a full disk and an exhausted budget share a code,
// but users must be able to tell them apart.
#pragma once

#include <optional>

#include "forebay/base/status.h"

namespace forebay {

/// The errno that errno_status() made `status` from, if it did.
std::optional<int> errno_of(const Status& status);

}  // namespace forebay
