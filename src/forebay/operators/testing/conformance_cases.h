// What the conformance suite runs each row of the operator table on. A row without a case fails the suite by
// name.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/operators/operator.h"

namespace forebay::operators::testing {

/// One input or tensor argument: what sample number `sample` gets. Equal numbers get equal tensors.
using TensorOfSample = std::function<Tensor(uint64_t sample)>;

struct ConformanceCase {
  std::string op;
  std::string what;  // tells the cases of a row apart
  std::map<std::string, Value> constants;
  std::vector<TensorOfSample> inputs;
  std::map<std::string, TensorOfSample> tensors;

  std::string name() const { return what.empty() ? op : op + ", " + what; }
};

/// At least one for each row but the sources.
const std::vector<ConformanceCase>& conformance_cases();

/// At least one for each row of scope kSource, over a small data set written into `folder`, which exists.
std::vector<ConformanceCase> source_conformance_cases(const std::string& folder);

/// Different for each sample, the same each time, over the range of the type (floats: -1 to 1).
Tensor noise(const TensorSpec& spec, uint64_t sample);

/// The layouts that operators know, with small extents that differ from axis to axis.
std::vector<TensorSpec> specs_of_all_layouts(DType dtype);
std::vector<DType> all_dtypes();

}  // namespace forebay::operators::testing
