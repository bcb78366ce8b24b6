// What a source does unless it knows better, and reads that block.
#include "forebay/dataset/source.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace forebay::dataset {

std::vector<uint64_t> Source::lengths() const {
  std::vector<uint64_t> lengths(static_cast<size_t>(size()));
  for (size_t index = 0; index < lengths.size(); ++index) {
    const Result<SampleLocation> location = locate(static_cast<int64_t>(index));
    lengths[index] = location.ok() ? location->length_bytes : 0;
  }
  return lengths;
}

Result<Record> read_now(const Source& source, int64_t index, const ReadFlags& flags) {
  std::mutex mutex;  // without annotations, which are for members
  std::condition_variable ready;
  std::optional<Result<Record>> answer;
  source.read(index, flags, [&](Result<Record> record) {
    std::lock_guard lock(mutex);
    answer = std::move(record);
    ready.notify_one();
  });
  std::unique_lock lock(mutex);
  ready.wait(lock, [&] { return answer.has_value(); });
  return *std::move(answer);
}

}  // namespace forebay::dataset
