// The rate limits of a store as options, by name.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/storage/remote/rate_limiter.h"
#include "forebay/storage/store_option.h"

namespace forebay::storage {

/// The option of stores that stand for no place of their own, as files do: those that give the same word
/// share their limits.
inline constexpr std::string_view kLimitsSharedAs = "limits_shared_as";

/// requests_per_second and bytes_per_second, and the field of each.
std::vector<std::pair<StoreOptionSpec, double RateLimits::*>> rate_options();

/// invalid_argument for what is no positive number.
Result<double> parse_rate(std::string_view name, const std::string& text);

/// `table` with rate_options(), for options that have `limits`.
template <class Options>
OptionTable<Options> with_rate_options(OptionTable<Options> table) {
  for (auto& [spec, field] : rate_options()) {
    table.push_back({spec, [name = spec.name, field = field](Options& options, const std::string& value) {
                       FOREBAY_ASSIGN_OR_RETURN(options.limits.*field, parse_rate(name, value));
                       return ok_status();
                     }});
  }
  return table;
}

/// Whether stores that take these options take rate_options(), too.
bool takes_rate_limits(const std::vector<StoreOptionSpec>& options);

/// Puts `limits` into `options`. Where these have a limit already, the lower one stays; one that is no number
/// stays, too, for parse_rate() to refuse.
void add_rate_limits(const RateLimits& limits, StoreOptions* options);

}  // namespace forebay::storage
