#include "forebay/cache/core/recovery.h"

#include <algorithm>
#include <charconv>

#include "forebay/base/round_up.h"
#include "forebay/base/system_error.h"

namespace forebay::cache {
namespace {

bool is_hex(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

/// Whether the cache gives such names. What else lies in its folders is not its own.
bool is_segment_name(std::string_view name) {
  return name.size() == 16 && is_hex(name);
}

bool is_object_name(std::string_view name) {
  return name.size() > 33 && is_hex(name.substr(0, 32)) && name[32] == '.' && is_hex(name.substr(33));
}

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
    if (core_.space_.directories()[directory].owned) {
      recover_directory(directory);
    }
  }
  core_.fit_into_quota();
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
      if (!(is_segment ? is_segment_name(name) : is_object_name(name))) {
        continue;
      }
      const std::string path = folder + "/" + name;
      directory.next_name = std::max(directory.next_name, number_in(name) + 1);
      const Status status = is_segment ? recover_segment(number, path) : recover_object(number, path);
      if (!status.ok() && !errno_of(status)) {
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
  core_.set_expiry(slot, record.expires_s);
  entry.priority = record.priority;
  entry.is_whole_tail = record.is_whole_tail;
  entry.is_written = true;
  entry.is_in_policy = true;
  const bool may_be_pinned = core_.rules()->has_pins();
  if (may_be_pinned) {
    core_.unruled_.resize(std::max<size_t>(core_.unruled_.size(), slot + size_t{1}));
    core_.unruled_[slot] = true;
  }
  const Retention retention = {record.priority, may_be_pinned, record.expires_s};
  core_.policy_.inserted(slot, {record.key, record.length_bytes, retention}, QuotaPolicy::kWhole);
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
  Result<std::unique_ptr<File>> opened = core_.options_.files->open(path, true);
  if (!opened.ok()) {  // what cannot be written to can still be read
    opened = core_.options_.files->open(path, false);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, std::move(opened));
  const bool may_punch = !core_.space_.directories()[directory].owned->has_earlier_readers();
  FOREBAY_ASSIGN_OR_RETURN(const ObjectContents contents, read_object_file(*file, may_punch));
  const ObjectHeader& header = contents.header;
  if (contents.chunks.empty() || core_.space_.object_file(header.object) != nullptr) {
    return not_found("{}: nothing in it", path);
  }
  auto object = std::make_shared<ObjectFile>(core_.options_.files, path, directory, header, /*exists=*/true);
  std::vector<EntrySlot> slots;
  for (const ObjectContents::Chunk& chunk : contents.chunks) {
    EntryRecord record = {.key = {header.object, chunk.number * kChunkBytes}};
    const uint64_t left = header.size_bytes - record.key.start_bytes;
    record.length_bytes = static_cast<uint32_t>(std::min(kChunkBytes, left));
    record.expires_s = chunk.expires_s;
    record.priority = header.priority;
    record.is_whole_tail = left <= kChunkBytes;
    if (const std::optional<EntrySlot> slot = add(record)) {
      slots.push_back(*slot);
    } else if (may_punch) {
      object->punch(record.key.start_bytes).IgnoreError();  // where that cannot be, the space stays taken
    }
  }
  if (slots.empty()) {
    return not_found("{}: nothing in it", path);
  }
  object->live_chunks = slots.size();
  const uint32_t number = core_.space_.add_object(std::move(object));
  for (const EntrySlot slot : slots) {
    core_.table_[slot].file = number;
    core_.space_.charge(directory, round_up(uint64_t{core_.table_[slot].length_bytes}, kFileBlockBytes));
  }
  return ok_status();
}

}  // namespace forebay::cache
