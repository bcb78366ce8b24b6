// Parses arbitrary bytes as each of S3's answers, as a profile file and as answers that bring keys.

#include <cstdint>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/storage/remote/token_list.h"
#include "forebay/storage/remote/wall_time.h"
#include "forebay/storage/s3/s3_xml.h"
#include "forebay/storage/s3_credentials/credential_sources.h"
#include "forebay/storage/s3_credentials/profile_file.h"
#include "forebay/storage/s3_credentials/sts.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  Result<storage::TokenPage> list = storage::parse_s3_list(text);
  if (list.ok()) {
    for (const storage::ObjectStat& stat : list->page.objects) {
      FOREBAY_CHECK(!stat.key.empty() && stat.key.find('\0') == std::string::npos);
    }
    FOREBAY_CHECK(list->page.is_last == list->next_token.empty());
    storage::check_listed_page({.prefix = "a", .start_after = "ab"}, "ac", list->page).IgnoreError();
  }
  const storage::S3Failure failure = storage::parse_s3_failure(text);
  FOREBAY_CHECK(failure.message.size() <= 300 && failure.code.size() <= 100);
  storage::is_s3_failure(text);
  storage::parse_s3_upload_id(text).IgnoreError();
  storage::parse_s3_etag(text).IgnoreError();
  storage::parse_s3_not_removed(text).IgnoreError();
  storage::parse_profile_file(text, "config").IgnoreError();
  storage::parse_credentials_json(text).IgnoreError();
  storage::parse_sts_keys(text).IgnoreError();
  const Status refused = storage::sts_error({.status = 403, .body = std::string(text)}, "sts");
  FOREBAY_CHECK(message(refused).size() < 500);
  storage::parse_iso_time(text);
  return 0;
}
