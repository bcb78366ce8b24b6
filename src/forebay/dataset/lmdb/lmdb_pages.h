// Pages of an LMDB database, read in the order of a walk through its tree.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/clock.h"
#include "forebay/dataset/object_reader.h"

namespace forebay::dataset {

/// Where reads take long, as from a store across a network, the pages that come next are read together with
/// the one that is asked for, side by side, and neighbours as one. Not thread safe; borrows the file.
class LmdbPages {
 public:
  LmdbPages(const ByteSource& file, uint64_t page_bytes, const Clock& clock = steady_clock())
      : file_(file), page_bytes_(page_bytes), clock_(clock), reader_(file, clock) {}

  /// A page that lies within the file, valid until the next call. `next`: pages that will be asked for soon,
  /// the first of them last; those outside the file are passed over.
  Result<Bytes> at(uint64_t number, std::span<const uint64_t> next);

 private:
  Status fetch(uint64_t number, std::span<const uint64_t> next);

  const ByteSource& file_;
  const uint64_t page_bytes_;
  const Clock& clock_;
  WindowReader reader_;
  bool is_slow_ = false;
  std::map<uint64_t, std::vector<std::byte>> fetched_;  // ahead of the walk
  std::vector<std::byte> current_;
};

}  // namespace forebay::dataset
