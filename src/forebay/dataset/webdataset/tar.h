// The members of a tar archive and where their contents are: ustar, GNU long names, pax headers (POSIX.1-2001
// pax, "pax Interchange Format"; GNU tar manual, "Basic Tar Format"). Contents are not read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/dataset/object_reader.h"

namespace forebay::dataset {

inline constexpr uint64_t kTarBlockBytes = 512;

struct TarMember {
  std::string name;
  uint64_t offset_bytes = 0;  // of the content
  uint64_t size_bytes = 0;
  bool is_file = false;  // a regular file: not a directory, link or device
  uint64_t name_offset_bytes = 0;
  /// The name lies in the two fields that a header has for it, at that offset, not in a row.
  bool is_name_split = false;
};

/// The name that a header has, of a member whose name is in its header.
std::string tar_header_name(Bytes block);

/// Not thread safe. Borrows the source.
class TarReader {
 public:
  /// `name` names the archive in errors.
  TarReader(const ByteSource& source, std::string name) : reader_(source), name_(std::move(name)) {}

  /// Returns the next member; nullopt after the last. The last member's content may extend past the end of a
  /// truncated archive. data_loss with the offset for a damaged header; unimplemented for sparse members.
  Result<std::optional<TarMember>> next();

  /// After an error of next(): where the header in question begins or ends.
  uint64_t position() const { return position_; }

  /// After next() has returned nullopt: where a header or the closing block of zeros is missing or incomplete
  /// because the archive was truncated. What followed is unknown.
  std::optional<uint64_t> cut_at() const { return cut_at_; }

 private:
  struct Extensions {
    std::optional<std::string> name;
    uint64_t name_offset_bytes = 0;
    std::optional<uint64_t> size_bytes;
  };
  enum class BlockKind { kMember, kExtension, kEnd };

  Result<BlockKind> read_block(Extensions* extensions, TarMember* member);
  BlockKind end_cut_at(uint64_t offset_bytes);
  Result<std::string> read_text(uint64_t size_bytes);
  Status parse_pax(std::string_view records, uint64_t offset_bytes, Extensions* extensions) const;
  void skip_content(uint64_t size_bytes);

  WindowReader reader_;
  std::string name_;
  uint64_t position_ = 0;
  std::optional<uint64_t> cut_at_;
};

}  // namespace forebay::dataset
