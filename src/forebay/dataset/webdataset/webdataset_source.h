// Samples in tar archives (WebDataset): neighbouring members with one name up to the first dot are one
// sample, what follows the dot tells its parts. The rules are those of DALI's readers.webdataset. Access is
// random: a sample is read from its place in the tar.
//
// Fields: one for each entry of `ext`, 1-D, of its dtype.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"
#include "forebay/tensor/dtype.h"

namespace forebay::dataset {

enum class MissingComponent {
  kEmpty,  // a tensor of no elements
  kSkip,   // such samples are left out
  kError,  // invalid_argument when the source is made
};

struct WebdatasetOptions : SourceOptions {
  std::vector<std::string> paths;
  /// As many as `paths`, as wds2idx writes them ("v1.1", "v1.2"); empty: the archives are scanned.
  std::vector<std::string> index_paths;
  /// For each field the extensions that may fill it, "jpg;png"; the first member that fits is taken.
  std::vector<std::string> ext;
  bool case_sensitive_extensions = true;
  MissingComponent missing_component_behavior = MissingComponent::kEmpty;
  /// As many as `ext`; empty: uint8.
  std::vector<tensor::DType> dtypes;
};

/// data_loss with archive and offset for a part whose size does not fit its dtype. An archive that is cut,
/// the closing blocks of zeros included, or has a damaged header, is indexed up to there; what is lost is one
/// sample, whose read fails: data_loss with archive and offset. That is the last one if it lacks parts or
/// their content, else one behind it. An archive that is missing, may not be read or is no tar is one such
/// sample; its error is returned here when no archive has a sample.
Result<std::shared_ptr<Source>> make_webdataset_source(const WebdatasetOptions& options);

}  // namespace forebay::dataset
