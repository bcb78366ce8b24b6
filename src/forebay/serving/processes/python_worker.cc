// The command that runs a model in Python.
#include "forebay/serving/processes/python_worker.h"

namespace forebay::serving {

WorkerCommand python_command(const PythonOptions& options) {
  WorkerCommand command;
  command.words = {options.python, options.worker_folder, "--model",   options.model,
                   "--name",       options.name,          "--version", options.version,
                   "--config",     options.config_json};
  return command;
}

}  // namespace forebay::serving
