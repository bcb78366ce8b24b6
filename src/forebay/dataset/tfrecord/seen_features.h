// Tells of features that no record has, as one whose name was misspelt: every sample would be its default,
// without a word.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/dataset/tfrecord/example.h"

namespace forebay::dataset {

/// How many records are read before a feature that none of them had is told of.
inline constexpr int64_t kRecordsOfNone = 100;

/// The names of the features that a record has, as messages show them: "'image/encoded', 'label'". Cut after
/// some; "no features" if there are none, or it is no tf.train.Example.
std::string shown_names(Bytes example);

/// Thread safe. Borrows the names.
class SeenFeatures {
 public:
  explicit SeenFeatures(std::vector<std::string_view> names);

  /// Counts a record, `example`, in which `found` was found for the names, in the file that `object` names.
  /// The last of the first kRecordsOfNone may warn.
  void note(std::span<const FeatureBytes> found, Bytes example, absl::FunctionRef<std::string()> object);

 private:
  void tell(Bytes example, std::string_view object) const;

  const std::vector<std::string_view> names_;
  const std::unique_ptr<std::atomic<bool>[]> is_seen_;
  std::atomic<int64_t> records_{0};
};

}  // namespace forebay::dataset
