// Pipelines that only Python can read, saved as this library saves them: a file with `@pipeline_def`, or what
// DALI's Pipeline.serialize() gave. Python runs in a process of its own, once, when the model is loaded.
#pragma once

#include <cstdint>
#include <string>

#include "forebay/base/status.h"
#include "forebay/base/units.h"

namespace forebay::serving {

struct PythonExportOptions {
  std::string python = "python3";       // that has the package `forebay`
  int64_t patience_ns = 120 * kSecond;  // then the process is killed
  uint64_t memory_limit_bytes = 0;      // of the process; 0: none
};

/// What Pipeline.serialize() gives of the pipeline in `file`. invalid_argument with the last lines that
/// Python wrote where it cannot; deadline_exceeded after the patience. The code in the file may do whatever
/// this process may: it is the repository's owner who is trusted.
Result<std::string> export_pipeline(const std::string& file, const PythonExportOptions& options);

}  // namespace forebay::serving
