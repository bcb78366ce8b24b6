// Parses arbitrary bytes as each small body that clients send: of the repository and of shared memory.
#include <cstdint>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/serving/protocol/model_json.h"
#include "forebay/serving/protocol/region_json.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  serving::parse_index_request(text).IgnoreError();
  serving::check_load_request(text).IgnoreError();
  serving::parse_unload_request(text).IgnoreError();
  const auto region = serving::parse_region_request("r", text);
  if (region.ok()) {
    // In a folder that is not there nothing can be opened, whatever the key says.
    serving::SharedRegions regions({.folder = "/nonexistent"});
    FOREBAY_CHECK(!regions.add(*region).ok());
  }
  return 0;
}
