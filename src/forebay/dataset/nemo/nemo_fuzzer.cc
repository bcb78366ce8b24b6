// Parses arbitrary bytes as a manifest, and as the head of a WAV of which a part is asked for.

#include <cstdint>
#include <span>

#include "forebay/base/check.h"
#include "forebay/dataset/nemo/nemo_manifest.h"
#include "forebay/dataset/nemo/nemo_part.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  dataset::NemoEntries entries;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Status status = dataset::parse_nemo_manifest(text, "fuzz.json", {0.5, 1e3}, &entries);
  FOREBAY_CHECK(status.ok() || !message(status).empty());
  for (size_t i = 0; i < entries.entries.size(); ++i) {
    FOREBAY_CHECK(entries.text(i).size() <= size);
  }
  const uint64_t file_bytes = size + (size % 3) * 1000;
  const auto part = dataset::wav_part(std::as_bytes(std::span(data, size)), file_bytes, 0.001, 0.01);
  FOREBAY_CHECK(!part || (part->offset_bytes <= file_bytes && part->length_bytes <= file_bytes));
  return 0;
}
