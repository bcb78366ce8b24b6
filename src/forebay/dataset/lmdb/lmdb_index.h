// Where the values of an LMDB database are in its file, in the order of their keys. The file is a tree of
// pages (lmdb-0.9's mdb.c, "Page structures"); a value lies in one piece, in its leaf or in pages of its own.
// So it is read by its range from any store, and no file needs to be local or mapped.
//
//   page   = number (8 bytes) | pad (2) | flags (2) | end of the pointers (2), begin of the nodes (2) |
//   pointers meta   = page | magic (4), version (4), address (8), map size (8) | free pages' tree, tree (48
//   each) | last
//            page (8) | transaction (8)
//   branch node = page number (6) | key size (2) | key
//   leaf node   = data size (4) | flags (2) | key size (2) | key | data, or its page (8)
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"

namespace forebay::dataset {

struct LmdbValue {
  uint64_t offset_bytes = 0;
  uint64_t size_bytes = 0;
};

struct LmdbScan {
  std::vector<LmdbValue> values;       // in the order of their keys
  std::optional<uint64_t> damaged_at;  // the page from which nothing can be found any more
  Status damage;                       // data_loss with that offset
};

/// Walks the tree of the last transaction that was committed. data_loss if the file is no LMDB database of
/// 64 bits, unimplemented for one with several values a key or with databases inside. A value may extend past
/// the end of a truncated file. Other errors are those of reading the file.
Result<LmdbScan> scan_lmdb(const ByteSource& file, const std::string& name);

/// Takes the next values, as they are found.
using TakeLmdbValues = absl::FunctionRef<void(std::span<const LmdbValue> values)>;
/// The same; `take` gets all values, page by page.
Result<LmdbScan> scan_lmdb(const ByteSource& file, const std::string& name, TakeLmdbValues take);

}  // namespace forebay::dataset
