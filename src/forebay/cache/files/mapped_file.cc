#include "forebay/cache/files/mapped_file.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "forebay/base/round_up.h"
#include "forebay/base/system_error.h"

namespace forebay::cache {

// The pages without a file come first, as one run of addresses, and the file takes the place of all but the
// last.
Result<MappedFile> MappedFile::map(int file, uint64_t bytes, uint64_t zeros_behind, std::string_view name) {
  const auto page_bytes = static_cast<uint64_t>(::sysconf(_SC_PAGESIZE));
  const bool has_room = round_up(bytes, page_bytes) - bytes >= zeros_behind;
  const uint64_t mapped_bytes = has_room ? bytes : round_up(bytes + zeros_behind, page_bytes);
  void* at = nullptr;
  if (!has_room) {
    at = ::mmap(nullptr, mapped_bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) {
      return errno_status(errno, name);
    }
  }
  void* const address = ::mmap(at, bytes, PROT_READ, MAP_SHARED | (has_room ? 0 : MAP_FIXED), file, 0);
  if (address == MAP_FAILED) {
    const int error = errno;
    if (!has_room) {
      ::munmap(at, mapped_bytes);
    }
    return errno_status(error, name);
  }
  return MappedFile({static_cast<const std::byte*>(address), bytes}, mapped_bytes);
}

MappedFile::MappedFile(MappedFile&& from) noexcept
    : bytes_(std::exchange(from.bytes_, {})), mapped_bytes_(std::exchange(from.mapped_bytes_, 0)) {
}

MappedFile::~MappedFile() {
  if (mapped_bytes_ > 0) {
    ::munmap(const_cast<std::byte*>(bytes_.data()), mapped_bytes_);
  }
}

}  // namespace forebay::cache
