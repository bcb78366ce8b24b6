#include "forebay/cache/hosted/told_ranges.h"

#include <vector>

#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/files/shared_ranges.h"
#include "forebay/cache/messages/cache_trouble.h"

namespace forebay::cache {

bool ToldRanges::send(uint64_t number, HostBytes answer, const FileDescriptor* whole) {
  const MutexLock lock(mutex_);
  if (whole != nullptr) {
    const int descriptor = whole->get();
    return connection_->send(bytes_of(encode_answer(number, answer)), {&descriptor, 1}).ok();
  }
  if (known_.contains(answer.range)) {
    return connection_->send(bytes_of(encode_answer(number, answer))).ok();
  }
  const Result<FileDescriptor> file = shared_ranges().open(answer.range);
  if (!file.ok()) {
    connection_->send(bytes_of(encode_answer(number, cache_trouble(file.status())))).IgnoreError();
    return false;
  }
  answer.has_file = true;
  const int descriptor = file->get();
  const Status sent = connection_->send(bytes_of(encode_answer(number, answer)), {&descriptor, 1});
  if (sent.ok()) {
    known_.insert(answer.range);
  }
  return sent.ok();
}

void ToldRanges::forget(uint64_t range) {
  const MutexLock lock(mutex_);
  known_.erase(range);
}

// A file that the cache has removed keeps its space for as long as a process maps it.
void ToldRanges::forget_gone_ranges() {
  const MutexLock lock(mutex_);
  std::vector<uint64_t> gone;
  for (const uint64_t range : known_) {
    if (!shared_ranges().has(range)) {
      gone.push_back(range);
    }
  }
  for (const uint64_t range : gone) {
    known_.erase(range);
    connection_->send(bytes_of(encode_header(HostMessage::kForgetRange, range))).IgnoreError();
  }
}

void ToldRanges::end() {
  const MutexLock lock(mutex_);
  known_.clear();
}

}  // namespace forebay::cache
