// The record of a preload on disk, and who is at work on it.
//
// Whoever works holds a lock of the file beside the record, which the kernel drops with the process, however
// that ends. So there is one worker for a record, others can tell whether there is one, and which process it
// is. The record is replaced as a whole (storage/namespace/whole_file.h).
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/status.h"
#include "forebay/cache/preload/preload_record.h"

namespace forebay::cache {

/// Where the record of a preload lies: one for each URI and order.
std::string preload_file_of(const std::string& folder, const std::string& uri, const std::string& order);

/// The record there; nothing if there is none; data_loss if it is broken.
Result<std::optional<PreloadRecord>> read_preload(const std::string& file);
/// The process at work on it; 0 if there is none.
Result<pid_t> preload_worker(const std::string& file);
/// Asks the process at work to end in order, by SIGTERM. False if there is none. Does not wait.
Result<bool> stop_preload(const std::string& file);

/// The right to work on a record, until it is destroyed. Not thread safe.
class PreloadFile {
 public:
  struct Options {
    std::string file;
    std::function<void(std::string_view point)> at_point;  // for tests: storage::kReplacePoints of each save
  };

  /// already_exists if another process is at work on it. Makes its folder.
  static Result<std::unique_ptr<PreloadFile>> open(Options options);

  Result<std::optional<PreloadRecord>> read() const { return read_preload(options_.file); }
  /// Durable when it returns.
  Status save(const PreloadRecord& record) const;

 private:
  PreloadFile(Options options, FileDescriptor lock) : options_(std::move(options)), lock_(std::move(lock)) {}

  const Options options_;
  const FileDescriptor lock_;
};

}  // namespace forebay::cache
