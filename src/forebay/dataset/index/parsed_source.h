// A source whose samples are each one range of bytes, which a function takes apart.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

/// Makes the fields of a sample from its bytes, in their order. What it returns must not outlive `read`, but
/// may share its buffer. An error is the sample's. Thread safe.
using ParseSample =
    std::function<Result<std::vector<tensor::Tensor>>(const SampleRow& row, const storage::ReadBytes& read)>;

/// `index` has one row for each sample. `reads_whole_objects`: a sample is all of its object, however long it
/// is now.
struct ParsedSourceParts {
  std::shared_ptr<const SampleIndex> index;
  std::string root;
  int num_fields = 1;
  bool reads_whole_objects = false;
  ParseSample parse;
};

std::shared_ptr<Source> make_parsed_source(ParsedSourceParts parts, const SourceOptions& options);

}  // namespace forebay::dataset
