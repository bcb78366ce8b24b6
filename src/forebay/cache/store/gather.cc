#include "forebay/cache/store/gather.h"

#include <utility>

#include "forebay/memory/copy.h"
#include "forebay/storage/answer.h"
#include "forebay/storage/range.h"

namespace forebay::cache {

using storage::ReadBytes;

Gather::Gather(size_t parts, Done done) : parts_(parts), left_(parts), done_(std::move(done)) {
}

void Gather::take(size_t part, Result<ReadBytes> bytes) {
  {
    const MutexLock lock(mutex_);
    if (bytes.ok()) {
      parts_[part] = *std::move(bytes);
    } else {
      error_.Update(bytes.status());
    }
    if (--left_ > 0) {
      return;
    }
  }
  if (error_.ok()) {
    done_(std::move(parts_));
  } else {
    done_(error_);
  }
}

Result<ReadBytes> join_parts(storage::ReadRequest request, std::vector<ReadBytes> parts,
                             const std::string& uri, const std::shared_ptr<memory::MemoryResource>& memory) {
  if (parts.size() == 1) {
    return answer_from(request, std::move(parts.front()), uri);
  }
  uint64_t length = 0;
  bool is_contiguous = true;
  for (size_t i = 0; i < parts.size(); ++i) {
    length += parts[i].size_bytes();
    is_contiguous = is_contiguous && (i == 0 || parts[i].bytes.data() ==
                                                    parts[i - 1].bytes.data() + parts[i - 1].bytes.size());
  }
  if (is_contiguous) {
    ReadBytes whole = {.bytes = {parts.front().bytes.data(), length}, .version = parts.front().version};
    whole.readable_behind = parts.back().readable_behind;
    whole.has_weak_version = parts.front().has_weak_version;
    whole.owner = std::make_shared<std::vector<ReadBytes>>(std::move(parts));
    return answer_from(request, std::move(whole), uri);
  }
  if (request.into.data() == nullptr && request.resource == nullptr) {
    request.resource = memory;
  }
  FOREBAY_ASSIGN_OR_RETURN(storage::ReadTarget target,
                           allocate_read(request, length, parts.front().version, uri));
  target.answer.has_weak_version = parts.front().has_weak_version;
  std::byte* destination = target.destination.data();
  for (const ReadBytes& part : parts) {
    memory::copy(destination, part.bytes.data(), part.bytes.size());
    destination += part.bytes.size();
  }
  return std::move(target.answer);
}

}  // namespace forebay::cache
