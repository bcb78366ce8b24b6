// How a data set asks its stores while it is opened, and what it says when it finds nothing.
#pragma once

#include <string_view>

#include "forebay/base/status.h"
#include "forebay/storage/context.h"

namespace forebay::dataset {

/// What is asked so is tried again for as long as the samples will be: to a job, an outage while it looks for
/// its data is no worse than one while it reads them.
inline storage::CallContext opening() {
  return {.is_for_read = true};
}

/// Whether this error is of one object alone, and would recur on the next read, like that of any broken
/// sample.
inline bool is_of_object(const Status& status) {
  return status.code() == StatusCode::kNotFound || status.code() == StatusCode::kPermissionDenied ||
         status.code() == StatusCode::kDataLoss;
}

/// The error of a data set that is there and has no samples: the same of every source. `where`: as messages
/// may show it; `why` may be empty.
inline Status no_samples(std::string_view where, std::string_view why = {}) {
  return not_found("{}: no samples found{}{}", where, why.empty() ? "" : ": ", why);
}

}  // namespace forebay::dataset
