// Reads files into GPU memory with cuFile, bypassing host memory if file system, disk and kernel support
// GPUDirect Storage. If they do not, cuFile either refuses or copies through its own memory (compatible
// mode), as cufile.json and CUFILE_ALLOW_COMPAT_MODE decide.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "forebay/base/status.h"
#include "forebay/cuda/driver/context.h"
#include "forebay/cuda/files/file_functions.h"
#include "forebay/memory/device/direct_reader.h"

namespace forebay::cuda {

/// A file registered with cuFile. Opened with O_DIRECT, or without it if the file system refuses.
class DirectFile final : public memory::DirectFile {
 public:
  /// Reads go to memory of `context`; null means the calling thread's current context. `functions` must
  /// outlive the file. Errors are those of opening (errno_status) and of status_of, and name the path.
  static Result<std::unique_ptr<DirectFile>> open(const FileFunctions& functions,
                                                  std::shared_ptr<const Context> context, std::string path);
  ~DirectFile() override;
  DirectFile(const DirectFile&) = delete;
  DirectFile& operator=(const DirectFile&) = delete;

  /// Continues after a short read. out_of_range if the file ends too early.
  Status read(void* destination, size_t bytes, uint64_t offset_bytes) override;

 private:
  DirectFile(const FileFunctions& functions, std::shared_ptr<const Context> context, std::string path)
      : functions_(functions), context_(std::move(context)), path_(std::move(path)) {}
  Status register_file();
  Status error_of(ssize_t count, int error_number, uint64_t offset_bytes) const;

  const FileFunctions& functions_;
  const std::shared_ptr<const Context> context_;
  const std::string path_;
  int descriptor_ = -1;
  FileHandle handle_ = nullptr;
};

/// Returns the reader for memory of that context's device; opening a file fails with the error of
/// file_functions().
std::shared_ptr<memory::DirectReader> direct_reader(std::shared_ptr<const Context> context);

}  // namespace forebay::cuda
