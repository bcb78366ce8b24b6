// Sharing packed tables between processes: in shared memory passed as a file descriptor (inherited, or sent
// over a Unix socket), or in a file. The reader maps the bytes; nothing is copied.
#pragma once

#include <string>

#include "forebay/base/file_descriptor.h"
#include "forebay/tensor/columns/packed_table.h"

namespace forebay::tensor {

/// Packs a table into sealed shared memory: nobody can change its size or content any more. Close-on-exec.
/// Makes one counted copy.
Result<FileDescriptor> share_table(const Table& table, const std::string& name = "forebay table");

/// Opens the table in shared memory made by share_table, mapped read-only; the descriptor may be closed
/// afterwards. failed_precondition for memory that is not sealed against shrinking and writing, because it
/// could be changed after the checks.
Result<Table> open_shared_table(int descriptor, const OpenPackedOptions& options = {});

/// Saves a table to a file atomically: the file appears whole or not at all. Not flushed to disk.
Status save_table(const Table& table, const std::string& path);

/// Opens the table in a file, mapped read-only. Anybody who can write to the file can change the table while
/// it is in use, and truncating the file ends the process: replace such files, as save_table does.
Result<Table> load_table(const std::string& path, const OpenPackedOptions& options = {});

}  // namespace forebay::tensor
