// The kinds of models that the server loads: pipelines, ONNX models, models in Python.
#pragma once

#include <string>
#include <vector>

#include "forebay/base/units.h"
#include "forebay/serving/repository/model_files.h"

namespace forebay::serving {

struct KindOptions {
  std::string program;             // with `serve-worker onnx`: the processes of ONNX models
  std::string python = "python3";  // that has the package `forebay`; also looked up for ONNX Runtime
  int pipeline_threads = 1;        // of each pipeline
  int most_samples_under_way = 1024;
  uint64_t pipeline_memory_bytes = 0;  // of each; 0: no limit
  uint64_t worker_memory_bytes = 0;    // of each process; 0: no limit
  /// A process that takes longer for a request is killed and started again.
  int64_t longest_run_ns = 600 * kSecond;
};

/// In the order in which a folder is looked through. A file NAME.py or model.py is a pipeline where it says
/// `pipeline_def`, else a model in Python. Only its first MiB is looked at.
///
/// Pipelines: pipeline.json, as Pipeline.serialize() wrote it, needs no Python; model.dali, as DALI did, and
/// pipeline.py or dali.py are saved by Python when they are loaded, and run without it.
std::vector<ModelKind> model_kinds(const KindOptions& options);

}  // namespace forebay::serving
