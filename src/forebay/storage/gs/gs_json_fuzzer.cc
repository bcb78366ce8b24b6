// Parses arbitrary bytes as each answer of Google Cloud Storage, as a token and as a key file.

#include <cstdint>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/storage/gs/gs_credentials.h"
#include "forebay/storage/gs/gs_json.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<storage::TokenPage> list = storage::parse_gs_list(text);
  if (list.ok()) {
    for (const storage::ObjectStat& stat : list->page.objects) {
      FOREBAY_CHECK(!stat.key.empty() && stat.key.find('\0') == std::string::npos);
      FOREBAY_CHECK(storage::is_gs_generation(stat.version));
    }
    FOREBAY_CHECK(list->page.is_last == list->next_token.empty());
    storage::check_listed_page({.prefix = "a", .start_after = "ab"}, "ac", list->page).IgnoreError();
  }
  const storage::ServiceFailure failure = storage::parse_gs_failure(text);
  FOREBAY_CHECK(failure.message.size() <= 300 && failure.code.size() <= 300);
  storage::parse_gs_object(text).IgnoreError();
  storage::parse_gs_rewrite(text).IgnoreError();
  storage::parse_gs_token(text, 0).IgnoreError();
  storage::parse_gs_key_file(text).IgnoreError();
  return 0;
}
