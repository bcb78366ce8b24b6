// How long reads are tried again, as an option of stores.
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "forebay/base/status.h"
#include "forebay/storage/remote/environment.h"
#include "forebay/storage/remote/retried_call.h"
#include "forebay/storage/store_option.h"

namespace forebay::storage {

/// retry_for.
StoreOptionSpec retry_option();

/// Nanoseconds. invalid_argument for what is no number of seconds from 0 to 10^9.
Result<int64_t> parse_patience(const std::string& seconds);

/// RetryOptions::patience_ns: the option retry_for, else FOREBAY_RETRY_FOR, else ten minutes.
Result<int64_t> patience_of(const StoreOptions& options, const Environment& environment);

/// `table` with retry_option(), for options that have `retries`.
template <class Options>
OptionTable<Options> with_retry_option(OptionTable<Options> table) {
  table.push_back({retry_option(), [](Options& options, const std::string& value) {
                     FOREBAY_ASSIGN_OR_RETURN(options.retries.patience_ns, parse_patience(value));
                     return ok_status();
                   }});
  return table;
}

}  // namespace forebay::storage
