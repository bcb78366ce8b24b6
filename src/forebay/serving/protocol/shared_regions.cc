// Regions of POSIX shared memory: opened and mapped once, their files' lengths checked at each use.
#include "forebay/serving/protocol/shared_regions.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "forebay/base/file_descriptor.h"
#include "forebay/base/utf8.h"

namespace forebay::serving {

struct SharedRegions::Opened {
  SharedRegion facts;
  FileDescriptor file;
  bool is_writable = false;
  memory::BufferRef mapping;
  size_t lead_bytes = 0;  // of the mapping, which begins with a page, before the region
};

namespace {

constexpr size_t kMaxKeyBytes = 255;

Result<std::string> file_name_of(const std::string& key) {
  const std::string name = key.starts_with('/') ? key.substr(1) : key;
  if (name.empty() || name.size() > kMaxKeyBytes || name == "." || name == ".." ||
      name.find('/') != std::string::npos || name.find('\0') != std::string::npos) {
    return invalid_argument(
        "the key of a shared memory region must be one name, as shm_open() takes it, of at most {} bytes",
        kMaxKeyBytes);
  }
  return name;
}

// That the file reaches to `end`.
Status check_length(int file, const SharedRegion& region, uint64_t end) {
  struct stat facts {};
  if (fstat(file, &facts) != 0) {
    return errno_status(errno, fmt::format("shared memory region '{}'", region.name));
  }
  if (!S_ISREG(facts.st_mode)) {
    return invalid_argument("shared memory region '{}': key '{}' is no shared memory", region.name,
                            region.key);
  }
  if (static_cast<uint64_t>(facts.st_size) < end) {
    return invalid_argument("shared memory region '{}': key '{}' has {} bytes, and {} are needed",
                            region.name, region.key, facts.st_size, end);
  }
  return ok_status();
}

Result<memory::BufferRef> map_pages(int file, const SharedRegion& region, size_t lead_bytes) {
  const size_t bytes = lead_bytes + region.size_bytes;
  void* const pages =
      mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file, static_cast<off_t>(region.offset_bytes - lead_bytes));
  if (pages == MAP_FAILED) {
    return errno_status(errno, fmt::format("mapping shared memory region '{}'", region.name));
  }
  return memory::Buffer::wrap_read_only(pages, bytes, memory::MemoryKind::kHost,
                                        [pages, bytes] { munmap(pages, bytes); });
}

// Moves all bytes by calls of `move_some(offset within them)`, which are pread or pwrite.
template <class MoveSome>
Status move_all(size_t size_bytes, const SharedRegion& region, MoveSome move_some) {
  size_t done = 0;
  while (done < size_bytes) {
    const ssize_t moved = move_some(done);
    if (moved < 0 && errno == EINTR) {
      continue;
    }
    if (moved < 0) {
      return errno_status(errno, fmt::format("shared memory region '{}'", region.name));
    }
    if (moved == 0) {
      return invalid_argument("shared memory region '{}': its file has become too short", region.name);
    }
    done += static_cast<size_t>(moved);
  }
  return ok_status();
}

bool is_checked_before_use(Datatype datatype) {
  return datatype == Datatype::kBytes || datatype == Datatype::kBool;
}

bool is_aligned_for(Datatype datatype, const std::byte* data) {
  const size_t bytes = size_of(datatype);
  return bytes == 0 || reinterpret_cast<uintptr_t>(data) % bytes == 0;
}

}  // namespace

Result<SharedRegions::OpenedRef> SharedRegions::open(const SharedRegion& region) const {
  FOREBAY_ASSIGN_OR_RETURN(const std::string name, file_name_of(region.key));
  uint64_t end = 0;
  if (region.size_bytes == 0 || __builtin_add_overflow(region.offset_bytes, region.size_bytes, &end)) {
    return invalid_argument("shared memory region '{}': a size of {} bytes at offset {} is impossible",
                            region.name, region.size_bytes, region.offset_bytes);
  }
  if (!name.starts_with(options_.key_prefix)) {
    return permission_denied("shared memory region '{}': keys must begin with '{}' here", region.name,
                             options_.key_prefix);
  }
  auto opened = std::make_shared<Opened>();
  opened->facts = region;
  const std::string path = options_.folder + "/" + name;
  constexpr int kFlags = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  opened->file = FileDescriptor(::open(path.c_str(), O_RDWR | kFlags));
  opened->is_writable = opened->file.is_valid();
  if (!opened->is_writable && errno == EACCES) {
    opened->file = FileDescriptor(::open(path.c_str(), O_RDONLY | kFlags));
  }
  if (!opened->file.is_valid()) {
    return errno_status(errno, fmt::format("shared memory region '{}': key '{}'", region.name, region.key));
  }
  FOREBAY_RETURN_IF_ERROR(check_length(opened->file.get(), region, end));
  opened->lead_bytes = region.offset_bytes % static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  FOREBAY_ASSIGN_OR_RETURN(opened->mapping, map_pages(opened->file.get(), region, opened->lead_bytes));
  return OpenedRef(std::move(opened));
}

Status SharedRegions::add(const SharedRegion& region) {
  if (region.name.empty()) {
    return invalid_argument("a shared memory region needs a name");
  }
  if (!is_utf8(region.name)) {
    return invalid_argument("the name of a shared memory region is not UTF-8");
  }
  if (find(region.name).ok()) {
    return already_exists("shared memory region '{}' is registered already", region.name);
  }
  FOREBAY_ASSIGN_OR_RETURN(OpenedRef opened, open(region));
  const MutexLock lock(mutex_);
  if (regions_.size() >= options_.max_regions) {
    return resource_exhausted("{} shared memory regions are registered; no more are taken", regions_.size());
  }
  if (!regions_.emplace(region.name, std::move(opened)).second) {
    return already_exists("shared memory region '{}' is registered already", region.name);
  }
  return ok_status();
}

void SharedRegions::remove(const std::string& name) {
  OpenedRef unmapped_outside_the_lock;
  const MutexLock lock(mutex_);
  const auto found = regions_.find(name);
  if (found != regions_.end()) {
    unmapped_outside_the_lock = std::move(found->second);
    regions_.erase(found);
  }
}

void SharedRegions::remove_all() {
  std::map<std::string, OpenedRef> unmapped_outside_the_lock;
  const MutexLock lock(mutex_);
  unmapped_outside_the_lock.swap(regions_);
}

std::vector<SharedRegion> SharedRegions::all() const {
  const MutexLock lock(mutex_);
  std::vector<SharedRegion> regions;
  for (const auto& [name, opened] : regions_) {
    regions.push_back(opened->facts);
  }
  return regions;
}

Result<SharedRegion> SharedRegions::find(const std::string& name) const {
  const MutexLock lock(mutex_);
  const auto found = regions_.find(name);
  if (found == regions_.end()) {
    return not_found("shared memory region '{}' is not registered", name);
  }
  return found->second->facts;
}

Result<SharedRegions::OpenedRef> SharedRegions::usable(const SharedPlace& place) const {
  OpenedRef opened;
  {
    const MutexLock lock(mutex_);
    const auto found = regions_.find(place.region);
    if (found == regions_.end()) {
      return not_found("shared memory region '{}' is not registered", place.region);
    }
    opened = found->second;
  }
  const SharedRegion& facts = opened->facts;
  if (place.offset_bytes > facts.size_bytes || place.size_bytes > facts.size_bytes - place.offset_bytes) {
    return invalid_argument("{} bytes at {} do not lie within the {} bytes of shared memory region '{}'",
                            place.size_bytes, place.offset_bytes, facts.size_bytes, facts.name);
  }
  const uint64_t end = facts.offset_bytes + place.offset_bytes + place.size_bytes;
  FOREBAY_RETURN_IF_ERROR(check_length(opened->file.get(), facts, end));
  return opened;
}

Status SharedRegions::check(const SharedPlace& place) const {
  return usable(place).status();
}

Status SharedRegions::read(const SharedPlace& place, NamedTensor& tensor) const {
  FOREBAY_ASSIGN_OR_RETURN(const OpenedRef opened, usable(place));
  tensor.buffer = nullptr;
  tensor.offset_bytes = 0;
  tensor.size_bytes = place.size_bytes;
  if (place.size_bytes == 0) {
    return ok_status();
  }
  const size_t at = opened->lead_bytes + place.offset_bytes;
  const bool is_aligned = is_aligned_for(tensor.datatype, opened->mapping->bytes().data() + at);
  if (options_.reads_in_place && is_aligned && !is_checked_before_use(tensor.datatype)) {
    tensor.buffer = opened->mapping;
    tensor.offset_bytes = at;
    return ok_status();
  }
  FOREBAY_ASSIGN_OR_RETURN(tensor.buffer, memory::Buffer::allocate(place.size_bytes));
  const MutableBytes to = tensor.buffer->mutable_bytes();
  const uint64_t from = opened->facts.offset_bytes + place.offset_bytes;
  return move_all(place.size_bytes, opened->facts, [&](size_t done) {
    return pread(opened->file.get(), to.data() + done, place.size_bytes - done,
                 static_cast<off_t>(from + done));
  });
}

Status SharedRegions::write(const SharedPlace& place, Bytes bytes) const {
  FOREBAY_ASSIGN_OR_RETURN(const OpenedRef opened, usable(place));
  if (bytes.size() > place.size_bytes) {
    return invalid_argument("{} bytes do not fit the {} that were asked for in shared memory region '{}'",
                            bytes.size(), place.size_bytes, place.region);
  }
  if (!opened->is_writable) {
    return permission_denied("shared memory region '{}' may only be read", place.region);
  }
  const uint64_t to = opened->facts.offset_bytes + place.offset_bytes;
  return move_all(bytes.size(), opened->facts, [&](size_t done) {
    return pwrite(opened->file.get(), bytes.data() + done, bytes.size() - done,
                  static_cast<off_t>(to + done));
  });
}

}  // namespace forebay::serving
