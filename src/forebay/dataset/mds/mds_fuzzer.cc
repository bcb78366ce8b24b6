// Parses arbitrary bytes as an index of MDS shards, as a shard's table, as a sample and as values of each
// encoding.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/dataset/mds/mds_index.h"
#include "forebay/dataset/mds/mds_shard.h"
#include "forebay/dataset/mds/mds_value.h"

using namespace forebay;

namespace {

bool is_inside(Bytes part, Bytes whole) {
  return part.empty() ||
         (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

void read_value(const char* name, Bytes value) {
  const Result<dataset::MdsEncoding> encoding = dataset::parse_mds_encoding(name);
  FOREBAY_CHECK(encoding.ok());
  if (encoding->kind == dataset::MdsKind::kIntText || encoding->kind == dataset::MdsKind::kFloatText) {
    dataset::parse_mds_text(*encoding, value).status().IgnoreError();
    return;
  }
  const Result<dataset::MdsValue> split = dataset::split_mds_value(*encoding, value);
  if (split.ok()) {
    FOREBAY_CHECK(split->elements.size() == split->spec.size_bytes());
    FOREBAY_CHECK(is_inside(split->elements, value));
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const Bytes bytes = std::as_bytes(std::span(data, size));
  dataset::parse_mds_index(text, "fuzz").status().IgnoreError();
  dataset::parse_mds_encoding(text).status().IgnoreError();
  for (uint32_t samples = 0; samples < 4; ++samples) {
    const auto offsets = dataset::parse_mds_table(bytes, samples, size);
    if (offsets.ok()) {
      FOREBAY_CHECK(offsets->size() == samples + 1 && offsets->back() <= size);
    }
  }
  const std::vector<dataset::MdsColumn> columns = {{"a", "bytes", {}}, {"b", "int", 8}, {"c", "str", {}}};
  const auto values = dataset::split_mds_sample(columns, bytes);
  if (values.ok()) {
    for (const Bytes value : *values) {
      FOREBAY_CHECK(is_inside(value, bytes));
    }
  }
  for (const char* const name :
       {"ndarray", "ndarray:int16", "ndarray:float64:2,3", "pil", "str_int", "str_float", "uint8", "bytes"}) {
    read_value(name, bytes);
  }
  return 0;
}
