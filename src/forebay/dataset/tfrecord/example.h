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

#include "absl/container/inlined_vector.h"
#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

enum class FeatureKind { kString, kInt64, kFloat };

/// A feature as stored in the record: the body of its list, or of each piece of it where it is stored in
/// several. Borrows the record.
struct FeatureBytes {
  FeatureKind kind = FeatureKind::kString;
  absl::InlinedVector<Bytes, 1> lists;

  bool is_present() const { return !lists.empty(); }  // a feature without a list counts as absent
};

/// Finds the features with these names; if a name occurs twice, the last entry counts. A feature that has
/// several lists is merged as protocol buffers are: lists of one kind are joined, and of several kinds the
/// last one holds. data_loss for a malformed record.
Result<std::vector<FeatureBytes>> find_features(Bytes example, std::span<const std::string_view> names);

/// The names of all features, sorted, each once. data_loss for a malformed record.
Result<std::vector<std::string_view>> feature_names(Bytes example);

/// Accessors for the values of a feature of that kind; data_loss for a malformed list.
Result<Bytes> first_string(const FeatureBytes& feature);  // empty if there is no value
Result<int64_t> count_int64(const FeatureBytes& feature);
Result<int64_t> count_float(const FeatureBytes& feature);
/// Fill `values`, whose size must be the count.
Status decode_int64(const FeatureBytes& feature, std::span<int64_t> values);
Status decode_float(const FeatureBytes& feature, std::span<float> values);

}  // namespace forebay::dataset
