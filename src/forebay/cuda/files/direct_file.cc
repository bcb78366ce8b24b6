#include "forebay/cuda/files/direct_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <optional>
#include <utility>

namespace forebay::cuda {
namespace {

int open_direct(const char* path) {
  constexpr int kFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK;  // never blocks on the other end of a pipe
  const int descriptor = ::open(path, kFlags | O_DIRECT);
  return descriptor < 0 && errno == EINVAL ? ::open(path, kFlags) : descriptor;
}

class Reader final : public memory::DirectReader {
 public:
  explicit Reader(std::shared_ptr<const Context> context) : context_(std::move(context)) {}

  Result<std::unique_ptr<memory::DirectFile>> open(const std::string& path) override {
    FOREBAY_ASSIGN_OR_RETURN(const FileFunctions* functions, file_functions());
    return DirectFile::open(*functions, context_, path);
  }

 private:
  const std::shared_ptr<const Context> context_;
};

}  // namespace

Result<std::unique_ptr<DirectFile>> DirectFile::open(const FileFunctions& functions,
                                                     std::shared_ptr<const Context> context,
                                                     std::string path) {
  std::unique_ptr<DirectFile> file(new DirectFile(functions, std::move(context), std::move(path)));
  file->descriptor_ = open_direct(file->path_.c_str());
  if (file->descriptor_ < 0) {
    return errno_status(errno, file->path_);
  }
  FOREBAY_RETURN_IF_ERROR(file->register_file());
  return file;
}

Status DirectFile::register_file() {
  FileDescription description;
  description.kind = kFileDescriptor;
  description.descriptor = descriptor_;
  FileHandle handle = nullptr;
  FOREBAY_RETURN_IF_ERROR(status_of(functions_.handle_register(&handle, &description), path_));
  handle_ = handle;
  return ok_status();
}

DirectFile::~DirectFile() {
  if (handle_ != nullptr) {
    functions_.handle_deregister(handle_);
  }
  if (descriptor_ >= 0) {
    ::close(descriptor_);
  }
}

Status DirectFile::error_of(ssize_t count, int error_number, uint64_t offset_bytes) const {
  const std::string what = fmt::format("{} at {}", path_, offset_bytes);
  if (count == 0) {
    return out_of_range("{}: the file ends there", what);
  }
  return count == -1 ? errno_status(error_number, what)
                     : status_of({.error = static_cast<int>(-count)}, what);
}

Status DirectFile::read(void* destination, size_t bytes, uint64_t offset_bytes) {
  std::optional<ContextScope> scope;
  if (context_ != nullptr) {
    scope.emplace(*context_);
  }
  for (size_t done = 0; done < bytes;) {
    errno = 0;
    const ssize_t count = functions_.read(handle_, destination, bytes - done,
                                          static_cast<off_t>(offset_bytes + done), static_cast<off_t>(done));
    if (count == -1 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      return error_of(count, errno, offset_bytes + done);
    }
    done += static_cast<size_t>(count);
  }
  return ok_status();
}

std::shared_ptr<memory::DirectReader> direct_reader(std::shared_ptr<const Context> context) {
  return std::make_shared<Reader>(std::move(context));
}

}  // namespace forebay::cuda
