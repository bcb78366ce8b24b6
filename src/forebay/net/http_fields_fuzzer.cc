// Reads arbitrary bytes as each of the header values that we parse, and as parts of URLs.
#include <cstdint>
#include <string>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/net/http_fields.h"
#include "forebay/net/url.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto range = net::parse_content_range(text);
  if (range && range->has_range) {
    FOREBAY_CHECK(range->first <= range->last && range->length_bytes() > 0);
    FOREBAY_CHECK(!range->size_bytes || range->last < *range->size_bytes);
  }
  const auto wait_ns = net::parse_retry_after(text, 1'700'000'000);
  FOREBAY_CHECK(!wait_ns || (*wait_ns >= 0 && *wait_ns <= int64_t{3600} * 1'000'000'000));
  net::parse_http_date(text);
  FOREBAY_CHECK(!(net::is_strong_etag(text) && net::is_weak_etag(text)));
  FOREBAY_CHECK(*net::percent_decoded(net::percent_encoded(text)) == text);
  const std::string shown = net::url_for_message(text);
  FOREBAY_CHECK(shown.find('?') == std::string::npos);
  const auto resolved = net::resolve_url("http://host/a/b", std::string(text));
  FOREBAY_CHECK(!resolved.ok() || net::check_url(*resolved).ok());
  return 0;
}
