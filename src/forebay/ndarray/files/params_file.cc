#include "forebay/ndarray/files/params_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <utility>

namespace forebay::ndarray {
namespace {

/// An open file, closed by the destructor.
class File {
 public:
  static Result<File> open(const std::string& path, int flags) {
    const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
    if (descriptor < 0) {
      return errno_status(errno, path);
    }
    return File(descriptor);
  }
  File(File&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  File& operator=(File&&) = delete;
  ~File() {
    if (descriptor_ >= 0) {
      ::close(descriptor_);
    }
  }

  int descriptor() const { return descriptor_; }

  Status write(Bytes bytes) const {
    while (!bytes.empty()) {
      const ssize_t written = ::write(descriptor_, bytes.data(), bytes.size());
      if (written < 0 && errno != EINTR) {
        return errno_status(errno, "write");
      }
      bytes = bytes.subspan(static_cast<size_t>(std::max<ssize_t>(written, 0)));
    }
    return ok_status();
  }

 private:
  explicit File(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

class FileSource final : public ByteSource {
 public:
  static Result<FileSource> open(const std::string& path) {
    FOREBAY_ASSIGN_OR_RETURN(File file, File::open(path, O_RDONLY));
    struct stat facts {};
    if (fstat(file.descriptor(), &facts) != 0) {
      return errno_status(errno, path);
    }
    if (!S_ISREG(facts.st_mode)) {
      return invalid_argument("{}: not a regular file", path);
    }
    return FileSource(std::move(file), static_cast<uint64_t>(facts.st_size));
  }

  uint64_t size_bytes() const override { return size_bytes_; }

  Status read(uint64_t offset_bytes, MutableBytes destination) const override {
    while (!destination.empty()) {
      const ssize_t count =
          pread(file_.descriptor(), destination.data(), destination.size(), static_cast<off_t>(offset_bytes));
      if (count < 0 && errno != EINTR) {
        return errno_status(errno, "read");
      }
      if (count == 0) {
        return data_loss("the file ends at byte {}: it became shorter while it was read", offset_bytes);
      }
      const auto taken = static_cast<size_t>(std::max<ssize_t>(count, 0));
      destination = destination.subspan(taken);
      offset_bytes += taken;
    }
    return ok_status();
  }

 private:
  FileSource(File file, uint64_t size_bytes) : file_(std::move(file)), size_bytes_(size_bytes) {}

  File file_;
  uint64_t size_bytes_;
};

Status write_file(const std::string& path, const NamedArrays& named) {
  std::vector<tensor::Tensor> held;
  std::vector<tensor::TensorView> views;
  for (const Array& array : named.arrays) {
    FOREBAY_ASSIGN_OR_RETURN(tensor::Tensor tensor, array.tensor());
    views.push_back(tensor.view());
    held.push_back(std::move(tensor));
  }
  FOREBAY_ASSIGN_OR_RETURN(const File file, File::open(path, O_WRONLY | O_CREAT | O_TRUNC));
  return write_params(views, named.names, [&](Bytes bytes) { return file.write(bytes); });
}

}  // namespace

Result<NamedArrays> load_params(const ByteSource& source) {
  FOREBAY_ASSIGN_OR_RETURN(ParamsTable table, parse_params(source));
  NamedArrays named;
  named.names = std::move(table.names);
  for (const ParamsEntry& entry : table.entries) {
    FOREBAY_ASSIGN_OR_RETURN(Array array, Array::empty(entry.spec));
    FOREBAY_RETURN_IF_ERROR(
        source.read(entry.offset_bytes, {array.region().storage->data(), entry.spec.size_bytes()}));
    named.arrays.push_back(std::move(array));
  }
  return named;
}

Result<NamedArrays> load_params_file(const std::string& path) {
  FOREBAY_ASSIGN_OR_RETURN(const FileSource source, FileSource::open(path));
  Result<NamedArrays> named = load_params(source);
  return named.ok() ? std::move(named) : annotate(named.status(), path);
}

Status save_params_file(const std::string& path, const NamedArrays& named) {
  const std::string part = path + ".part";
  Status status = write_file(part, named);
  if (status.ok() && rename(part.c_str(), path.c_str()) != 0) {
    status = errno_status(errno, path);
  }
  if (!status.ok()) {
    unlink(part.c_str());
    return annotate(status, "save " + path);
  }
  return ok_status();
}

}  // namespace forebay::ndarray
