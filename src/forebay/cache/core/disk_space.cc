#include "forebay/cache/core/disk_space.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <random>
#include <utility>

#include "forebay/base/log.h"
#include "forebay/base/round_up.h"
#include "forebay/base/system_error.h"
#include "forebay/base/units.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kBytesBetweenLooks = 32 << 20;
constexpr uint64_t kMostSegmentBytes = uint64_t{4} << 30;
// What is promised counts as free up to so much, which is kept free instead: a quota holds at every time.
constexpr uint64_t kMostPromisedBytes = 1 << 20;
constexpr uint64_t kPromisedParts = 32;  // of a small quota, one of so many parts
constexpr uint64_t kPutOffParts = 8;     // of a quota: a part more may be taken while earlier readers look
constexpr int64_t kLeastDelayNs = kSecond;
constexpr int64_t kMostDelayNs = 60 * kSecond;

/// A new segment takes any entry.
uint64_t least_segment_bytes() {
  const uint64_t largest = layout_of(kChunkBytes, kMostUriBytes + kMostVersionBytes).total_bytes;
  return encode_segment_header(0).size() + largest + footer_bytes(1);
}

uint64_t random_salt() {
  std::random_device device;
  return static_cast<uint64_t>(device()) << 32 | device();
}

uint64_t bytes_needed(const SpaceNeeded& needed) {
  const uint64_t content =
      needed.is_chunk ? needed.length_bytes
                      : layout_of(needed.length_bytes, needed.uri_bytes + needed.version_bytes).total_bytes;
  return round_up(content, kFileBlockBytes) + kFileBlockBytes;
}

}  // namespace

uint64_t quota_bytes_of(const std::vector<DirectoryOptions>& directories) {
  uint64_t bytes = 0;
  for (const DirectoryOptions& directory : directories) {
    bytes += std::min(directory.quota_bytes, std::numeric_limits<uint64_t>::max() - bytes);
  }
  return bytes;
}

bool is_of_process(const Status& error) {
  const std::optional<int> number = errno_of(error);
  return number == EMFILE || number == ENFILE || number == ENOMEM;
}

DiskSpace::DiskSpace(const CacheOptions& options, std::shared_ptr<FileSystem> files)
    : segment_bytes_(round_up(std::clamp(options.segment_bytes, least_segment_bytes(), kMostSegmentBytes),
                              kFileBlockBytes)),
      clock_(*options.clock),
      host_(std::move(files)) {
  for (const DirectoryOptions& directory : options.directories) {
    directories_.emplace_back();
    directories_.back().options = directory;
    directories_.back().limit_bytes = directory.quota_bytes;
  }
}

Status DiskSpace::open() {
  for (CacheDirectory& directory : directories_) {
    const std::string& path = directory.options.path;
    Status status = host_->make_directory(path);
    Result<std::unique_ptr<OwnedDirectory>> owned = host_->own(path);  // before anything in it is touched
    if (owned.status().code() == StatusCode::kFailedPrecondition) {
      return owned.status();
    }
    status.Update(owned.status());
    if (owned.ok()) {
      directory.owned = *std::move(owned);
      status.Update(host_->make_directory(path + "/segments"));
      status.Update(host_->make_directory(path + "/objects"));
    }
    if (!status.ok()) {
      turn_off(static_cast<uint32_t>(&directory - directories_.data()), status);
    }
  }
  return ok_status();
}

bool DiskSpace::is_on(CacheDirectory& directory) const {
  return directory.is_on || (directory.owned && clock_.now_ns() >= directory.next_attempt_ns);
}

bool DiskSpace::can_write() {
  return std::any_of(directories_.begin(), directories_.end(),
                     [this](CacheDirectory& directory) { return is_on(directory); });
}

uint64_t DiskSpace::directories_off() const {
  return static_cast<uint64_t>(
      std::count_if(directories_.begin(), directories_.end(),
                    [](const CacheDirectory& directory) { return !directory.is_on; }));
}

uint64_t DiskSpace::used_bytes() const {
  uint64_t bytes = 0;
  for (const CacheDirectory& directory : directories_) {
    bytes += directory.used_bytes + directory.put_off_bytes;
  }
  return bytes;
}

void DiskSpace::look_at_free_space(CacheDirectory& directory) {
  directory.bytes_until_next_look = kBytesBetweenLooks;
  const Result<uint64_t> free = host_->free_bytes(directory.options.path);
  if (free.ok()) {
    const uint64_t usable = directory.used_bytes + directory.put_off_bytes + *free;
    const uint64_t reserved = std::min(usable, directory.options.least_free_bytes);
    directory.limit_bytes = std::min(directory.options.quota_bytes, usable - reserved);
  }
}

bool DiskSpace::fits(CacheDirectory& directory, const SpaceNeeded& needed) {
  const uint64_t bytes = bytes_needed(needed);
  if (!is_on(directory)) {
    return false;
  }
  if (directory.bytes_until_next_look < bytes) {
    look_at_free_space(directory);
  }
  const uint64_t kept_free = std::min(kMostPromisedBytes, directory.limit_bytes / kPromisedParts);
  return directory.used_bytes + bytes + kept_free <=
         directory.limit_bytes + std::min(directory.promised_bytes, kept_free);
}

bool DiskSpace::has_room(const SpaceNeeded& needed) {
  const auto known = objects_.find(needed.object);
  if (needed.is_chunk && known != objects_.end()) {
    return fits(directories_[files_in_use_[known->second]->directory()], needed);
  }
  return std::any_of(directories_.begin(), directories_.end(),
                     [&](CacheDirectory& directory) { return fits(directory, needed); });
}

CacheDirectory& DiskSpace::choose(const SpaceNeeded& needed) {
  const auto known = objects_.find(needed.object);
  if (needed.is_chunk && known != objects_.end()) {
    return directories_[files_in_use_[known->second]->directory()];
  }
  // The one with the most room, so that disks share the work.
  CacheDirectory* best = nullptr;
  for (CacheDirectory& directory : directories_) {
    if (fits(directory, needed) && (best == nullptr || directory.limit_bytes - directory.used_bytes >
                                                           best->limit_bytes - best->used_bytes)) {
      best = &directory;
    }
  }
  return *best;
}

void DiskSpace::place(EntrySlot slot, const SpaceNeeded& needed, Entry* entry) {
  CacheDirectory& directory = choose(needed);
  const uint64_t bytes = bytes_needed(needed);
  directory.bytes_until_next_look -= std::min(directory.bytes_until_next_look, bytes);
  if (needed.is_chunk) {
    place_in_object(directory, needed, entry);
  } else {
    place_in_segment(directory, slot, needed, entry);
  }
}

void DiskSpace::place_in_segment(CacheDirectory& directory, EntrySlot slot, const SpaceNeeded& needed,
                                 Entry* entry) {
  const uint64_t text_bytes = needed.uri_bytes + needed.version_bytes;
  for (;; close_segment(directory)) {
    if (directory.active == kNoFile) {
      directory.active = add_file(std::make_shared<Segment>(
          host_, fmt::format("{}/segments/{:016x}", directory.options.path, directory.next_name++),
          static_cast<uint32_t>(&directory - directories_.data()), segment_bytes_, random_salt()));
    }
    Segment& active = segment(directory.active);
    const uint64_t before = active.charged_bytes();
    if (const std::optional<uint32_t> place = active.append(slot, needed.length_bytes, text_bytes)) {
      entry->file = directory.active;
      entry->place = *place;
      directory.used_bytes += active.charged_bytes() - before;
      ++active.under_way;
      return;
    }
  }
}

void DiskSpace::close_segment(CacheDirectory& directory) {
  if (directory.active != kNoFile) {
    Segment& active = segment(directory.active);
    active.is_closed = true;
    if (active.under_way == 0) {
      closed_.push_back(directory.active);
    }
    directory.active = kNoFile;
  }
}

void DiskSpace::close_segments() {
  for (CacheDirectory& directory : directories_) {
    close_segment(directory);
  }
}

void DiskSpace::written(uint32_t number) {
  Segment& segment = this->segment(number);
  if (--segment.under_way == 0 && segment.is_closed) {
    closed_.push_back(number);
  }
}

std::vector<uint32_t> DiskSpace::take_closed() {
  for (const uint32_t number : closed_) {
    segment(number).was_told = true;
  }
  return std::exchange(closed_, {});
}

SpaceFreed DiskSpace::drop_segment(uint32_t number) {
  Segment& segment = this->segment(number);
  const uint64_t bytes = segment.charged_bytes();
  segment.uncharge(bytes);
  directories_[segment.directory()].used_bytes -= bytes;
  return {.file = files_in_use_[number], .number = number, .extent = {}, .is_last = true};
}

void DiskSpace::place_in_object(CacheDirectory& directory, const SpaceNeeded& needed, Entry* entry) {
  auto known = objects_.find(needed.object);
  if (known == objects_.end()) {
    ObjectHeader header = {.object = needed.object, .size_bytes = needed.object_bytes};
    header.uri_bytes = static_cast<uint32_t>(needed.uri_bytes);
    header.version_bytes = static_cast<uint32_t>(needed.version_bytes);
    header.expires_s = needed.expires_s;
    header.priority = needed.priority;
    std::string path = fmt::format("{}/objects/{:016x}{:016x}.{:x}", directory.options.path,
                                   needed.object.high, needed.object.low, directory.next_name++);
    const uint32_t number = add_file(std::make_shared<ObjectFile>(
        host_, std::move(path), static_cast<uint32_t>(&directory - directories_.data()), header, false));
    known = objects_.emplace(needed.object, number).first;
  }
  entry->file = known->second;
  ++static_cast<ObjectFile&>(*files_in_use_[entry->file]).live_chunks;
  directory.used_bytes += round_up(needed.length_bytes, kFileBlockBytes);
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
  directories_[object.directory()].used_bytes -= freed.bytes;
  freed.start_bytes = entry.start_bytes;
  freed.is_on_disk = entry.is_written;
  if (--object.live_chunks == 0) {
    freed.is_last = true;
    freed.is_on_disk = true;
    objects_.erase(object.object());
  }
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
  return !directories_.empty() && std::ranges::all_of(directories_, [](const CacheDirectory& directory) {
    return directory.put_off_bytes > directory.limit_bytes / kPutOffParts;
  });
}

std::vector<SpaceFreed> DiskSpace::take_put_off(const EntryFile& file) {
  CacheDirectory& directory = directories_[file.directory()];
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

void DiskSpace::freed(const SpaceFreed& freed, const Status& status) {
  if (freed.is_last) {
    directories_[freed.file->directory()].used_bytes -= std::exchange(freed.file->kept_bytes, 0);
    files_in_use_[freed.number].reset();
    free_numbers_.push_back(freed.number);
  } else if (!status.ok()) {
    freed.file->kept_bytes += freed.bytes;
    directories_[freed.file->directory()].used_bytes += freed.bytes;
  } else if (freed.is_chunk) {
    static_cast<ObjectFile&>(*freed.file).leaving.erase(freed.start_bytes);
  }
}

void DiskSpace::turn_off(uint32_t number, const Status& why) {
  CacheDirectory& directory = directories_[number];
  if (is_of_process(why)) {
    return;
  }
  if (directory.is_on || clock_.now_ns() >= directory.next_attempt_ns) {
    directory.delay_ns = std::clamp(2 * directory.delay_ns, kLeastDelayNs, kMostDelayNs);
    directory.next_attempt_ns = clock_.now_ns() + directory.delay_ns;
  }
  directory.is_on = false;
  directory.bytes_until_next_look = 0;
  if (!std::exchange(directory.was_warned_of, true)) {
    log_warning("{}: the cache is not written to for now: {}", directory.options.path, message(why));
  }
}

void DiskSpace::note_written(uint32_t number) {
  CacheDirectory& directory = directories_[number];
  if (!directory.is_on && clock_.now_ns() >= directory.next_attempt_ns) {
    directory.is_on = true;
    directory.was_warned_of = false;
    directory.delay_ns = 0;
    log_info("{}: the cache is written to again", directory.options.path);
  }
}

const ObjectFile* DiskSpace::object_file(const ObjectId& object) const {
  const auto known = objects_.find(object);
  return known == objects_.end() ? nullptr
                                 : static_cast<const ObjectFile*>(files_in_use_[known->second].get());
}

void DiskSpace::forget_mappings() {
  for (const std::shared_ptr<EntryFile>& file : files_in_use_) {
    if (file) {
      file->forget_mapping();
    }
  }
}

uint32_t DiskSpace::add_file(std::shared_ptr<EntryFile> file) {
  if (free_numbers_.empty()) {
    files_in_use_.push_back(std::move(file));
    return static_cast<uint32_t>(files_in_use_.size() - 1);
  }
  const uint32_t number = free_numbers_.back();
  free_numbers_.pop_back();
  files_in_use_[number] = std::move(file);
  return number;
}

uint32_t DiskSpace::add_segment(std::shared_ptr<Segment> segment) {
  directories_[segment->directory()].used_bytes += segment->charged_bytes();
  return add_file(std::move(segment));
}

uint32_t DiskSpace::add_object(std::shared_ptr<ObjectFile> object) {
  const ObjectId id = object->object();
  const uint32_t number = add_file(std::move(object));
  objects_.emplace(id, number);
  return number;
}

}  // namespace forebay::cache
