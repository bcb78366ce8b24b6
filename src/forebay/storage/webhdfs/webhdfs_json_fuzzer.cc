// Parses arbitrary bytes as each answer of HDFS, and as a version.

#include <cstdint>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/storage/webhdfs/webhdfs_json.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Result<storage::WebhdfsListing> list = storage::parse_webhdfs_list(text);
  if (list.ok()) {
    for (const storage::WebhdfsStatus& entry : list->entries) {
      FOREBAY_CHECK(!entry.name.empty() && entry.name.find('/') == std::string::npos);
      FOREBAY_CHECK(entry.is_folder || storage::size_in_webhdfs_version(entry.version()) == entry.size_bytes);
    }
    FOREBAY_CHECK(list->is_last || !list->last_name.empty());
  }
  storage::parse_webhdfs_status(text).IgnoreError();
  storage::parse_webhdfs_boolean(text).IgnoreError();
  storage::parse_webhdfs_location(text).IgnoreError();
  static_cast<void>(storage::size_in_webhdfs_version(text));
  const storage::ServiceFailure failure =
      storage::webhdfs_failure({.status = 403, .body = std::string(text)});
  FOREBAY_CHECK(failure.message.size() <= 300 && failure.code.size() <= 100);
  return 0;
}
