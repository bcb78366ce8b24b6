// `python -m forebay.serving.export FILE OUT`, watched, and its file read.
#include "forebay/serving/pipelines/python_export.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "forebay/base/file_descriptor.h"
#include "forebay/serving/processes/worker_process.h"

namespace forebay::serving {
namespace {

namespace fs = std::filesystem;

/// A file of our own that is removed with this object.
class ScratchFile {
 public:
  static Result<ScratchFile> create() {
    std::error_code error;
    std::string path = (fs::temp_directory_path(error) / "forebay-export-XXXXXX").string();
    const FileDescriptor made(::mkstemp(path.data()));
    if (!made.is_valid()) {
      return errno_status(errno, path);
    }
    return ScratchFile(std::move(path));
  }
  ScratchFile(ScratchFile&& other) noexcept : path_(std::exchange(other.path_, {})) {}
  ~ScratchFile() {
    if (!path_.empty()) {
      ::unlink(path_.c_str());
    }
  }

  const std::string& path() const { return path_; }
  std::string content() const {
    std::ifstream file(path_, std::ios::binary);
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
  }

 private:
  explicit ScratchFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace

Result<std::string> export_pipeline(const std::string& file, const PythonExportOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const ScratchFile out, ScratchFile::create());
  WorkerCommand command;
  command.words = {options.python, "-m", "forebay.serving.export", file, out.path()};
  FOREBAY_ASSIGN_OR_RETURN(WorkerProcess process,
                           WorkerProcess::start(command, file, options.memory_limit_bytes));
  if (!process.ends_within(options.patience_ns)) {
    return make_status(StatusCode::kDeadlineExceeded,
                       "{}: Python has not made the pipeline within {} s; its last lines: {}", file,
                       options.patience_ns / kSecond, process.last_lines());
  }
  const std::string end = process.obituary();
  std::string saved = out.content();
  if (saved.empty()) {
    return invalid_argument("{}: {} cannot save its pipeline: it {}", file, options.python, end);
  }
  return saved;
}

}  // namespace forebay::serving
