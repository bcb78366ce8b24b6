// Parses arbitrary bytes as each answer of Azure's blobs.

#include <cstdint>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/storage/az/az_xml.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<storage::TokenPage> list = storage::parse_az_list(text);
  if (list.ok()) {
    for (const storage::ObjectStat& stat : list->page.objects) {
      FOREBAY_CHECK(!stat.key.empty() && stat.key.find('\0') == std::string::npos);
    }
    FOREBAY_CHECK(list->page.is_last == list->next_token.empty());
    storage::check_listed_page({.prefix = "a", .start_after = "ab"}, "ac", list->page).IgnoreError();
  }
  storage::parse_az_blocks(text).IgnoreError();
  const storage::ServiceFailure failure = storage::az_failure({.status = 400, .body = std::string(text)});
  FOREBAY_CHECK(failure.message.size() <= 300 && failure.code.size() <= 100);
  return 0;
}
