// Any bytes as the file of a cache's rules: they are refused, or are rules that are written and read again as
// they are.
#include <cstdint>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/cache/rules/rule_database.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using forebay::cache::format_rules;
  using forebay::cache::parse_rules;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const auto rules = parse_rules(text, "rules"); rules.ok()) {
    const auto again = parse_rules(format_rules(*rules), "rules");
    FOREBAY_CHECK(again.ok() && *again == *rules);
  }
  return 0;
}
