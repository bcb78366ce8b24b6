// MosaicML's streaming shards made by hand, for tests.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "forebay/dataset/compression/unpack.h"
#include "forebay/dataset/mds/mds_index.h"

namespace forebay::dataset::testing {

/// The files of a data set: index.json and the shards.
using MdsFiles = std::map<std::string, std::string>;

/// Values of the columns, in the order of `columns`, sample by sample.
using MdsSamples = std::vector<std::vector<std::string>>;

struct MdsWriterOptions {
  Compression compression = Compression::kNone;
  std::vector<std::string> hashes;  // "sha1" and the like, of every file
};

/// A shard that is not compressed.
std::string mds_shard_of(const std::vector<MdsColumn>& columns, const MdsSamples& samples);

/// `shards`: the samples of each.
MdsFiles mds_files_of(const std::vector<MdsColumn>& columns, const std::vector<MdsSamples>& shards,
                      const MdsWriterOptions& options = {});

}  // namespace forebay::dataset::testing
