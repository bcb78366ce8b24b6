#include "forebay/cache/core/disk_space.h"

#include <algorithm>
#include <cerrno>
#include <limits>
#include <random>
#include <utility>

#include "forebay/base/log/log.h"
#include "forebay/base/round_up.h"
#include "forebay/base/system_error.h"
#include "forebay/base/units.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kBytesBetweenLooks = 32 << 20;
constexpr int64_t kTimeBetweenLooksNs = kSecond;
// With room for less, nearly everything that comes has to push out what came just before.
constexpr uint64_t kLeastUsefulBytes = 2 * kChunkBytes;
constexpr uint64_t kMaxSegmentBytes = uint64_t{4} << 30;
// What is promised counts as free up to so much, which is kept free instead: a quota holds at every time.
constexpr uint64_t kMaxPromisedBytes = 1 << 20;
constexpr uint64_t kPromisedParts = 32;  // of a small quota, one of so many parts
constexpr int64_t kLeastDelayNs = kSecond;
constexpr int64_t kMaxDelayNs = 60 * kSecond;

/// A new segment takes any entry.
uint64_t least_segment_bytes() {
  const uint64_t largest = layout_of(kChunkBytes, kMaxUriBytes + kMaxVersionBytes).total_bytes;
  return encode_segment_header(0).size() + largest + footer_bytes(1);
}

/// Of one member of each; the largest number if that is exceeded.
template <class T>
uint64_t sum_of(const std::vector<T>& all, uint64_t T::*member) {
  uint64_t sum = 0;
  for (const T& each : all) {
    sum += std::min(each.*member, std::numeric_limits<uint64_t>::max() - sum);
  }
  return sum;
}

uint64_t random_salt() {
  std::random_device device;
  return static_cast<uint64_t>(device()) << 32 | device();
}

/// At most.
uint64_t bytes_needed(const SpaceNeeded& needed) {
  const size_t text_bytes = needed.uri_bytes + needed.version_bytes;
  const uint64_t beside =
      needed.is_chunk ? round_up(kObjectHeaderBytes + text_bytes + kRecordBytes, kFileBlockBytes) : 0;
  const uint64_t content =
      needed.is_chunk ? needed.length_bytes : layout_of(needed.length_bytes, text_bytes).total_bytes;
  return round_up(content, kFileBlockBytes) + beside + kFileBlockBytes;
}

}  // namespace

uint64_t quota_bytes_of(const std::vector<DirectoryOptions>& directories) {
  return sum_of(directories, &DirectoryOptions::quota_bytes);
}

bool is_of_process(const Status& error) {
  const std::optional<int> number = errno_of(error);
  return number == EMFILE || number == ENFILE || number == ENOMEM;
}

DiskSpace::DiskSpace(const CacheOptions& options, std::shared_ptr<FileSystem> files)
    : segment_bytes_(round_up(std::clamp(options.segment_bytes, least_segment_bytes(), kMaxSegmentBytes),
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
      status.Update(make_folders(directory));
    }
    if (!status.ok()) {
      turn_off(static_cast<uint32_t>(&directory - directories_.data()), status);
    }
  }
  return ok_status();
}

Status DiskSpace::make_folders(const CacheDirectory& directory) {
  FOREBAY_RETURN_IF_ERROR(
      host_->list(directory.options.path).status());  // if it has gone, so has its owner's lock
  FOREBAY_RETURN_IF_ERROR(host_->make_directory(directory.options.path + "/segments"));
  return host_->make_directory(directory.options.path + "/objects");
}

bool DiskSpace::is_on(CacheDirectory& directory) const {
  return directory.is_on || (directory.owned && clock_.now_ns() >= directory.next_attempt_ns);
}

uint64_t DiskSpace::directories_off() const {
  return static_cast<uint64_t>(
      std::count_if(directories_.begin(), directories_.end(),
                    [](const CacheDirectory& directory) { return !directory.is_on; }));
}

uint64_t DiskSpace::used_bytes() const {
  uint64_t bytes = 0;
  for (const CacheDirectory& directory : directories_) {
    bytes += directory.taken_bytes() + directory.put_off_bytes;
  }
  return bytes;
}

uint64_t DiskSpace::limit_bytes() const {
  return sum_of(directories_, &CacheDirectory::limit_bytes);
}

void DiskSpace::look_at_free_space(CacheDirectory& directory) {
  directory.bytes_until_next_look = kBytesBetweenLooks;
  directory.next_look_ns = clock_.now_ns() + kTimeBetweenLooksNs;
  const Result<uint64_t> free = host_->free_bytes(directory.options.path);
  if (free.ok()) {
    const uint64_t usable = directory.taken_bytes() + directory.put_off_bytes + *free;
    const uint64_t reserved = std::min(usable, directory.options.least_free_bytes);
    directory.limit_bytes = std::min(directory.options.quota_bytes, usable - reserved);
    tell_if_full(directory);
  }
}

void DiskSpace::look_if_due(CacheDirectory& directory, uint64_t bytes) {
  const bool is_bounded = directory.limit_bytes < directory.options.quota_bytes;
  if (directory.bytes_until_next_look < bytes || (is_bounded && clock_.now_ns() >= directory.next_look_ns)) {
    look_at_free_space(directory);
  }
}

void DiskSpace::note_written(CacheDirectory& directory, uint64_t bytes) {
  directory.bytes_until_next_look -= std::min(directory.bytes_until_next_look, bytes);
}

void DiskSpace::tell_if_full(CacheDirectory& directory) {
  const bool is_full = directory.limit_bytes <
                       directory.beside_bytes() + std::min(directory.options.quota_bytes, kLeastUsefulBytes);
  if (is_full == directory.was_told_full) {
    return;
  }
  directory.was_told_full = is_full;
  if (is_full) {
    log_warning(
        "{}: the cache keeps next to nothing for now: {} bytes of the disk have to stay free, and others "
        "have "
        "filled it; make room on it, or have the cache leave less free (--least-free)",
        directory.options.path, directory.options.least_free_bytes);
  } else {
    log_info("{}: the disk has room for the cache again", directory.options.path);
  }
}

bool DiskSpace::fits(CacheDirectory& directory, const SpaceNeeded& needed) {
  const uint64_t bytes = bytes_needed(needed);
  if (!is_on(directory)) {
    return false;
  }
  if (!directory.is_on) {
    make_folders(directory).IgnoreError();  // whoever writes next finds out
  }
  look_if_due(directory, bytes);
  return fits_beside(directory, directory.taken_bytes() + directory.put_off_beyond_part(), bytes);
}

bool DiskSpace::fits_beside(const CacheDirectory& directory, uint64_t taken_bytes, uint64_t bytes) {
  const uint64_t kept_free = std::min(kMaxPromisedBytes, directory.limit_bytes / kPromisedParts);
  return taken_bytes + bytes + kept_free <=
         directory.limit_bytes + std::min(directory.promised_bytes, kept_free);
}

CacheDirectory* DiskSpace::own_directory(const SpaceNeeded& needed) {
  const auto known = objects_.find(needed.object);
  return needed.is_chunk && known != objects_.end() ? &directory_of(*files_in_use_[known->second]) : nullptr;
}

bool DiskSpace::has_room(const SpaceNeeded& needed) {
  if (CacheDirectory* const own = own_directory(needed)) {
    return fits(*own, needed);
  }
  return std::any_of(directories_.begin(), directories_.end(),
                     [&](CacheDirectory& directory) { return fits(directory, needed); });
}

bool DiskSpace::may_have_room(const SpaceNeeded& needed) {
  const auto may_have = [this, bytes = bytes_needed(needed)](CacheDirectory& directory) {
    return is_on(directory) && fits_beside(directory, directory.beside_bytes(), bytes);
  };
  if (CacheDirectory* const own = own_directory(needed)) {
    return may_have(*own);
  }
  return std::any_of(directories_.begin(), directories_.end(), may_have);
}

CacheDirectory& DiskSpace::choose(const SpaceNeeded& needed) {
  if (CacheDirectory* const own = own_directory(needed)) {
    return *own;
  }
  // The one with the most room, so that disks share the work.
  CacheDirectory* best = nullptr;
  for (CacheDirectory& directory : directories_) {
    if (fits(directory, needed) && (best == nullptr || directory.limit_bytes - directory.taken_bytes() >
                                                           best->limit_bytes - best->taken_bytes())) {
      best = &directory;
    }
  }
  return *best;
}

void DiskSpace::place(EntrySlot slot, const SpaceNeeded& needed, Entry* entry) {
  CacheDirectory& directory = choose(needed);
  note_written(directory, bytes_needed(needed));
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

void DiskSpace::place_in_object(CacheDirectory& directory, const SpaceNeeded& needed, Entry* entry) {
  auto known = objects_.find(needed.object);
  if (known == objects_.end()) {
    ObjectHeader header = {.object = needed.object, .size_bytes = needed.object_bytes};
    header.uri_bytes = static_cast<uint32_t>(needed.uri_bytes);
    header.version_bytes = static_cast<uint32_t>(needed.version_bytes);
    header.priority = needed.priority;
    std::string path = fmt::format("{}/objects/{:016x}{:016x}.{:x}", directory.options.path,
                                   needed.object.high, needed.object.low, directory.next_name++);
    const uint32_t number = add_file(std::make_shared<ObjectFile>(
        host_, std::move(path), static_cast<uint32_t>(&directory - directories_.data()), header, false));
    known = objects_.emplace(needed.object, number).first;
  }
  entry->file = known->second;
  ObjectFile& object = static_cast<ObjectFile&>(*files_in_use_[entry->file]);
  ++object.live_chunks;
  directory.used_bytes +=
      round_up(needed.length_bytes, kFileBlockBytes) + object.charge_record(needed.start_bytes);
}

void DiskSpace::turn_off(uint32_t number, const Status& why) {
  CacheDirectory& directory = directories_[number];
  if (is_of_process(why)) {
    return;
  }
  if (directory.is_on || clock_.now_ns() >= directory.next_attempt_ns) {
    directory.delay_ns = std::clamp(2 * directory.delay_ns, kLeastDelayNs, kMaxDelayNs);
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
  directories_[object->directory()].used_bytes += object->record_bytes();
  const uint32_t number = add_file(std::move(object));
  objects_.emplace(id, number);
  return number;
}

}  // namespace forebay::cache
