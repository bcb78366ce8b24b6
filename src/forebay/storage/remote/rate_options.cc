#include "forebay/storage/remote/rate_options.h"

#include <optional>
#include <string>
#include <string_view>

#include "fmt/format.h"

namespace forebay::storage {
namespace {

constexpr std::string_view kRequests = "requests_per_second";
constexpr std::string_view kBytes = "bytes_per_second";

std::optional<double> rate_in(const std::string& text) {
  const std::optional<double> rate = number_in(text);
  return rate && *rate > 0 ? rate : std::nullopt;
}

void add_rate(double rate, std::string_view name, StoreOptions* options) {
  if (rate <= 0) {
    return;
  }
  const auto [known, is_new] = options->try_emplace(std::string(name), fmt::format("{}", rate));
  if (!is_new && rate_in(known->second).value_or(0) > rate) {
    known->second = fmt::format("{}", rate);
  }
}

}  // namespace

std::vector<std::pair<StoreOptionSpec, double RateLimits::*>> rate_options() {
  return {{{.name = std::string(kRequests),
            .help = "most requests a second that the store gets, from all readers of the host",
            .type = "number",
            .by_default = "no limit"},
           &RateLimits::requests_per_second},
          {{.name = std::string(kBytes),
            .help = "most bytes a second that move, for all readers of the host",
            .type = "number",
            .by_default = "no limit"},
           &RateLimits::bytes_per_second}};
}

Result<double> parse_rate(std::string_view name, const std::string& text) {
  const std::optional<double> rate = rate_in(text);
  return rate ? Result<double>(*rate) : invalid_argument("{}: '{}' is not a positive number", name, text);
}

bool takes_rate_limits(const std::vector<StoreOptionSpec>& options) {
  return takes_option(options, kBytes);
}

void add_rate_limits(const RateLimits& limits, StoreOptions* options) {
  add_rate(limits.requests_per_second, kRequests, options);
  add_rate(limits.bytes_per_second, kBytes, options);
}

}  // namespace forebay::storage
