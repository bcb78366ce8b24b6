#include "forebay/storage/listing/entry_sorter.h"

#include <algorithm>
#include <utility>

#include "forebay/storage/listing/snapshot_writer.h"

namespace forebay::storage {

Status EntrySorter::add(const NamedEntry& entry) {
  FOREBAY_RETURN_IF_ERROR(check_entry_limits(entry));
  rows_.push_back({.text = text_.size(),
                   .key_bytes = static_cast<uint32_t>(entry.key.size()),
                   .version_bytes = static_cast<uint32_t>(entry.version.size()),
                   .size_bytes = entry.size_bytes,
                   .modified_ns = entry.modified_ns,
                   .is_removed = entry.is_removed});
  text_ += entry.key;
  text_ += entry.version;
  return text_.size() + rows_.size() * sizeof(Row) >= memory_bytes_ ? write_run() : ok_status();
}

Status EntrySorter::write_run() {
  std::ranges::stable_sort(rows_, [this](const Row& a, const Row& b) { return key_of(a) < key_of(b); });
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<SnapshotWriter> run, SnapshotWriter::create(folder_, true));
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Row& row = rows_[i];
    const std::string_view key = key_of(row);
    if (i + 1 < rows_.size() && key_of(rows_[i + 1]) == key) {
      continue;  // a later one counts
    }
    FOREBAY_RETURN_IF_ERROR(run->add({.key = key,
                                      .size_bytes = row.size_bytes,
                                      .modified_ns = row.modified_ns,
                                      .version = {text_.data() + row.text + row.key_bytes, row.version_bytes},
                                      .is_removed = row.is_removed}));
  }
  FOREBAY_ASSIGN_OR_RETURN(std::shared_ptr<const NameSnapshot> made, run->finish({}, false));
  runs_.push_back(std::move(made));
  rows_.clear();
  text_.clear();
  return ok_status();
}

Result<std::unique_ptr<EntryStream>> EntrySorter::sorted() {
  if (!rows_.empty()) {
    FOREBAY_RETURN_IF_ERROR(write_run());
    rows_.shrink_to_fit();
    text_.shrink_to_fit();
  }
  return merge_snapshots(runs_, false);
}

}  // namespace forebay::storage
