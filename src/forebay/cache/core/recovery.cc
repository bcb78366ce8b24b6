#include "forebay/cache/core/recovery.h"

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "forebay/base/round_up.h"
#include "forebay/base/system_error.h"

namespace forebay::cache {
namespace {

constexpr const char* kSegmentsFolder = "/segments/";
constexpr const char* kObjectsFolder = "/objects/";

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

bool is_records_name(std::string_view name) {
  return name.ends_with(kRecordFileSuffix) &&
         is_object_name(name.substr(0, name.size() - kRecordFileSuffix.size()));
}

/// The running number in a file's name.
uint64_t number_in(std::string_view name) {
  name = name.substr(name.find('.') + 1);  // all of it if there is no dot; a second one ends the number
  uint64_t number = 0;
  std::from_chars(name.data(), name.data() + name.size(), number, 16);
  return number;
}

}  // namespace

// The whole of it runs under the lock that CacheCore::open() holds, which clang cannot see through `core_`.
void Recovery::run() FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  for (uint32_t directory = 0; directory < core_.space_.directories().size(); ++directory) {
    if (core_.space_.directories()[directory].owned) {
      recover_segments(directory);
      recover_objects(directory);
    }
  }
  core_.fit_into_quota();
}

std::vector<std::string> Recovery::names_in(uint32_t number,
                                            const char* folder) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  CacheDirectory& directory = core_.space_.directories()[number];
  Result<std::vector<std::string>> names = core_.options_.files->list(directory.options.path + folder);
  if (!names.ok()) {
    core_.space_.turn_off(number, names.status());
    return {};
  }
  std::erase_if(*names, [](const std::string& name) {
    return !is_segment_name(name) && !is_object_name(name) && !is_records_name(name);
  });
  for (const std::string& name : *names) {
    directory.next_name = std::max(directory.next_name, number_in(name) + 1);
  }
  return *std::move(names);
}

void Recovery::recover_segments(uint32_t directory) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  const std::string folder = core_.space_.directories()[directory].options.path + kSegmentsFolder;
  for (const std::string& name : names_in(directory, kSegmentsFolder)) {
    if (!is_segment_name(name)) {
      continue;
    }
    const Status status = recover_segment(directory, folder + name);
    if (!status.ok() && !errno_of(status)) {
      core_.options_.files->remove(WritePoint::kRemoveSegment, folder + name).IgnoreError();
    }
  }
}

// Of an object's two files, one alone is what a process left that ended between the two. So is the file of a
// former format, which had the records, too.
void Recovery::recover_objects(uint32_t directory) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  const std::string folder = core_.space_.directories()[directory].options.path + kObjectsFolder;
  const std::vector<std::string> names = names_in(directory, kObjectsFolder);
  const std::set<std::string_view> known(names.begin(), names.end());
  for (const std::string& name : names) {
    const bool is_records = is_records_name(name);
    const std::string content = is_records ? name.substr(0, name.size() - kRecordFileSuffix.size()) : name;
    const bool has_both = known.contains(content) && known.contains(content + std::string(kRecordFileSuffix));
    if (is_segment_name(name) || (has_both && is_records)) {
      continue;  // not the cache's; or looked at by its content
    }
    const Status status = has_both ? recover_object(directory, folder + name) : not_found("half of it");
    if (!status.ok() && !errno_of(status)) {
      remove_object(folder + content);
    }
  }
}

void Recovery::remove_object(const std::string& path) FOREBAY_NO_THREAD_SAFETY_ANALYSIS {
  FileSystem& files = *core_.options_.files;
  files.remove(WritePoint::kRemoveRecords, path + std::string(kRecordFileSuffix)).IgnoreError();
  files.remove(WritePoint::kRemoveObject, path).IgnoreError();
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
  FileSystem& files = *core_.options_.files;
  Result<std::unique_ptr<File>> opened = files.open(path, true);
  if (!opened.ok()) {  // what cannot be written to can still be read
    opened = files.open(path, false);
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> file, std::move(opened));
  FOREBAY_ASSIGN_OR_RETURN(const std::unique_ptr<File> records,
                           files.open(path + std::string(kRecordFileSuffix), false));
  const bool may_punch = !core_.space_.directories()[directory].owned->has_earlier_readers();
  FOREBAY_ASSIGN_OR_RETURN(const ObjectContents contents, read_object_files(*records, *file, may_punch));
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Extent> taken, records->data_extents());
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
    } else if (contents.may_punch) {
      object->punch(record.key.start_bytes).IgnoreError();  // where that cannot be, the space stays taken
    }
  }
  if (slots.empty()) {
    return not_found("{}: nothing in it", path);
  }
  object->live_chunks = slots.size();
  object->charge_records(taken);
  const uint32_t number = core_.space_.add_object(std::move(object));
  for (const EntrySlot slot : slots) {
    core_.table_[slot].file = number;
    core_.space_.charge(directory, round_up(uint64_t{core_.table_[slot].length_bytes}, kFileBlockBytes));
  }
  return ok_status();
}

}  // namespace forebay::cache
