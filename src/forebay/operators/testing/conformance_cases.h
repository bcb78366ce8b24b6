// The cases on which the conformance suite runs each row of the operator table. A row that pictures and no
// arguments are enough for has one by itself; another without a case fails the suite, by name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/operators/operator.h"

namespace forebay::operators::testing {

/// One input or tensor argument: the tensor for sample number `sample`. Equal numbers give equal tensors.
using TensorOfSample = std::function<Tensor(uint64_t sample)>;

struct ConformanceCase {
  std::string op;
  std::string what;  // distinguishes the cases of a row
  std::map<std::string, Value> constants;
  std::vector<TensorOfSample> inputs;
  std::map<std::string, TensorOfSample> tensors;

  std::string name() const { return what.empty() ? op : op + ", " + what; }
};

/// At least one for each row except the sources.
const std::vector<ConformanceCase>& conformance_cases();

/// At least one for each row of scope kSource, over a small data set written into `folder`, which must exist.
std::vector<ConformanceCase> source_conformance_cases(const std::string& folder);

/// Deterministic noise, different for each sample, over the range of the type (floats: -1 to 1).
Tensor noise(const TensorSpec& spec, uint64_t sample);

/// All layouts that operators know, with small, distinct extents.
std::vector<TensorSpec> specs_of_all_layouts(DType dtype);
std::vector<DType> all_dtypes();

}  // namespace forebay::operators::testing
