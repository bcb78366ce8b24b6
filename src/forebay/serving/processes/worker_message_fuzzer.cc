// Parses arbitrary bytes as what a model's process says; what is understood is written, and read back the
// same.
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "forebay/base/check.h"
#include "forebay/serving/processes/worker_message.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto written = [](const auto& message) { return serving::to_json(message); };
  if (const auto parsed = serving::parse_worker_message(text); parsed.ok()) {
    const std::string once = std::visit(written, *parsed);
    const auto again = serving::parse_worker_message(once);
    FOREBAY_CHECK(again.ok() && std::visit(written, *again) == once);
  }
  if (const auto parsed = serving::parse_infer_message(text); parsed.ok()) {
    const std::string once = serving::to_json(*parsed);
    const auto again = serving::parse_infer_message(once);
    FOREBAY_CHECK(again.ok() && serving::to_json(*again) == once);
  }
  return 0;
}
