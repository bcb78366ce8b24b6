// Files read into a GPU's memory by cuFile, past the host's memory where file system, disk and kernel have
// GPUDirect Storage. Where they do not, cuFile either refuses or copies through memory of its own
// (compatible mode): cufile.json and CUFILE_ALLOW_COMPAT_MODE decide.
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

/// A file that cuFile knows. Opened with O_DIRECT, or without where the file system refuses that.
class DirectFile final : public memory::DirectFile {
 public:
  /// Reads go to memory of the context; null: of the calling thread's own. `functions` must live longer.
  /// Errors are those of opening (errno_status) and of status_of, and name the path.
  static Result<std::unique_ptr<DirectFile>> open(const FileFunctions& functions,
                                                  std::shared_ptr<const Context> context, std::string path);
  ~DirectFile() override;
  DirectFile(const DirectFile&) = delete;
  DirectFile& operator=(const DirectFile&) = delete;

  /// Goes on after a short read. out_of_range when the file ends before.
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

/// How memory of that context's device is filled from files; opening fails with the error of
/// file_functions().
std::shared_ptr<memory::DirectReader> direct_reader(std::shared_ptr<const Context> context);

}  // namespace forebay::cuda
