// Parses arbitrary bytes as a tf.train.Example: whatever is found must lie inside the record and decode to as
// many values as were counted.

#include <cstdint>
#include <vector>

#include "forebay/base/check.h"
#include "forebay/dataset/tfrecord/example.h"

using namespace forebay;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const Bytes bytes(reinterpret_cast<const std::byte*>(data), size);
  const std::string_view names[] = {"", "a", "image/encoded"};
  const Result<std::vector<dataset::FeatureBytes>> features = dataset::find_features(bytes, names);
  if (!features.ok()) {
    return 0;
  }
  FOREBAY_CHECK(dataset::feature_names(bytes).ok());
  for (const dataset::FeatureBytes& feature : *features) {
    for (const Bytes list : feature.lists) {
      FOREBAY_CHECK(list.empty() || list.data() >= bytes.data());
      FOREBAY_CHECK(list.empty() || list.data() + list.size() <= bytes.data() + bytes.size());
    }
    if (const Result<int64_t> count = dataset::count_int64(feature); count.ok()) {
      std::vector<int64_t> values(static_cast<size_t>(*count));
      FOREBAY_CHECK(dataset::decode_int64(feature, values).ok());
    }
    if (const Result<int64_t> count = dataset::count_float(feature); count.ok()) {
      std::vector<float> values(static_cast<size_t>(*count));
      FOREBAY_CHECK(dataset::decode_float(feature, values).ok());
    }
    dataset::first_string(feature).IgnoreError();
  }
  return 0;
}
