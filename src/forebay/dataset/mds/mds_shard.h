// A shard of MDS: a table of where its samples are, and a sample's values.
//
//   number of samples, uint32 | offsets, uint32 [samples + 1] | JSON, not used here | samples
//   a sample: the sizes, uint32, of the values of no fixed size | the values in the order of the columns
#pragma once

#include <cstdint>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/dataset/mds/mds_index.h"

namespace forebay::dataset {

/// The bytes in front of the samples' sizes and texts: the number and the offsets.
inline constexpr uint64_t mds_table_bytes(uint32_t samples) {
  return 4 * (uint64_t{samples} + 2);
}

/// Returns the offsets: samples + 1, rising, all within `shard_bytes`. `table`: the first
/// mds_table_bytes(samples) of the shard. data_loss if they are not so.
Result<std::vector<uint32_t>> parse_mds_table(Bytes table, uint32_t samples, uint64_t shard_bytes);

/// The values of a sample, one for each column, all in `sample`. data_loss if they do not fill it.
Result<std::vector<Bytes>> split_mds_sample(const std::vector<MdsColumn>& columns, Bytes sample);

/// data_loss unless the bytes have these hashes; unimplemented for an algorithm that is not known.
Status check_mds_hashes(const MdsFile& file, Bytes bytes);

}  // namespace forebay::dataset
