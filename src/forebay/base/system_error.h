// What the operating system said, beside the code that fits it best: a full disk and an exhausted budget
// share a code and are not the same to a user.
#pragma once

#include <optional>

#include "forebay/base/status.h"

namespace forebay {

/// The errno that errno_status() made `status` of, if it did.
std::optional<int> errno_of(const Status& status);

}  // namespace forebay
