// Conformance cases of operators on files and their bytes, and of readers of arrays and records.
#pragma once

#include <string>
#include <vector>

#include "forebay/operators/testing/conformance_cases.h"

namespace forebay::operators::testing {

std::vector<ConformanceCase> file_conformance_cases();

/// Of readers of `samples` samples, which are written into `folder`.
std::vector<ConformanceCase> record_source_cases(const std::string& folder, int64_t samples, bool shuffled);

}  // namespace forebay::operators::testing
