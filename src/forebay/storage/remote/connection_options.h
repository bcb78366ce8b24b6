// The options that all stores behind a network have.
#pragma once

#include <utility>

#include "forebay/storage/remote/rate_options.h"
#include "forebay/storage/remote/retry_options.h"

namespace forebay::storage {

/// `table` with rate_options() and retry_option(), for options that have `limits` and `retries`.
template <class Options>
OptionTable<Options> with_connection_options(OptionTable<Options> table) {
  return with_retry_option(with_rate_options(std::move(table)));
}

}  // namespace forebay::storage
