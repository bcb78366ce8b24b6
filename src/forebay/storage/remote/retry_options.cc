#include "forebay/storage/remote/retry_options.h"

#include <optional>

#include "forebay/base/units.h"

namespace forebay::storage {
namespace {

constexpr char kRetryFor[] = "retry_for";
constexpr char kVariable[] = "FOREBAY_RETRY_FOR";
constexpr char kDefaultSeconds[] = "600";
constexpr double kMaxSeconds = 1e9;

}  // namespace

StoreOptionSpec retry_option() {
  return {.name = kRetryFor,
          .help = "how long a read is tried again while the service cannot be reached or is too busy",
          .type = "seconds",
          .by_default = kDefaultSeconds,
          .variables = {kVariable}};
}

Result<int64_t> parse_patience(const std::string& text) {
  const std::optional<double> seconds = number_in(text);
  if (!seconds || *seconds < 0 || *seconds > kMaxSeconds) {
    return invalid_argument("{}: '{}' is not a number of seconds from 0 to 1000000000", kRetryFor, text);
  }
  return static_cast<int64_t>(*seconds * static_cast<double>(kSecond));
}

Result<int64_t> patience_of(const StoreOptions& options, const Environment& environment) {
  const auto given = options.find(kRetryFor);
  return parse_patience(given != options.end() ? given->second
                                               : environment(kVariable).value_or(kDefaultSeconds));
}

}  // namespace forebay::storage
