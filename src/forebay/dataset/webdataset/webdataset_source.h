// Samples in tar archives (WebDataset): neighbouring members whose names agree up to the first dot form one
// sample; what follows the dot names the component. The rules are those of DALI's readers.webdataset. Access
// is random: a sample is read from its place in the tar.
//
// Fields: one for each entry of `ext`, 1-D, with its dtype.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"
#include "forebay/dataset/order/order.h"
#include "forebay/tensor/dtype.h"

namespace forebay::dataset {

enum class MissingComponent {
  kEmpty,  // give an empty tensor
  kSkip,   // leave such samples out
  kError,  // invalid_argument when the source is made
};

/// As an entry of `ext`: the name that the members of a sample have in common, up to the first dot in its
/// last part.
inline constexpr std::string_view kKeyField = "__key__";

struct WebdatasetOptions : SourceOptions {
  /// Which may have braces and wildcards, as `index_paths` may: see expand_paths().
  std::vector<std::string> paths;
  /// As many as `paths`, as wds2idx writes them ("v1.1", "v1.2"); empty: the archives are scanned.
  std::vector<std::string> index_paths;
  /// For each field, the extensions that may fill it, such as "jpg;png", with or without a dot before each;
  /// the first matching member is used. Or kKeyField.
  std::vector<std::string> ext;
  bool case_sensitive_extensions = true;
  MissingComponent missing_component_behavior = MissingComponent::kEmpty;
  /// As many as `ext`; empty: uint8. A field of another type takes the bytes of its part for numbers in
  /// binary; but a class (.cls alone), which is written in digits, is the number that it says.
  std::vector<tensor::DType> dtypes;
};

/// invalid_argument for options that contradict each other.
Status check(const WebdatasetOptions& options);

/// invalid_argument that lists the extensions there are if no sample has a field: an archive may lack what
/// others have, but an extension that occurs nowhere is misspelt. data_loss naming archive and offset if a
/// component's size does not fit its dtype. An archive that is truncated (even if only the closing blocks of
/// zeros are missing) or has a damaged header is indexed up to that place; what is lost counts as one sample,
/// whose read gives data_loss naming archive and offset. That is the last sample if it lacks components or
/// content, else one behind it. An archive that is missing, unreadable or not a tar also counts as one such
/// sample; its error is returned here if no archive has a sample.
Result<std::shared_ptr<Source>> make_webdataset_source(const WebdatasetOptions& options);

/// The same; where archives are far it is a GrowingSource, whose samples can be read in this order while
/// others are found.
Result<std::shared_ptr<Source>> open_webdataset_source(const WebdatasetOptions& options,
                                                       const OrderOptions& order);

}  // namespace forebay::dataset
