// Conformance cases of operations on images that are data.
#pragma once

#include <vector>

#include "forebay/operators/testing/conformance_cases.h"

namespace forebay::operators::testing {

std::vector<ConformanceCase> augment_conformance_cases();

}  // namespace forebay::operators::testing
