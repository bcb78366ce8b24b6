// The beginning of a file as memory, with zeros behind it that may be read, though the file ends before.
#pragma once

#include <cstdint>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::cache {

/// Move-only. What is behind the end of a file that has become shorter must not be touched.
class MappedFile {
 public:
  /// At least `zeros_behind` bytes behind `bytes`, where the file has to end, may be read, and are zeros:
  /// where its last page has no room for them, a page without a file follows. Errors keep their errno; `name`
  /// is for them.
  static Result<MappedFile> map(int file, uint64_t bytes, uint64_t zeros_behind, std::string_view name);
  MappedFile(MappedFile&& from) noexcept;
  MappedFile& operator=(MappedFile&&) = delete;
  ~MappedFile();

  /// Without the zeros.
  Bytes bytes() const { return bytes_; }

 private:
  MappedFile(Bytes bytes, uint64_t mapped_bytes) : bytes_(bytes), mapped_bytes_(mapped_bytes) {}

  Bytes bytes_;
  uint64_t mapped_bytes_;
};

}  // namespace forebay::cache
