#include "forebay/dataset/object_reader.h"

#include <algorithm>

#include "forebay/base/check.h"
#include "forebay/memory/copy.h"
#include "forebay/storage/blocking.h"

namespace forebay::dataset {
namespace {

constexpr uint64_t kWindowBytes = 16 << 10;

}  // namespace

Status ObjectByteSource::read(uint64_t offset_bytes, MutableBytes destination) const {
  storage::ReadRequest request;
  request.key = address_.key;
  request.offset_bytes = offset_bytes;
  request.length_bytes = destination.size();
  request.if_version = stat_.version;
  FOREBAY_ASSIGN_OR_RETURN(const storage::ReadBytes read,
                           storage::read_now(*address_.store, std::move(request)));
  memory::copy(destination.data(), read.bytes.data(), destination.size());
  return ok_status();
}

Result<Bytes> WindowReader::at(uint64_t offset, uint64_t length) {
  FOREBAY_CHECK(offset <= source_.size_bytes() && length <= source_.size_bytes() - offset);
  if (offset < begin_ || offset - begin_ > window_.size() || length > window_.size() - (offset - begin_)) {
    window_.resize(std::min(std::max(length, kWindowBytes), source_.size_bytes() - offset));
    begin_ = offset;
    const Status status = source_.read(offset, window_);
    if (!status.ok()) {
      window_.clear();
      return status;
    }
  }
  return Bytes(window_).subspan(offset - begin_, length);
}

}  // namespace forebay::dataset
