// Conformance cases of operators on sound.
#pragma once

#include <vector>

#include "forebay/operators/testing/conformance_cases.h"

namespace forebay::operators::testing {

std::vector<ConformanceCase> signal_conformance_cases();

}  // namespace forebay::operators::testing
