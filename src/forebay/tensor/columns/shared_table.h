// Packed tables between processes: in shared memory that goes as a file descriptor (inherited, or sent over a
// Unix socket), or in a file. The reader maps the bytes; nothing is copied.
#pragma once

#include <string>

#include "forebay/tensor/columns/packed_table.h"

namespace forebay::tensor {

/// Owns a file descriptor; closed when it goes.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int number) : number_(number) {}
  FileDescriptor(FileDescriptor&& other) noexcept : number_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept;
  ~FileDescriptor();

  int get() const { return number_; }
  /// Gives it to the caller, who closes it.
  int release();

 private:
  int number_ = -1;
};

/// A table packed into memory of its own, sealed: neither its size nor its bytes can be changed any more, by
/// anybody. Close-on-exec. One counted copy.
Result<FileDescriptor> share_table(const Table& table, const std::string& name = "forebay table");

/// The table in shared memory that share_table made, mapped read-only; the descriptor may be closed
/// afterwards. failed_precondition for memory that is not sealed against shrinking and writing: who could
/// change it could change it after the checks.
Result<Table> open_shared_table(int descriptor, const OpenPackedOptions& options = {});

/// A table as a file; it is there whole or not at all. Not flushed to the disk.
Status save_table(const Table& table, const std::string& path);

/// The table in a file, mapped read-only. Whoever can write to the file can change the table while it is
/// used, and shortening it ends the process: replace such files, as save_table does.
Result<Table> load_table(const std::string& path, const OpenPackedOptions& options = {});

}  // namespace forebay::tensor
