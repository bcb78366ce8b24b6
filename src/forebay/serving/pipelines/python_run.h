// A short run of Python in a process of its own, and what it wrote to a file.
#pragma once

#include <cstdint>
#include <stop_token>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/base/units.h"

namespace forebay::serving {

struct PythonRunOptions {
  std::string python = "python3";       // the interpreter, by its path or as it is found on PATH
  int64_t patience_ns = 120 * kSecond;  // then the process is killed
  std::stop_token stop = {};            // the same at once
};

/// Runs `python` with `words` and the path of a new, empty file behind them, and returns what is in that file
/// at the end. invalid_argument with the last lines that Python wrote where it ends with an error or leaves
/// the file empty; deadline_exceeded after the patience, cancelled once it is to stop. `what` begins each
/// error.
Result<std::string> run_python(std::vector<std::string> words, const std::string& what,
                               const PythonRunOptions& options);

/// What Pipeline.serialize() gives of the pipeline in `file`: a Python file with one `@pipeline_def`, or with
/// one marked by `@autoserialize`, or what DALI's Pipeline.serialize() wrote. The code in it may do whatever
/// this process may: who writes to the repository is trusted.
Result<std::string> export_pipeline(const std::string& file, const PythonRunOptions& options);

}  // namespace forebay::serving
