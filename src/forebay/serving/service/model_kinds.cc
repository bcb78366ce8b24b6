// The kinds of models: how each is recognised and loaded.
#include "forebay/serving/service/model_kinds.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <memory>
#include <string_view>
#include <utility>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/units.h"
#include "forebay/serving/pipelines/pipeline_model.h"
#include "forebay/serving/pipelines/python_run.h"
#include "forebay/serving/processes/onnx_worker.h"
#include "forebay/serving/processes/process_model.h"
#include "forebay/serving/processes/python_worker.h"
#include "forebay/serving/service/python_places.h"

namespace forebay::serving {
namespace {

constexpr size_t kLookedThroughBytes = kMiB;  // of a file in Python, for what it defines
constexpr size_t kMaxPipelineBytes = kGiB;

/// The first `most_bytes` of a regular file: nothing else is opened for long, or read at all.
Result<std::string> beginning_of(const std::string& path, size_t most_bytes) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  struct stat facts {};
  if (!file.is_valid() || ::fstat(file.get(), &facts) != 0) {
    return errno_status(errno, path);
  }
  if (!S_ISREG(facts.st_mode)) {
    return invalid_argument("{} is no regular file", path);
  }
  std::string content(std::min(static_cast<size_t>(facts.st_size), most_bytes), '\0');
  size_t taken = 0;
  while (taken < content.size()) {
    const ssize_t got = ::read(file.get(), content.data() + taken, content.size() - taken);
    if (got < 0 && errno != EINTR) {
      return errno_status(errno, path);
    }
    if (got == 0) {
      break;
    }
    taken += static_cast<size_t>(std::max<ssize_t>(got, 0));
  }
  content.resize(taken);
  return content;
}

bool defines_pipeline(const std::string& file) {
  const Result<std::string> content = beginning_of(file, kLookedThroughBytes);
  return content.ok() && content->find("pipeline_def") != std::string::npos;
}

/// Whether the file says, anywhere, the name that a model in Python has, by itself or imported.
bool names_model(const std::string& file) {
  const Result<std::string> content = beginning_of(file, kLookedThroughBytes);
  const auto is_part_of_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  for (const std::string_view name : {"Model", "TritonPythonModel"}) {
    size_t at = content.ok() ? content->find(name) : std::string::npos;
    for (; at != std::string::npos; at = content->find(name, at + 1)) {
      const size_t end = at + name.size();
      const bool begins = at == 0 || !is_part_of_name((*content)[at - 1]);
      if (begins && (end == content->size() || !is_part_of_name((*content)[end]))) {
        return true;
      }
    }
  }
  return false;
}

/// Text of ours begins with a brace; what only Python can read does not.
Result<std::string> saved_pipeline(const std::string& file, const std::string& python,
                                   const std::stop_token& stop) {
  if (!file.ends_with(".py")) {
    FOREBAY_ASSIGN_OR_RETURN(const std::string first, beginning_of(file, 1));
    if (first == "{") {
      return beginning_of(file, kMaxPipelineBytes);
    }
  }
  return export_pipeline(file, {.python = python, .stop = stop});
}

Result<std::shared_ptr<Model>> load_pipeline(const ModelFiles& files, const ModelConfig& config,
                                             const KindOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const std::string saved, saved_pipeline(files.file, options.python, files.stop));
  PipelineModelOptions model;
  model.name = files.name;
  model.version = files.version;
  model.num_threads = options.pipeline_threads;
  model.most_under_way = options.most_samples_under_way;
  model.memory_limit_bytes = options.pipeline_memory_bytes;
  model.max_batch_size = config.where.empty() ? -1 : static_cast<int>(config.max_batch_size);
  for (const ConfigTensor& output : config.outputs) {
    model.output_names.push_back(output.name);
  }
  return make_pipeline_model(saved, std::move(model));
}

Result<std::shared_ptr<Model>> start_processes(const ModelFiles& files, const ModelConfig& config,
                                               WorkerCommand command, const KindOptions& options) {
  ProcessModelOptions model;
  model.name = files.name;
  model.version = files.version;
  model.command = std::move(command);
  model.instances = static_cast<int>(std::clamp<int64_t>(config.instance_count, 1, 256));
  model.memory_limit_bytes = options.worker_memory_bytes;
  model.longest_run_ns = options.longest_run_ns;
  model.stop = files.stop;
  FOREBAY_ASSIGN_OR_RETURN(std::unique_ptr<ProcessModel> started, ProcessModel::start(std::move(model)));
  return std::shared_ptr<Model>(std::move(started));
}

Result<std::shared_ptr<Model>> load_onnx(const ModelFiles& files, const ModelConfig& config,
                                         const KindOptions& options, PythonPlaces& places) {
  OnnxOptions onnx;
  onnx.model = files.file;
  onnx.places.folders = places.module_folders();
  onnx.max_batch_size = config.max_batch_size;
  return start_processes(files, config, onnx_command(options.program, onnx), options);
}

Result<std::shared_ptr<Model>> load_python(const ModelFiles& files, const ModelConfig& config,
                                           const KindOptions& options, PythonPlaces& places) {
  PythonOptions python;
  python.python = options.python;
  FOREBAY_ASSIGN_OR_RETURN(python.worker_folder, places.worker_folder());
  python.model = files.file;
  python.name = files.name;
  python.version = files.version;
  python.config_json = to_json(config);
  return start_processes(files, config, python_command(python), options);
}

}  // namespace

std::vector<ModelKind> model_kinds(const KindOptions& options) {
  const auto places = std::make_shared<PythonPlaces>(options.python);
  ModelKind pipeline;
  pipeline.name = "pipeline";
  pipeline.backends = {"dali", "forebay"};
  pipeline.platforms = {"forebay_pipeline"};
  pipeline.files = {"pipeline.json", "model.dali", "pipeline.py", "dali.py", "model.py"};
  pipeline.suffixes = {".dali", ".py"};
  pipeline.recognises = [](const std::string& file) {
    return !file.ends_with(".py") || defines_pipeline(file);
  };
  pipeline.batches_itself = true;
  pipeline.load = [options](const ModelFiles& files, const ModelConfig& config) {
    return load_pipeline(files, config, options);
  };
  ModelKind onnx;
  onnx.name = "ONNX model";
  onnx.backends = {"onnxruntime"};
  onnx.platforms = {"onnxruntime_onnx"};
  onnx.files = {"model.onnx"};
  onnx.suffixes = {".onnx"};
  onnx.load = [options, places](const ModelFiles& files, const ModelConfig& config) {
    return load_onnx(files, config, options, *places);
  };
  ModelKind python;
  python.name = "model in Python";
  python.backends = {"python"};
  python.platforms = {"python"};
  python.files = {"model.py"};
  python.suffixes = {".py"};
  python.recognises_single = names_model;
  python.load = [options, places](const ModelFiles& files, const ModelConfig& config) {
    return load_python(files, config, options, *places);
  };
  return {pipeline, onnx, python};
}

}  // namespace forebay::serving
