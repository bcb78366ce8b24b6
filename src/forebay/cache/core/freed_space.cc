// Space that comes back: what entries leave when they go, and what has to wait for that.
#include <algorithm>
#include <cerrno>
#include <utility>

#include "forebay/base/round_up.h"
#include "forebay/base/system_error.h"
#include "forebay/cache/core/disk_space.h"

namespace forebay::cache {

uint64_t CacheDirectory::put_off_beyond_part() const {
  constexpr uint64_t kParts = 8;  // of a quota: a part more may be taken while earlier readers look
  return put_off_bytes - std::min(put_off_bytes, limit_bytes / kParts);
}

SpaceFreed DiskSpace::drop_segment(uint32_t number) {
  Segment& segment = this->segment(number);
  const uint64_t bytes = segment.charged_bytes();
  segment.uncharge(bytes);
  directories_[segment.directory()].used_bytes -= bytes;
  return {.file = files_in_use_[number], .number = number, .extent = {}, .is_last = true, .bytes = bytes};
}

void DiskSpace::begin_to_leave(const Entry& entry) {
  if (entry.file != kNoFile && entry.place == 0) {
    static_cast<ObjectFile&>(*files_in_use_[entry.file]).leaving.insert(entry.start_bytes);
  }
}

SpaceFreed DiskSpace::drop(const Entry& entry) {
  return entry.place == 0 ? drop_from_object(entry) : drop_from_segment(entry);
}

SpaceFreed DiskSpace::drop_from_segment(const Entry& entry) {
  Segment& segment = this->segment(entry.file);
  CacheDirectory& directory = directories_[segment.directory()];
  SpaceFreed freed = {.file = files_in_use_[entry.file], .number = entry.file};
  const Extent whole = segment.extent_of(entry.place);
  const Segment::Blocks blocks = segment.drop(entry.place, entry.is_written);
  freed.extent = blocks.extent;
  freed.is_on_disk = blocks.may_hold_data;
  if (segment.is_empty() && segment.was_told && segment.under_way == 0) {
    return drop_segment(entry.file);
  }
  freed.bytes = std::min(freed.extent.end_bytes - freed.extent.begin_bytes, segment.charged_bytes());
  if (segment.is_earlier()) {  // what lies between its entries was not charged
    const uint64_t end = whole.begin_bytes + layout_of(entry.length_bytes, 0).total_bytes;
    freed.bytes = std::min(
        freed.bytes, round_up(end, kFileBlockBytes) - whole.begin_bytes / kFileBlockBytes * kFileBlockBytes);
  }
  segment.uncharge(freed.bytes);
  directory.used_bytes -= freed.bytes;
  note_sparse(entry.file, whole);
  return freed;
}

/// Looks at the blocks that the entry shared with others.
void DiskSpace::note_sparse(uint32_t number, Extent entry) {
  const uint64_t first = entry.begin_bytes / kFileBlockBytes * kFileBlockBytes;
  const uint64_t last = (entry.end_bytes - 1) / kFileBlockBytes * kFileBlockBytes;
  note_sparse_block(number, first);
  if (last != first) {
    note_sparse_block(number, last);
  }
}

void DiskSpace::note_sparse_block(uint32_t number, uint64_t offset_bytes) {
  const std::shared_ptr<EntryFile>& file = files_in_use_[number];
  const auto known = sparse_.find({file.get(), offset_bytes});
  if (known != sparse_.end()) {
    end_sparse(known->second);
    sparse_.erase(known);
  }
  const Segment::Few few = segment(number).few_at(offset_bytes);
  if (!few.slots.empty() && may_punch(*file) && directories_[file->directory()].is_on) {
    const SparseBlock block = {file, number, offset_bytes, kFileBlockBytes - few.bytes};
    directories_[file->directory()].promised_bytes += block.promised_bytes;
    sparse_.emplace(std::pair(file.get(), offset_bytes), block);
  }
}

std::optional<SparseBlock> DiskSpace::take_sparse() {
  if (sparse_.empty()) {
    return std::nullopt;
  }
  return std::move(sparse_.extract(sparse_.begin()).mapped());
}

void DiskSpace::end_sparse(const SparseBlock& block) {
  directories_[block.file->directory()].promised_bytes -= block.promised_bytes;
}

DiskWorker* DiskSpace::worker_of_sparse() {
  return sparse_.empty() ? nullptr : &worker_of(*sparse_.begin()->second.file);
}

SpaceFreed DiskSpace::drop_from_object(const Entry& entry) {
  ObjectFile& object = static_cast<ObjectFile&>(*files_in_use_[entry.file]);
  SpaceFreed freed = {.file = files_in_use_[entry.file], .number = entry.file, .is_chunk = true};
  freed.bytes = round_up(uint64_t{entry.length_bytes}, kFileBlockBytes);
  freed.start_bytes = entry.start_bytes;
  freed.is_on_disk = entry.is_written;
  if (--object.live_chunks == 0) {
    freed.is_last = true;
    freed.is_on_disk = true;
    freed.bytes += object.record_bytes();
    objects_.erase(object.object());
  }
  directories_[object.directory()].used_bytes -= freed.bytes;
  return freed;
}

bool DiskSpace::may_punch(const EntryFile& file) const {
  return !file.is_earlier() || !directories_[file.directory()].owned->has_earlier_readers();
}

void DiskSpace::put_off(SpaceFreed freed) {
  CacheDirectory& directory = directories_[freed.file->directory()];
  directory.put_off_bytes += freed.bytes;
  directory.put_off.push_back(std::move(freed));
}

bool DiskSpace::is_held() const {
  const auto is_written = [](const CacheDirectory& directory) { return directory.is_on && directory.owned; };
  return std::ranges::any_of(directories_, is_written) &&
         std::ranges::all_of(directories_, [&](const CacheDirectory& directory) {
           return !is_written(directory) || directory.put_off_beyond_part() > 0;
         });
}

std::vector<SpaceFreed> DiskSpace::take_put_off(CacheDirectory& directory) {
  if (directory.put_off.empty() || !may_punch(*directory.put_off.front().file)) {
    return {};
  }
  directory.put_off_bytes = 0;
  return std::exchange(directory.put_off, {});
}

void DiskSpace::forget_put_off(const EntryFile& file) {
  CacheDirectory& directory = directories_[file.directory()];
  std::erase_if(directory.put_off, [&](const SpaceFreed& each) {
    directory.put_off_bytes -= each.file.get() == &file ? each.bytes : 0;
    return each.file.get() == &file;
  });
}

void DiskSpace::keep(const SpaceFreed& freed) {
  freed.file->kept_bytes += freed.bytes;
  directories_[freed.file->directory()].used_bytes += freed.bytes;
}

void DiskSpace::freed(const SpaceFreed& freed, const Status& status) {
  const bool is_done =
      status.ok() || errno_of(status) == ENOENT;  // of a file that has gone, nothing is taken
  CacheDirectory& directory = directories_[freed.file->directory()];
  if (!is_done) {
    keep(freed);
  }
  if (freed.is_last) {
    directory.used_bytes -= is_done ? std::exchange(freed.file->kept_bytes, 0) : 0;
    files_in_use_[freed.number].reset();
    free_numbers_.push_back(freed.number);
  } else if (is_done && freed.is_chunk) {
    static_cast<ObjectFile&>(*freed.file).leaving.erase(freed.start_bytes);
  }
}

}  // namespace forebay::cache
