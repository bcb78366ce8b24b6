#include "forebay/dataset/mds/mds_shard.h"

#include <cstring>

namespace forebay::dataset {
namespace {

uint32_t word_at(Bytes bytes, uint64_t offset) {
  uint32_t word = 0;
  std::memcpy(&word, bytes.data() + offset, sizeof(word));
  return word;
}

}  // namespace

Result<std::vector<uint32_t>> parse_mds_table(Bytes table, uint32_t samples, uint64_t shard_bytes) {
  const uint64_t table_bytes = mds_table_bytes(samples);
  if (table.size() < table_bytes || shard_bytes < table_bytes) {
    return data_loss("a shard of {} bytes is too short for the table of {} samples", shard_bytes, samples);
  }
  if (word_at(table, 0) != samples) {
    return data_loss("the shard has {} samples where its index says {}", word_at(table, 0), samples);
  }
  std::vector<uint32_t> offsets;
  offsets.reserve(uint64_t{samples} + 1);
  uint64_t previous = table_bytes;
  for (uint64_t i = 0; i <= samples; ++i) {
    const uint32_t offset = word_at(table, 4 * (i + 1));
    if (offset < previous || offset > shard_bytes) {
      return data_loss("sample {} is at {}, which is not between {} and the shard's end, {}", i, offset,
                       previous, shard_bytes);
    }
    offsets.push_back(offset);
    previous = offset;
  }
  return offsets;
}

Result<std::vector<Bytes>> split_mds_sample(const std::vector<MdsColumn>& columns, Bytes sample) {
  std::vector<uint64_t> sizes;
  sizes.reserve(columns.size());
  uint64_t begin = 0;
  for (const MdsColumn& column : columns) {
    if (column.bytes) {
      sizes.push_back(*column.bytes);
      continue;
    }
    if (sample.size() - begin < 4) {
      return data_loss("a sample of {} bytes ends within its sizes", sample.size());
    }
    sizes.push_back(word_at(sample, begin));
    begin += 4;
  }
  std::vector<Bytes> values;
  values.reserve(columns.size());
  for (size_t i = 0; i < columns.size(); ++i) {
    if (sizes[i] > sample.size() - begin) {
      return data_loss("column '{}' has {} bytes, and {} of the sample are left", columns[i].name, sizes[i],
                       sample.size() - begin);
    }
    values.push_back(sample.subspan(begin, sizes[i]));
    begin += sizes[i];
  }
  if (begin != sample.size()) {
    return data_loss("{} bytes of a sample are behind its last column", sample.size() - begin);
  }
  return values;
}

}  // namespace forebay::dataset
