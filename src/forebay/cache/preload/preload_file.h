// The record of a preload on disk, and who is at work on it.
//
// Whoever works holds a lock of the file beside the record, which the kernel drops with the process, however
// that ends. So there is one worker for a record, others can tell whether there is one, and which process it
// is. The size of that file is the number of the
// process that is asked to end, which takes no space of a full disk. The record is replaced as a whole
// (storage/home/whole_file.h).
#pragma once

#include <sys/types.h>

#include <atomic>
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
/// Stands for a process that this one cannot see, as those of another container.
inline constexpr pid_t kUnseenProcess = -1;
/// The process at work on it; 0 if there is none.
Result<pid_t> preload_worker(const std::string& file);
/// Asks whoever is at work on it to end, which PreloadFile::is_asked_to_stop() tells there. False if nobody
/// is. Does not wait.
Result<bool> stop_preload(const std::string& file);

/// The right to work on a record, until it is destroyed. Not thread safe.
class PreloadFile {
 public:
  struct Options {
    std::string file;
    std::function<void(std::string_view point)> at_point;  // for tests: storage::kReplacePoints of each save
  };

  /// already_exists if another process, or another thread of this one, is at work on it. Makes its folder.
  static Result<std::unique_ptr<PreloadFile>> open(Options options);

  ~PreloadFile();
  PreloadFile(const PreloadFile&) = delete;
  PreloadFile& operator=(const PreloadFile&) = delete;

  /// Thread safe. Asks the kernel.
  bool is_asked_to_stop() const;
  Result<std::optional<PreloadRecord>> read() const { return read_preload(options_.file); }
  /// Durable when it returns.
  Status save(const PreloadRecord& record) const;

 private:
  PreloadFile(Options options, FileDescriptor lock, std::shared_ptr<std::atomic<bool>> is_asked)
      : options_(std::move(options)), lock_(std::move(lock)), is_asked_(std::move(is_asked)) {}

  const Options options_;
  FileDescriptor lock_;
  const std::shared_ptr<std::atomic<bool>> is_asked_;  // by this process
};

}  // namespace forebay::cache
