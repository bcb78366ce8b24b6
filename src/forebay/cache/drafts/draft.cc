#include "forebay/cache/drafts/draft.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "fmt/format.h"
#include "forebay/base/round_up.h"
#include "forebay/cache/disk/segment_format.h"
#include "forebay/cache/files/shared_ranges.h"
#include "forebay/memory/copy.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kMaxInMemoryBytes = uint64_t{1} << 20;

Status write_at(int file, uint64_t offset_bytes, Bytes part) {
  while (!part.empty()) {
    const ssize_t done = ::pwrite(file, part.data(), part.size(), static_cast<off_t>(offset_bytes));
    if (done < 0 && errno != EINTR) {
      return errno_status(errno, "a draft of the cache");
    }
    if (done > 0) {
      part = part.subspan(static_cast<size_t>(done));
      offset_bytes += static_cast<uint64_t>(done);
    }
  }
  return ok_status();
}

}  // namespace

/// The file of a draft, as memory that other processes can map as well.
class Draft::MappedDraft {
 public:
  MappedDraft(FileDescriptor file, void* address, size_t bytes, std::shared_ptr<ReservedRoom> reserved)
      : file_(std::move(file)),
        bytes_(static_cast<std::byte*>(address), bytes),
        range_(shared_ranges().add(bytes_, fmt::format("/proc/self/fd/{}", file_.get()), file_.get())),
        reserved_(std::move(reserved)) {}
  ~MappedDraft() {
    shared_ranges().remove(range_);
    ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
  }
  MappedDraft(const MappedDraft&) = delete;
  MappedDraft& operator=(const MappedDraft&) = delete;

 private:
  const FileDescriptor file_;
  const Bytes bytes_;
  const uint64_t range_;
  const std::shared_ptr<ReservedRoom> reserved_;
};

Draft::Draft(std::shared_ptr<RoomBeside> room)
    : room_(std::move(room)), reserved_(std::make_shared<ReservedRoom>(room_)) {
}

bool Draft::write(uint64_t offset_bytes, Bytes part) {
  const uint64_t most_bytes = room_->most_bytes();
  const bool has_place = offset_bytes <= most_bytes && part.size() <= most_bytes - offset_bytes;
  const bool is_kept =
      has_place && reserved_ && reserved_->add(part.size()) && (part.empty() || put(offset_bytes, part).ok());
  if (!is_kept) {
    memory_ = {};
    file_ = FileDescriptor();
    reserved_.reset();
    return false;
  }
  end_bytes_ = std::max(end_bytes_, offset_bytes + part.size());
  written_bytes_ += part.size();
  return true;
}

Status Draft::put(uint64_t offset_bytes, Bytes part) {
  const uint64_t end_bytes = offset_bytes + part.size();
  if (!file_.is_valid() && end_bytes > kMaxInMemoryBytes && !room_->directory().empty()) {
    FOREBAY_RETURN_IF_ERROR(move_to_file());
  }
  if (file_.is_valid()) {
    return write_at(file_.get(), offset_bytes, part);
  }
  memory_.resize(std::max<size_t>(memory_.size(), end_bytes));
  memory::copy(memory_.data() + offset_bytes, part.data(), part.size());
  return ok_status();
}

Status Draft::move_to_file() {
  file_ = FileDescriptor(::open(room_->directory().c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  if (!file_.is_valid()) {
    return errno_status(errno, room_->directory());
  }
  return write_at(file_.get(), 0, std::exchange(memory_, {}));
}

Result<storage::ReadBytes> Draft::finish(uint64_t size_bytes) {
  if (!reserved_ || end_bytes_ != size_bytes || written_bytes_ != size_bytes) {
    return failed_precondition("a draft of {} bytes, of which {} were written, is no object of {} bytes",
                               end_bytes_, written_bytes_, size_bytes);
  }
  return file_.is_valid() ? view_of_file(size_bytes) : view_of_memory(size_bytes);
}

Result<storage::ReadBytes> Draft::view_of_memory(uint64_t size_bytes) {
  memory_.resize(size_bytes + kZerosBehind);
  auto held = std::make_shared<std::pair<std::vector<std::byte>, std::shared_ptr<ReservedRoom>>>(
      std::move(memory_), std::move(reserved_));
  const Bytes bytes = Bytes(held->first).first(size_bytes);
  storage::ReadBytes view = {.owner = std::move(held), .bytes = bytes};
  view.readable_behind = kZerosBehind;
  return view;
}

Result<storage::ReadBytes> Draft::view_of_file(uint64_t size_bytes) {
  const size_t whole = round_up(size_bytes + kZerosBehind, kFileBlockBytes);
  if (::ftruncate(file_.get(), static_cast<off_t>(whole)) != 0) {
    return errno_status(errno, "a draft of the cache");
  }
  void* const address = ::mmap(nullptr, whole, PROT_READ, MAP_SHARED, file_.get(), 0);
  if (address == MAP_FAILED) {
    return resource_exhausted("{} bytes of a draft cannot be mapped", whole);
  }
  auto mapped = std::make_shared<const MappedDraft>(std::move(file_), address, whole, std::move(reserved_));
  storage::ReadBytes view = {.owner = std::move(mapped),
                             .bytes = Bytes(static_cast<const std::byte*>(address), size_bytes)};
  view.readable_behind = whole - size_bytes;
  return view;
}

}  // namespace forebay::cache
