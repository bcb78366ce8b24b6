// Sorts more entries than fit into memory: what comes is sorted in parts, which are written to files without
// a name and merged while they are read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/storage/listing/entry_stream.h"
#include "forebay/storage/listing/name_snapshot.h"

namespace forebay::storage {

/// Not thread safe.
class EntrySorter {
 public:
  /// The files lie in `folder`; the entries in memory take about `memory_bytes`.
  explicit EntrySorter(std::string folder, size_t memory_bytes = size_t{64} << 20)
      : folder_(std::move(folder)), memory_bytes_(memory_bytes) {}

  /// In any order. Of two with the same key, the later one counts. invalid_argument beyond the limits.
  Status add(const NamedEntry& entry);
  /// All entries, sorted, each key once. May be called again, for another pass; nothing may be added then.
  Result<std::unique_ptr<EntryStream>> sorted();

 private:
  struct Row {
    size_t text = 0;  // where the key begins; the version follows it
    uint32_t key_bytes = 0;
    uint32_t version_bytes = 0;
    uint64_t size_bytes = 0;
    int64_t modified_ns = 0;
    bool is_removed = false;
  };

  std::string_view key_of(const Row& row) const { return {text_.data() + row.text, row.key_bytes}; }
  /// Writes what is in memory as one more run.
  Status write_run();

  const std::string folder_;
  const size_t memory_bytes_;
  std::string text_;
  std::vector<Row> rows_;
  std::vector<std::shared_ptr<const NameSnapshot>> runs_;
};

}  // namespace forebay::storage
