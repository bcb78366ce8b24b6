#include "forebay/exchange/devices/streams.h"

#include <array>

#include "forebay/base/sync/mutex.h"
#include "forebay/memory/device_driver.h"
#include "forebay/memory/last_use.h"

namespace forebay::exchange {
namespace {

struct NameTable {
  Mutex mutex;
  std::array<std::shared_ptr<const StreamNames>, memory::kMaxDrivers> names FOREBAY_GUARDED_BY(mutex);
};

NameTable& table() {
  static auto* instance = new NameTable;  // never destroyed: threads may outlive the process's statics
  return *instance;
}

Result<std::shared_ptr<const StreamNames>> names_of(uint32_t driver) {
  NameTable& all = table();
  const MutexLock lock(all.mutex);
  if (driver >= memory::kMaxDrivers || all.names[driver] == nullptr) {
    return failed_precondition("the queues of device driver {} have no stream numbers", driver);
  }
  return all.names[driver];
}

}  // namespace

Result<uint32_t> queue_of_stream(uint32_t driver, uint64_t stream) {
  FOREBAY_ASSIGN_OR_RETURN(const auto names, names_of(driver));
  return names->queue_of(stream);
}

void set_stream_names(uint32_t driver, std::shared_ptr<const StreamNames> names) {
  if (driver < memory::kMaxDrivers) {
    NameTable& all = table();
    const MutexLock lock(all.mutex);
    all.names[driver] = std::move(names);
  }
}

std::optional<uint32_t> driver_with_stream_names() {
  NameTable& all = table();
  const MutexLock lock(all.mutex);
  for (uint32_t driver = 0; driver < memory::kMaxDrivers; ++driver) {
    if (all.names[driver] != nullptr) {
      return driver;
    }
  }
  return std::nullopt;
}

Result<std::optional<Fence>> order_consumer(memory::Buffer& buffer, std::optional<int64_t> stream) {
  if (stream && (*stream == 0 || *stream < -1)) {
    return invalid_argument(
        "{} is not a stream: 1 is the legacy default stream, 2 that of the thread, -1 none", *stream);
  }
  const Fence ready = buffer.last_write();
  if ((stream && *stream == -1) || ready.driver == memory::kHostDriver) {
    return std::nullopt;
  }
  const uint64_t number = stream ? static_cast<uint64_t>(*stream) : kLegacyDefaultStream;
  const Result<uint32_t> queue = queue_of_stream(ready.driver, number);
  if (!queue.ok()) {
    FOREBAY_ASSIGN_OR_RETURN(const bool passed, memory::has_passed(ready));
    if (passed) {
      return std::nullopt;
    }
    return queue.status();
  }
  FOREBAY_RETURN_IF_ERROR(memory::wait_on_queue(ready.driver, *queue, ready));
  return Fence{ready.driver, *queue, ready.sequence};
}

void end_of_use(memory::Buffer& buffer, const Fence& consumer) {
  buffer.add_reader(memory::end_of_queue(consumer.driver, consumer.queue));
}

Result<std::optional<uint64_t>> stream_of_content(const memory::Buffer& buffer) {
  const Fence ready = buffer.last_write();
  if (ready.is_trivial()) {
    return std::nullopt;
  }
  FOREBAY_ASSIGN_OR_RETURN(const auto names, names_of(ready.driver));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t stream, names->stream_of(ready.queue));
  return stream;
}

Status take_after_stream(memory::Buffer& buffer, uint32_t driver, uint64_t stream) {
  if (stream == 0) {
    return invalid_argument("0 is not a stream: 1 is the legacy default stream, 2 that of the thread");
  }
  FOREBAY_ASSIGN_OR_RETURN(const uint32_t queue, queue_of_stream(driver, stream));
  FOREBAY_ASSIGN_OR_RETURN(const Fence after, memory::record(driver, queue));
  buffer.set_last_write(after);
  return ok_status();
}

}  // namespace forebay::exchange
