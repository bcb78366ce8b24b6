#include "forebay/cli/objects/find_filter.h"

#include <fnmatch.h>

#include <CLI/CLI.hpp>
#include <ctime>
#include <iterator>
#include <optional>

#include "forebay/cli/command/duration.h"
#include "forebay/cli/objects/place.h"

namespace forebay::cli {
namespace {

constexpr int64_t kSecondNs = 1'000'000'000;

std::optional<std::time_t> parse_time(const std::string& text) {
  for (const char* const format : {"%Y-%m-%d", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"}) {
    std::tm parts{};
    const char* const end = ::strptime(text.c_str(), format, &parts);
    if (end != nullptr && *end == '\0') {
      parts.tm_isdst = -1;  // whichever holds on that day
      return std::mktime(&parts);
    }
  }
  return std::nullopt;
}

/// Makes bytes of a number with a unit.
bool resolve_unit(std::string* number) {
  try {
    return CLI::AsSizeValue(/*kb_is_1000=*/false)(*number).empty();
  } catch (const CLI::ValidationError&) {
    return false;
  }
}

}  // namespace

bool FindFilter::needs_stat() const {
  const FindFilter any;
  return least_bytes != any.least_bytes || most_bytes != any.most_bytes || newer_ns != any.newer_ns;
}

bool FindFilter::fits_name(std::string_view key) const {
  if (name.empty()) {
    return true;
  }
  const std::string last = last_name(std::string(key));
  const bool is_text = last.find('\0') == std::string::npos;
  return is_text && ::fnmatch(name.c_str(), last.c_str(), 0) == 0;
}

bool FindFilter::fits(const storage::ObjectStat& object) const {
  return object.size_bytes >= least_bytes && object.size_bytes <= most_bytes &&
         object.modified_ns > newer_ns && fits_name(object.key);
}

Status take_size(const std::string& text, FindFilter& filter) {
  const bool is_more = text.starts_with('+');
  const bool is_less = text.starts_with('-');
  std::string number = text.substr(is_more || is_less ? 1 : 0);
  const bool begins_well = !number.empty() && number.front() >= '0' && number.front() <= '9';
  if (!begins_well || !resolve_unit(&number) || number.size() > 19) {
    return invalid_argument("'{}' is no size; write +10M, -4k or 4096", text);
  }
  const uint64_t bytes = std::stoull(number);
  if (is_less && bytes == 0) {
    return invalid_argument("'{}': nothing is smaller than that", text);
  }
  filter.least_bytes = is_more ? bytes + 1 : is_less ? 0 : bytes;
  filter.most_bytes = is_more ? filter.most_bytes : is_less ? bytes - 1 : bytes;
  return ok_status();
}

Status take_newer(const std::string& text, int64_t now_ns, FindFilter& filter) {
  if (const Result<uint64_t> seconds = parse_duration(text); seconds.ok()) {
    filter.newer_ns = now_ns - static_cast<int64_t>(*seconds) * kSecondNs;
    return ok_status();
  }
  const std::optional<std::time_t> since = parse_time(text);
  if (!since || *since < 0 || *since > now_ns / kSecondNs) {
    return invalid_argument("'{}' is no time that has been; write 2h, 7d, 2026-11-23 or '2026-11-23 06:40'",
                            text);
  }
  filter.newer_ns = *since * kSecondNs - 1;
  return ok_status();
}

}  // namespace forebay::cli
