// Any text as a model's configuration: it is refused, or what was read can be completed and written as JSON.
#include <cstdint>
#include <string_view>

#include "forebay/base/check.h"
#include "forebay/serving/repository/model_config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace forebay::serving;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto config = parse_model_config(text, "config.pbtxt");
  if (!config.ok()) {
    return 0;
  }
  FOREBAY_CHECK(!to_json(*config).empty());
  const ModelMetadata metadata = metadata_of(*config);
  FOREBAY_CHECK(metadata.inputs.size() == config->inputs.size());
  (void)filled_from(*config, metadata);
  return 0;
}
