#include "forebay/dataset/object_reader.h"

#include <algorithm>

#include "absl/cleanup/cleanup.h"
#include "forebay/base/check.h"
#include "forebay/memory/copy.h"
#include "forebay/storage/blocking.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kLeastWindowBytes = 16 << 10;
// A host's cache keeps chunks of what is longer than one of them, which samples then find; a shorter range it
// keeps as it is.
constexpr uint64_t kLeastSlowWindowBytes = 2 << 20;
constexpr uint64_t kMaxWindowBytes = 4 << 20;
constexpr int64_t kSlowReadNs = 1'000'000;     // no page cache and no fast disk takes so long
constexpr uint64_t kWidestGapBytes = 1 << 20;  // wider ones are worth a read of their own, however slow

}  // namespace

Status ObjectByteSource::read(uint64_t offset_bytes, MutableBytes destination) const {
  storage::ReadRequest request;
  request.key = address_.key;
  request.offset_bytes = begin_bytes_ + offset_bytes;
  request.length_bytes = destination.size();
  request.if_version = stat_.version;
  request.object_bytes = stat_.size_bytes;
  FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read, paced_read(std::move(request)));
  if (read.has_weak_version) {
    has_weak_version_.store(true, std::memory_order_relaxed);
  }
  memory::copy(destination.data(), read.bytes.data(), destination.size());
  return ok_status();
}

Result<storage::ReadBytes> ObjectByteSource::paced_read(storage::ReadRequest request) const {
  if (pace_ == nullptr) {
    return storage::read_now(*address_.store, std::move(request));
  }
  const uint64_t offset = request.offset_bytes;
  const uint64_t length = request.length_bytes;
  const storage::CallContext context = pace_->begin_read();
  int64_t taken_ns = 0;
  const absl::Cleanup end = [&] { pace_->end_read(offset, length, taken_ns); };
  const int64_t began_ns = steady_clock().now_ns();
  Result<storage::ReadBytes> read = storage::read_now(*address_.store, std::move(request), context);
  taken_ns = read.ok() ? steady_clock().now_ns() - began_ns : 0;
  return read;
}

void WindowReader::fit_window(uint64_t offset) {
  const uint64_t end = begin_ + window_.size();
  if (offset < end || offset - end > kWidestGapBytes) {
    window_bytes_ = kLeastWindowBytes;
  } else if (last_read_ns_ >= kSlowReadNs) {
    window_bytes_ = std::clamp(2 * window_bytes_, kLeastSlowWindowBytes, kMaxWindowBytes);
  }
}

Result<Bytes> WindowReader::at(uint64_t offset, uint64_t length) {
  FOREBAY_CHECK(offset <= source_.size_bytes() && length <= source_.size_bytes() - offset);
  if (offset < begin_ || offset - begin_ > window_.size() || length > window_.size() - (offset - begin_)) {
    fit_window(offset);
    window_.resize(std::min(std::max(length, window_bytes_), source_.size_bytes() - offset));
    begin_ = offset;
    const int64_t started_ns = clock_.now_ns();
    const Status status = source_.read(offset, window_);
    last_read_ns_ = clock_.now_ns() - started_ns;
    if (!status.ok()) {
      window_.clear();
      return status;
    }
  }
  return Bytes(window_).subspan(offset - begin_, length);
}

}  // namespace forebay::dataset
