// How reads of many ranges become requests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Ranges of one version of one object that are read by one request, in the order of their offsets.
struct JoinedRange {
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  uint64_t padding_bytes = 0;    // behind the last byte
  std::vector<size_t> requests;  // places in what was planned
};

struct JoinLimits {
  uint64_t gap_bytes = 0;            // the widest gap that is read over
  uint64_t longest_range = 1 << 20;  // ranges beyond it stay alone
  uint64_t longest_request = 8 << 20;
};

/// Joins ranges that lie close to each other. Each request is in exactly one of the results; those of unknown
/// length, of no bytes, or that may not leave their object's memory (leases) stay alone.
std::vector<JoinedRange> join_ranges(const std::vector<ReadRequest>& requests, const JoinLimits& limits);

}  // namespace forebay::storage
