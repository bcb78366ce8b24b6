#include "forebay/fuse/session/device.h"

#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "forebay/base/check.h"
#include "forebay/base/log/log.h"
#include "forebay/fuse/protocol/protocol.h"

namespace forebay::fuse {
namespace {

constexpr size_t kMaxParts = 32;

}  // namespace

Result<Bytes> Device::receive(MutableBytes into) {
  const ssize_t got = ::read(descriptor_.get(), into.data(), into.size());
  if (got > 0) {
    return Bytes(into.data(), static_cast<size_t>(got));
  }
  if (got == 0) {
    return not_found("/dev/fuse: closed");
  }
  switch (errno) {
    case ENOENT:  // interrupted before it was read
    case EINTR:
    case EAGAIN:
      return Bytes();
    case ENODEV:
    case ECONNABORTED:
      return not_found("/dev/fuse: unmounted");
    default:
      return errno_status(errno, "/dev/fuse");
  }
}

bool Device::send(uint64_t unique, int error, std::span<const Bytes> parts) {
  const bool is_heard = write_answer(unique, error, parts);
  if (kept_) {
    kept_->end(unique);
  }
  return is_heard;
}

bool Device::notify(Notification what) {
  const OutHeader header = {.bytes = sizeof(OutHeader), .error = static_cast<int32_t>(what), .unique = 0};
  return ::write(descriptor_.get(), &header, sizeof(header)) == ssize_t{sizeof(header)};
}

bool Device::write_answer(uint64_t unique, int error, std::span<const Bytes> parts) {
  FOREBAY_CHECK(parts.size() <= kMaxParts);
  OutHeader header = {.bytes = sizeof(OutHeader), .error = -error, .unique = unique};
  std::array<iovec, kMaxParts + 1> vectors{};
  size_t count = 0;
  vectors[count++] = {&header, sizeof(header)};
  for (const Bytes part : parts) {
    header.bytes += static_cast<uint32_t>(part.size());
    vectors[count++] = {const_cast<std::byte*>(part.data()), part.size()};
  }
  if (::writev(descriptor_.get(), vectors.data(), static_cast<int>(count)) >= 0) {
    return true;
  }
  const int why = errno;
  if (why == ENOENT || why == ENODEV || why == ECONNABORTED) {
    return false;
  }
  log_warning("/dev/fuse: an answer of {} bytes was refused: {}", header.bytes,
              message(errno_status(why, "writev")));
  if (error == 0 && !parts.empty()) {
    write_answer(unique, EIO, {});
  }
  return false;
}

Result<uint32_t> Device::open_backing(const FileDescriptor& file) {
  BackingMap map = {.file = file.get(), .flags = 0, .padding = 0};
  const int number = ::ioctl(descriptor_.get(), _IOW(kDeviceIoctls, kOpenBackingIoctl, BackingMap), &map);
  if (number < 0 && errno == ELOOP) {
    return errno_status(ELOOP, "the cache lies in an overlay; give it a directory of a plain file system");
  }
  if (number <= 0) {
    return errno_status(number < 0 ? errno : EIO, "/dev/fuse: a file to serve from");
  }
  return static_cast<uint32_t>(number);
}

void Device::close_backing(uint32_t number) {
  ::ioctl(descriptor_.get(), _IOW(kDeviceIoctls, kCloseBackingIoctl, uint32_t),
          &number);  // or the mount has gone
}

}  // namespace forebay::fuse
