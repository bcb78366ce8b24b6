#include "forebay/storage/az/az_signature.h"

#include <openssl/evp.h>
#include <openssl/hmac.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_join.h"
#include "fmt/format.h"

namespace forebay::storage {
namespace {

/// In the order of the text that is signed; Content-Length and Date are apart.
constexpr std::array<std::string_view, 4> kBeforeDate = {"content-encoding", "content-language",
                                                         "content-md5", "content-type"};
constexpr std::array<std::string_view, 5> kBehindDate = {"if-modified-since", "if-match", "if-none-match",
                                                         "if-unmodified-since", "range"};

using SortedFields = std::map<std::string, std::vector<std::string>>;

/// By name in lower case.
SortedFields sorted_fields(const net::AwsFields& fields) {
  SortedFields sorted;
  for (const auto& [name, value] : fields) {
    sorted[absl::AsciiStrToLower(name)].push_back(value);
  }
  return sorted;
}

std::string field_or_empty(const SortedFields& fields, std::string_view name) {
  const auto found = fields.find(std::string(name));
  return found == fields.end() ? std::string() : found->second[0];
}

}  // namespace

std::string az_string_to_sign(const AzSignedRequest& request, std::string_view account) {
  const SortedFields headers = sorted_fields(request.headers);
  const std::string length = request.content_bytes == 0 ? "" : std::to_string(request.content_bytes);
  std::string text = request.method + "\n";
  for (size_t i = 0; i < kBeforeDate.size(); ++i) {
    text += i == 2 ? length + "\n" : "";
    text += field_or_empty(headers, kBeforeDate[i]) + "\n";
  }
  text += "\n";  // Date: x-ms-date is there
  for (const std::string_view name : kBehindDate) {
    text += field_or_empty(headers, name) + "\n";
  }
  for (const auto& [name, values] : headers) {
    if (name.starts_with("x-ms-")) {
      text += fmt::format("{}:{}\n", name, absl::StrJoin(values, ","));
    }
  }
  text += fmt::format("/{}{}", account, request.path);
  for (auto& [name, values] : sorted_fields(request.query)) {
    std::vector<std::string> in_order = values;
    std::sort(in_order.begin(), in_order.end());
    text += fmt::format("\n{}:{}", name, absl::StrJoin(in_order, ","));
  }
  return text;
}

std::string az_authorization(const AzSignedRequest& request, std::string_view account, std::string_view key) {
  const std::string text = az_string_to_sign(request, account);
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  HMAC(EVP_sha256(), key.data(), static_cast<int>(key.size()),
       reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
  const absl::string_view bytes(reinterpret_cast<const char*>(digest.data()), size);
  return fmt::format("SharedKey {}:{}", account, absl::Base64Escape(bytes));
}

std::string http_date(int64_t unix_seconds) {
  constexpr std::array<std::string_view, 7> kDays = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  constexpr std::array<std::string_view, 12> kMonths = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const std::chrono::sys_seconds time{std::chrono::seconds(unix_seconds)};
  const auto day = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(time - day);
  return fmt::format("{}, {:02} {} {:04} {:02}:{:02}:{:02} GMT",
                     kDays[std::chrono::weekday(day).c_encoding()], static_cast<unsigned>(date.day()),
                     kMonths[static_cast<unsigned>(date.month()) - 1], static_cast<int>(date.year()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace forebay::storage
