// One read of a file: what the page cache has is read at once, the rest by io_uring or plain pread.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "forebay/storage/local/local_file.h"
#include "forebay/storage/local/uring_reader.h"
#include "forebay/storage/range.h"

namespace forebay::storage {

class LocalRead {
 public:
  /// Opens the file, checks its version and the range, and allocates the memory. `uri` names the file in
  /// errors.
  static Result<std::unique_ptr<LocalRead>> open(const std::string& path, std::string uri,
                                                 const ReadRequest& request);

  /// Reads what the page cache has; stops where it would block.
  Status read_resident();
  bool is_complete() const { return filled_ == destination_.size(); }

  /// Calls the callback with the error of reading, or with the bytes if they are of one version.
  void finish(const Status& read);
  void set_done(ReadCallback done) { done_ = std::move(done); }

  /// Reads the rest, through `ring`, or blocking if there is no ring or it refuses; then calls the callback.
  /// Needs nothing of the store, whose last owner may be dropped in a callback while other reads are in
  /// flight.
  static void finish_later(std::unique_ptr<LocalRead> read, const CallContext& context,
                           const std::shared_ptr<UringReader::Ring>& ring);

 private:
  static void read_on(std::unique_ptr<LocalRead> read, const std::shared_ptr<UringReader::Ring>& ring);
  size_t next_bytes() const;
  uint64_t next_offset() const { return offset_ + filled_; }
  std::byte* next_place() const { return destination_.data() + filled_; }
  /// Processes the result of a system call; an error ends the read.
  Status take(ssize_t count, int error_number);
  Status read_waiting();

  std::string uri_;
  CallContext context_;
  FileDescriptor descriptor_;
  FileStatus opened_;  // the file as it was then
  ReadBytes answer_;
  MutableBytes destination_;
  uint64_t offset_ = 0;
  uint64_t filled_ = 0;
  ReadCallback done_;
};

}  // namespace forebay::storage
