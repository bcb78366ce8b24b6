#include "forebay/storage/remote/rate_options.h"

#include <charconv>
#include <cmath>

namespace forebay::storage {
namespace {

Result<double> take_rate(StoreOptions* options, std::string_view name) {
  const auto found = options->find(name);
  if (found == options->end()) {
    return 0.0;
  }
  const std::string text = found->second;
  options->erase(found);
  double rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(rate) || rate <= 0) {
    return invalid_argument("{}: '{}' is no positive number", name, text);
  }
  return rate;
}

}  // namespace

std::vector<StoreOptionSpec> rate_option_specs() {
  return {{"requests_per_second", "most requests a second that this process sends to the store"},
          {"bytes_per_second", "most bytes a second that this process moves from and to the store"}};
}

Result<RateLimits> take_rate_limits(StoreOptions* options) {
  RateLimits limits;
  FOREBAY_ASSIGN_OR_RETURN(limits.requests_per_second, take_rate(options, "requests_per_second"));
  FOREBAY_ASSIGN_OR_RETURN(limits.bytes_per_second, take_rate(options, "bytes_per_second"));
  return limits;
}

}  // namespace forebay::storage
