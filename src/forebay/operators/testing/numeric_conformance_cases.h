// Conformance cases of operators on numbers rather than pictures: fills, reductions, transforms, boxes,
// sequences.
#pragma once

#include <vector>

#include "forebay/operators/testing/conformance_cases.h"

namespace forebay::operators::testing {

std::vector<ConformanceCase> numeric_conformance_cases();

}  // namespace forebay::operators::testing
