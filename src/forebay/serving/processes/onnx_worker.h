// The process of an ONNX model: `forebay serve-worker onnx`.
#pragma once

#include <string>
#include <vector>

#include "forebay/serving/processes/onnx_session.h"
#include "forebay/serving/processes/worker_command.h"

namespace forebay::serving {

/// The command that runs run_onnx_worker() with these options: `program`, then "serve-worker", "onnx" and the
/// options. `program` is `forebay`.
WorkerCommand onnx_command(const std::string& program, const OnnxOptions& options);

/// `words` are those behind "onnx" in the command. Returns the process's exit code.
int run_onnx_worker(const std::vector<std::string>& words);

}  // namespace forebay::serving
