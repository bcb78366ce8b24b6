// Conformance cases of detection and segmentation: boxes that are turned, encoded and cropped, and masks.
#pragma once

#include <vector>

#include "forebay/operators/testing/conformance_cases.h"

namespace forebay::operators::testing {

std::vector<ConformanceCase> detection_conformance_cases();

}  // namespace forebay::operators::testing
