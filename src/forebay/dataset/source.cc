#include "forebay/dataset/source.h"

#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

namespace forebay::dataset {

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
