// Which extensions the members of archives have, and which outputs they fill: what errors tell of outputs
// that nothing fills.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "forebay/dataset/webdataset/wds_index.h"

namespace forebay::dataset {

/// Not thread safe.
class SeenExtensions {
 public:
  explicit SeenExtensions(size_t num_fields) : is_filled_(num_fields, false) {}

  void add(const WdsSample& sample);
  void fill(size_t field) { is_filled_[field] = true; }
  void merge(const SeenExtensions& other);

  bool empty() const { return counts_.empty(); }
  bool is_filled(size_t field) const { return is_filled_[field]; }
  /// The extensions in quotes, the most frequent ones first.
  std::string text() const;

 private:
  void count(const std::string& extension, uint64_t members);

  std::map<std::string, uint64_t> counts_;
  std::vector<bool> is_filled_;
};

/// The extensions of one sample, as errors name them.
std::string extensions_text(const WdsSample& sample);

}  // namespace forebay::dataset
