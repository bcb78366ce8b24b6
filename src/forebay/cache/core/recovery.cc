#include "forebay/cache/core/recovery.h"

#include <algorithm>
#include <charconv>

#include "forebay/base/round_up.h"

namespace forebay::cache {
namespace {

/// The running number in a file's name.
uint64_t number_in(std::string_view name) {
  name = name.substr(name.find('.') + 1);  // all of it if there is no dot
  uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number, 16);
  return number;
}

}  // namespace

// The whole of it runs under the lock that CacheCore::open() holds, which clang cannot see through `core_`.
void Recovery::run() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  for (uint32_t directory = 0; directory < core_.space_.directories().size(); ++directory) {
    if (core_.space_.directories()[directory].lock) {
      recover_directory(directory);
      fit_into_quota(directory);
    }
  }
}

void Recovery::recover_directory(uint32_t number) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  CacheDirectory& directory = core_.space_.directories()[number];
  FileSystem& files = *core_.options_.files;
  for (const bool is_segment : {true, false}) {
    const std::string folder = directory.options.path + (is_segment ? "/segments" : "/objects");
    const Result<std::vector<std::string>> names = files.list(folder);
    if (!names.ok()) {
      core_.space_.turn_off(number, names.status());
      continue;
    }
    for (const std::string& name : *names) {
      const std::string path = folder + "/" + name;
      directory.next_name = std::max(directory.next_name, number_in(name) + 1);
      const Status status = is_segment ? recover_segment(number, path) : recover_object(number, path);
      if (!status.ok()) {
        const WritePoint point = is_segment ? WritePoint::kRemoveSegment : WritePoint::kRemoveObject;
        [[maybe_unused]] const Status removed = files.remove(point, path);
      }
    }
  }
}

std::optional<EntrySlot> Recovery::add(const EntryRecord& record) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  if (core_.table_.find(record.key) || record.expires_s <= core_.now_s()) {
    return std::nullopt;
  }
  const EntrySlot slot = core_.table_.insert(record.key);
  Entry& entry = core_.table_[slot];
  entry.length_bytes = record.length_bytes;
  entry.place = record.place;
  entry.expires_s = record.expires_s;
  entry.priority = record.priority;
  entry.is_whole_tail = record.is_whole_tail;
  entry.is_written = true;
  entry.is_in_policy = true;
  core_.policy_->inserted(
      slot, {record.key, record.length_bytes, {.priority = record.priority, .expires_s = record.expires_s}});
  return slot;
}

Status Recovery::recover_segment(uint32_t directory,
                                 const std::string& path) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, core_.options_.files->open(path, false));
  FOREBAY_ASSIGN_OR_RETURN(SegmentContents contents, read_segment(*file));
  std::vector<EntrySlot> slots;
  std::erase_if(contents.entries, [&](const EntryRecord& record) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
    const std::optional<EntrySlot> slot = add(record);
    if (slot) {
      slots.push_back(*slot);
    }
    return !slot;
  });
  if (slots.empty()) {
    return not_found("{}: nothing in it", path);
  }
  const uint32_t number = core_.space_.add_segment(
      std::make_shared<Segment>(core_.options_.files, path, directory, contents, slots));
  for (const EntrySlot slot : slots) {
    core_.table_[slot].file = number;
  }
  return ok_status();
}

Status Recovery::recover_object(uint32_t directory,
                                const std::string& path) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, core_.options_.files->open(path, true));
  FOREBAY_ASSIGN_OR_RETURN(const ObjectContents contents, read_object_file(*file));
  const ObjectHeader& header = contents.header;
  if (contents.chunks.empty() || core_.space_.object_file(header.object) != nullptr) {
    return not_found("{}: nothing in it", path);
  }
  auto object = std::make_shared<ObjectFile>(core_.options_.files, path, directory, header, /*exists=*/true);
  const uint32_t number = core_.space_.add_object(object);
  for (const uint64_t chunk : contents.chunks) {
    EntryRecord record = {.key = {header.object, chunk * kChunkBytes}};
    const uint64_t left = header.size_bytes - record.key.start_bytes;
    record.length_bytes = static_cast<uint32_t>(std::min(kChunkBytes, left));
    record.expires_s = header.expires_s;
    record.priority = header.priority;
    record.is_whole_tail = left <= kChunkBytes;
    if (const std::optional<EntrySlot> slot = add(record)) {
      core_.table_[*slot].file = number;
      ++object->live_chunks;
      core_.space_.charge(directory, round_up(uint64_t{record.length_bytes}, kFileBlockBytes));
    }
  }
  return ok_status();
}

/// A quota may be smaller than it was.
void Recovery::fit_into_quota(uint32_t number) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  const CacheDirectory& directory = core_.space_.directories()[number];
  while (directory.used_bytes > directory.options.quota_bytes) {
    const std::optional<EntrySlot> victim = core_.policy_->take_victim();
    if (!victim) {
      return;
    }
    core_.table_[*victim].is_in_policy = false;
    core_.doom(*victim);
  }
}

}  // namespace forebay::cache
