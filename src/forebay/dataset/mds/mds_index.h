// index.json of MosaicML's streaming shards (MDS, format version 2): which shards there are, what their
// columns are, how they are compressed, their hashes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/dataset/compression/unpack.h"

namespace forebay::dataset {

/// A file as index.json describes it.
struct MdsFile {
  std::string basename;  // relative to the folder of index.json
  uint64_t bytes = 0;
  std::vector<std::pair<std::string, std::string>> hashes;  // algorithm, hexadecimal digits
};

struct MdsColumn {
  std::string name;
  std::string encoding;
  std::optional<uint64_t> bytes;  // of each value, where all have as many

  friend bool operator==(const MdsColumn&, const MdsColumn&) = default;
};

struct MdsShard {
  std::vector<MdsColumn> columns;  // in the order of a sample's values
  uint32_t samples = 0;
  MdsFile raw;
  Compression compression = Compression::kNone;
  std::optional<MdsFile> packed;  // the compressed file, which is there instead of the raw one

  const MdsFile& stored() const { return packed ? *packed : raw; }
};

/// data_loss if the text is no such index, or names a file outside of its folder; unimplemented for other
/// formats, versions and compressions. `name`: of the file, for messages.
Result<std::vector<MdsShard>> parse_mds_index(std::string_view text, std::string_view name);

}  // namespace forebay::dataset
