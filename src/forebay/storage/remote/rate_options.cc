#include "forebay/storage/remote/rate_options.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>

#include "fmt/format.h"

namespace forebay::storage {
namespace {

constexpr std::string_view kRequests = "requests_per_second";
constexpr std::string_view kBytes = "bytes_per_second";

std::optional<double> parse_rate(const std::string& text) {
  double rate = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), rate);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(rate) || rate <= 0) {
    return std::nullopt;
  }
  return rate;
}

Result<double> take_rate(StoreOptions* options, std::string_view name) {
  const auto found = options->find(name);
  if (found == options->end()) {
    return 0.0;
  }
  const std::string text = found->second;
  options->erase(found);
  const std::optional<double> rate = parse_rate(text);
  return rate ? Result<double>(*rate) : invalid_argument("{}: '{}' is no positive number", name, text);
}

void add_rate(double rate, std::string_view name, StoreOptions* options) {
  if (rate <= 0) {
    return;
  }
  const auto [known, is_new] = options->try_emplace(std::string(name), fmt::format("{}", rate));
  if (!is_new && parse_rate(known->second).value_or(0) > rate) {
    known->second = fmt::format("{}", rate);
  }
}

}  // namespace

std::vector<StoreOptionSpec> rate_option_specs() {
  return {
      {std::string(kRequests), "most requests a second that the store gets, from all readers of the host"},
      {std::string(kBytes), "most bytes a second that move, for all readers of the host"}};
}

bool takes_rate_limits(const std::vector<StoreOptionSpec>& options) {
  return std::ranges::any_of(options, [](const StoreOptionSpec& option) { return option.name == kBytes; });
}

void add_rate_limits(const RateLimits& limits, StoreOptions* options) {
  add_rate(limits.requests_per_second, kRequests, options);
  add_rate(limits.bytes_per_second, kBytes, options);
}

Result<RateLimits> take_rate_limits(StoreOptions* options) {
  RateLimits limits;
  FOREBAY_ASSIGN_OR_RETURN(limits.requests_per_second, take_rate(options, kRequests));
  FOREBAY_ASSIGN_OR_RETURN(limits.bytes_per_second, take_rate(options, kBytes));
  return limits;
}

}  // namespace forebay::storage
