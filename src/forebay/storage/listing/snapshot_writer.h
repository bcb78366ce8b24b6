// Writes snapshots of names. Nothing is visible under the snapshot's name before all of it is on disk.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/file_descriptor.h"
#include "forebay/storage/listing/name_snapshot.h"

namespace forebay::storage {

/// Not thread safe. Takes five bytes of memory for each name while the table is made, else a few kilobytes.
/// Errors name the file.
class SnapshotWriter {
 public:
  /// Writes to a new file in `folder`, for the user alone, which goes with the writer unless it is published;
  /// if `is_unnamed`, it has no name from the beginning, and cannot be.
  static Result<std::unique_ptr<SnapshotWriter>> create(const std::string& folder, bool is_unnamed);
  ~SnapshotWriter();

  /// `entry` sorts after those before; invalid_argument if it does not, or is beyond the limits.
  Status add(const NamedEntry& entry);
  uint64_t size() const { return entries_; }

  /// Ends the file; without the table it is smaller, and found in more slowly. The snapshot stays readable
  /// while it is open.
  Result<std::shared_ptr<const NameSnapshot>> finish(const SnapshotFacts& facts, bool with_table);
  /// After finish(): gives the file its name in the same folder, durably, in the place of one that has it.
  Status publish(const std::string& path);

 private:
  SnapshotWriter(FileDescriptor file, std::string path);
  /// For errors.
  std::string name() const { return path_.empty() ? "a temporary file" : path_; }
  Status finish_block();
  Status write_out();
  Result<std::vector<uint32_t>> make_table(const NameSnapshot& snapshot) const;
  Status write_end(SnapshotHeader header, const std::string& source, const std::vector<uint32_t>& table);

  FileDescriptor file_;
  std::string path_;
  NameBlockWriter block_;
  std::string last_;
  std::string bytes_;              // not yet written
  uint64_t offset_ = 0;            // behind what is in bytes_
  std::vector<uint64_t> offsets_;  // of the blocks
  uint32_t blocks_crc_ = 0;
  uint64_t entries_ = 0;
};

}  // namespace forebay::storage
