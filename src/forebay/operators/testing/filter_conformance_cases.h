// Conformance cases of operators on pixels that look around them: filters, morphology, remaps, pastes; and of
// sequences whose arguments change from frame to frame.
#pragma once

#include <vector>

#include "forebay/operators/testing/conformance_cases.h"

namespace forebay::operators::testing {

std::vector<ConformanceCase> filter_conformance_cases();

}  // namespace forebay::operators::testing
