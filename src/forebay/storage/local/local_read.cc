#include "forebay/storage/local/local_read.h"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

#include "forebay/storage/local/file_version.h"

namespace forebay::storage {
namespace {

constexpr uint64_t kLargestCallBytes = uint64_t{1} << 30;

}  // namespace

Result<std::unique_ptr<LocalRead>> LocalRead::open(const std::string& path, std::string uri,
                                                   const ReadRequest& request) {
  auto read = std::make_unique<LocalRead>();
  read->uri_ = std::move(uri);
  FOREBAY_ASSIGN_OR_RETURN(OpenFile file, open_file(path, read->uri_));
  ObjectStat stat = object_stat_of(file.status, {});
  if (!request.if_version.empty()) {
    FOREBAY_RETURN_IF_ERROR(check_content(request.if_version, stat.version, read->uri_));
    stat.version = request.if_version;  // a cache keeps the bytes under the name that it asked for
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t length, range_length(request, stat.size_bytes, read->uri_));
  FOREBAY_ASSIGN_OR_RETURN(ReadTarget target,
                           allocate_read(request, length, std::move(stat.version), read->uri_));
  read->answer_ = std::move(target.answer);
  read->destination_ = target.destination;
  read->descriptor_ = std::move(file.descriptor);
  read->opened_ = file.status;
  read->offset_ = request.offset_bytes;
  return read;
}

size_t LocalRead::next_bytes() const {
  return std::min<uint64_t>(destination_.size() - filled_, kLargestCallBytes);
}

Status LocalRead::take(ssize_t count, int error_number) {
  if (count < 0) {
    return errno_status(error_number, fmt::format("{} at {}", uri_, next_offset()));
  }
  if (count == 0) {
    return out_of_range("{}: the file was truncated while it was read; it ends at {}", uri_, next_offset());
  }
  filled_ += static_cast<uint64_t>(count);
  return ok_status();
}

void LocalRead::finish(const Status& read) {
  const Status status = read.ok() ? check_unchanged(descriptor_.get(), opened_, uri_) : read;
  if (!status.ok()) {
    done_(status);
  } else {
    done_(std::move(answer_));
  }
}

Status LocalRead::read_resident() {
  while (!is_complete()) {
    const iovec range = {next_place(), next_bytes()};
    const ssize_t count =
        ::preadv2(descriptor_.get(), &range, 1, static_cast<off_t>(next_offset()), RWF_NOWAIT);
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count < 0 && (errno == EAGAIN || errno == EOPNOTSUPP || errno == ENOSYS)) {
      return ok_status();
    }
    FOREBAY_RETURN_IF_ERROR(take(count, errno));
  }
  return ok_status();
}

Status LocalRead::read_waiting() {
  while (!is_complete()) {
    if (!is_wanted(context_)) {
      return not_wanted(context_, uri_);
    }
    const ssize_t count =
        ::pread(descriptor_.get(), next_place(), next_bytes(), static_cast<off_t>(next_offset()));
    if (count < 0 && errno == EINTR) {
      continue;
    }
    FOREBAY_RETURN_IF_ERROR(take(count, errno));
  }
  return ok_status();
}

void LocalRead::finish_later(std::unique_ptr<LocalRead> read, const CallContext& context,
                             const std::shared_ptr<UringReader::Ring>& ring) {
  read->context_ = context;
  read_on(std::move(read), ring);
}

void LocalRead::read_on(std::unique_ptr<LocalRead> read, const std::shared_ptr<UringReader::Ring>& ring) {
  LocalRead* const state = read.get();
  if (!is_wanted(state->context_)) {
    state->finish(not_wanted(state->context_, state->uri_));
    return;
  }
  UringReader::Completion completion = [ring = ring, read = std::move(read)](int32_t result) mutable {
    if (result == -EAGAIN) {  // the ring cannot wait for this file
      read->finish(read->read_waiting());
      return;
    }
    // The kernel cancels a read when the thread that started it ends; this read itself was not cancelled.
    const bool again = result == -EINTR || result == -ECANCELED;
    const Status status = again ? ok_status() : read->take(result, -result);
    if (!status.ok() || read->is_complete()) {
      read->finish(status);
      return;
    }
    read_on(std::move(read), ring);
  };
  if (ring != nullptr &&
      ring->submit(state->descriptor_.get(), state->next_place(), static_cast<uint32_t>(state->next_bytes()),
                   state->next_offset(), std::move(completion))) {
    return;
  }
  // The ring refused, so `completion` still owns the read.
  state->finish(state->read_waiting());
}

}  // namespace forebay::storage
