// A hand-written parser for the few fields of the tf.train.Example protocol buffer. Nothing is allocated for
// features that are not asked for. (Wire format: protobuf.dev/programming-guides/encoding; messages:
// tensorflow/core/example/feature.proto.)
//
//   Example { Features features = 1; }   Features { map<string, Feature> feature = 1; }
//   Feature { oneof { BytesList bytes_list = 1; FloatList float_list = 2; Int64List int64_list = 3; } }
//   each List { repeated value = 1; }    numbers packed or not
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

enum class FeatureKind { kString, kInt64, kFloat };

/// A feature as stored in the record: the body of its list. Borrows the record.
struct FeatureBytes {
  bool is_present = false;  // a feature without a list counts as absent
  FeatureKind kind = FeatureKind::kString;
  Bytes list;
};

/// Finds the features with these names; if a name occurs twice, the last one counts. data_loss for a
/// malformed record.
Result<std::vector<FeatureBytes>> find_features(Bytes example, std::span<const std::string_view> names);

/// Accessors for the values of a list; data_loss for a malformed one.
Result<Bytes> first_string(Bytes list);  // empty if the list is empty
Result<int64_t> count_int64(Bytes list);
Result<int64_t> count_float(Bytes list);
/// Fill `values`, whose size must be the count.
Status decode_int64(Bytes list, std::span<int64_t> values);
Status decode_float(Bytes list, std::span<float> values);

}  // namespace forebay::dataset
