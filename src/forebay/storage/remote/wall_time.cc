#include "forebay/storage/remote/wall_time.h"

#include <chrono>

#include "forebay/base/clock.h"

namespace forebay::storage {
namespace {

constexpr int64_t kNsInSecond = 1'000'000'000;

/// The number at `offset` of `digits` digits, or -1.
int number_at(std::string_view text, size_t offset, size_t digits) {
  if (text.size() < offset + digits) {
    return -1;
  }
  int number = 0;
  for (const char c : text.substr(offset, digits)) {
    if (c < '0' || c > '9') {
      return -1;
    }
    number = number * 10 + (c - '0');
  }
  return number;
}

std::optional<int64_t> nanoseconds(int year, unsigned month, unsigned day, std::string_view clock) {
  const int hour = number_at(clock, 0, 2);
  const int minute = number_at(clock, 3, 2);
  const int second = number_at(clock, 6, 2);
  if (year < 1970 || year > 2200 || hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 ||
      second > 60 || clock[2] != ':' || clock[5] != ':') {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(month),
                                         std::chrono::day(day)};
  if (!date.ok()) {
    return std::nullopt;
  }
  const int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return (((days * 24 + hour) * 60 + minute) * 60 + second) * kNsInSecond;
}

/// The nanoseconds of ".123Z" or "Z".
std::optional<int64_t> fraction(std::string_view text) {
  if (!text.ends_with('Z') || text.size() > 11) {
    return std::nullopt;
  }
  text.remove_suffix(1);
  if (text.empty()) {
    return 0;
  }
  const int digits = number_at(text, 1, text.size() - 1);
  if (text[0] != '.' || digits < 0) {
    return std::nullopt;
  }
  int64_t ns = digits;
  for (size_t place = text.size() - 1; place < 9; ++place) {
    ns *= 10;
  }
  return ns;
}

}  // namespace

int64_t wall_clock_seconds() {
  return wall_clock_ns() / kNsInSecond;
}

std::optional<int64_t> parse_iso_time(std::string_view text) {
  if (text.size() < 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T') {
    return std::nullopt;
  }
  const std::optional<int64_t> seconds =
      nanoseconds(number_at(text, 0, 4), static_cast<unsigned>(number_at(text, 5, 2)),
                  static_cast<unsigned>(number_at(text, 8, 2)), text.substr(11, 8));
  const std::optional<int64_t> rest = fraction(text.substr(19));
  return seconds && rest ? std::optional<int64_t>(*seconds + *rest) : std::nullopt;
}

}  // namespace forebay::storage
