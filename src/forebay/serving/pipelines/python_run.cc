// `python WORDS... OUT`, watched, and its file read.
#include "forebay/serving/pipelines/python_run.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

#include "forebay/base/clock.h"
#include "forebay/base/file_descriptor.h"
#include "forebay/serving/processes/worker_process.h"

namespace forebay::serving {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kLookNs = 100 * kMillisecond;  // from one look at whether it is to stop to the next

/// A file of our own that is removed with this object.
class ScratchFile {
 public:
  static Result<ScratchFile> create() {
    std::error_code error;
    std::string path = (fs::temp_directory_path(error) / "forebay-python-XXXXXX").string();
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
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  explicit ScratchFile(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

}  // namespace

Result<std::string> run_python(std::vector<std::string> words, const std::string& what,
                               const PythonRunOptions& options) {
  FOREBAY_ASSIGN_OR_RETURN(const ScratchFile out, ScratchFile::create());
  words.insert(words.begin(), options.python);
  words.push_back(out.path());
  FOREBAY_ASSIGN_OR_RETURN(WorkerProcess process,
                           WorkerProcess::start({.words = std::move(words)}, what, /*memory_limit_bytes=*/0));
  const int64_t until_ns = steady_clock().now_ns() + options.patience_ns;
  bool has_ended = false;
  for (int64_t left_ns = options.patience_ns; !has_ended && left_ns > 0 && !options.stop.stop_requested();) {
    has_ended = process.ends_within(std::min(left_ns, kLookNs));
    left_ns = until_ns - steady_clock().now_ns();
  }
  if (!has_ended && options.stop.stop_requested()) {
    return cancelled("{}: {} is ended, as nobody waits for the model any more", what, options.python);
  }
  if (!has_ended) {
    return make_status(StatusCode::kDeadlineExceeded, "{}: {} has not ended within {} s; it wrote last:\n{}",
                       what, options.python, options.patience_ns / kSecond, process.last_lines());
  }
  const std::string end = process.obituary();
  std::string content = out.content();
  if (content.empty() && process.exit_code() == 0) {
    return invalid_argument(
        "{}: {} exited with code 0 before anything was saved: does its code call os._exit() or sys.exit()? "
        "{}",
        what, options.python, end);
  }
  if (content.empty()) {
    return invalid_argument("{}: {}: {}", what, options.python, end);
  }
  return content;
}

Result<std::string> export_pipeline(const std::string& file, const PythonRunOptions& options) {
  return run_python({"-m", "forebay.plugin.triton", file}, file, options);
}

}  // namespace forebay::serving
