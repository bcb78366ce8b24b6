// The process of a model in Python. Its code lies in python/forebay/serving/worker.
#pragma once

#include <string>

#include "forebay/serving/processes/worker_command.h"

namespace forebay::serving {

struct PythonOptions {
  std::string python = "python3";  // the interpreter, by its path or as it is found on PATH
  std::string worker_folder;       // forebay/serving/worker of the Python package
  std::string model;               // the file model.py
  std::string name;
  std::string version;
  std::string config_json = "{}";  // the model's configuration, with the keys of Triton's ModelConfig
};

WorkerCommand python_command(const PythonOptions& options);

}  // namespace forebay::serving
