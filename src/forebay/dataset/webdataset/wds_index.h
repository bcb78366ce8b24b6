// Which components the samples of a WebDataset archive have, either from the tar itself or from an index file
// made by wds2idx.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

struct WdsComponent {
  std::string name;       // of the member; empty where an index file does not say it
  std::string extension;  // what follows the first dot in the last part of the name
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
  std::optional<uint64_t> name_offset_bytes;  // nothing where an index file does not tell
  bool is_name_split = false;                 // as TarMember's

  /// What the components of a sample have in common: the name up to the first dot in its last part.
  std::string_view key() const { return key_of_name(name); }
  static std::string_view key_of_name(std::string_view name);
};

struct WdsSample {
  std::vector<WdsComponent> components;  // in the archive's order
};

struct WdsArchive {
  std::vector<WdsSample> samples;
  /// Where the archive is truncated or damaged: the last sample may lack components, and more samples may be
  /// lost.
  std::optional<uint64_t> lost_at;
  Status damage;  // data_loss with the offset, unless the archive is merely truncated
};

/// Takes a sample that another one follows. An error ends the scan.
using TakeWdsSample = absl::FunctionRef<Status(WdsSample sample)>;

/// Scans an archive. Members whose base name begins with a dot are skipped. Samples are taken as they are
/// found, and the last one returned. A damaged header ends the scan; other errors are those of TarReader and
/// of reading the archive, and invalid_argument if it is compressed as a whole.
Result<WdsArchive> scan_wds_archive(const ByteSource& archive, const std::string& name, TakeWdsSample take);

/// The same, with all samples returned.
Result<WdsArchive> scan_wds_archive(const ByteSource& archive, const std::string& name);

/// Parses an index file: "v1.1 <samples>" and lines of "extension offset size", or "v1.2 <samples>" and lines
/// of "extension offset size name". data_loss naming the line for anything else, including offsets that are
/// not multiples of 512 and numbers out of range.
Result<std::vector<WdsSample>> parse_wds_index(std::string_view text, const std::string& name);

/// The index file that wds2idx writes, of version 1.2. invalid_argument for names that it cannot hold, since
/// they have white space. Members without an extension are left out.
Result<std::string> wds_index_text(const std::vector<WdsSample>& samples);

}  // namespace forebay::dataset
