// How a data set asks its stores while it is opened.
#pragma once

#include "forebay/storage/context.h"

namespace forebay::dataset {

/// What is asked so is tried again for as long as the samples will be: to a job, an outage while it looks for
/// its data is no worse than one while it reads them.
inline storage::CallContext opening() {
  return {.is_for_read = true};
}

/// Whether this error says that a store could not be asked, and nothing of what there is.
inline bool is_unanswered(const Status& status) {
  return status.code() == StatusCode::kUnavailable || status.code() == StatusCode::kCancelled ||
         status.code() == StatusCode::kDeadlineExceeded;
}

}  // namespace forebay::dataset
