// Orders a buffer's fences with another framework's streams.
//
// DLPack: the consumer names its stream, and the producer makes that stream wait. CUDA Array Interface: the
// producer names a stream, and the consumer's work comes after what is on it. Arrow: an event. All three
// follow from the buffer's fences. Nothing here blocks the host unless the host itself wants the memory.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "forebay/base/status.h"
#include "forebay/base/sync/fence.h"
#include "forebay/memory/buffer.h"

namespace forebay::exchange {

inline constexpr uint64_t kLegacyDefaultStream = 1;
inline constexpr uint64_t kPerThreadDefaultStream = 2;

/// The names of a driver's queues in CUDA's protocols: 1 is the legacy default stream, 2 the per-thread
/// default stream, larger numbers are handles. Thread safe.
class StreamNames {
 public:
  virtual ~StreamNames() = default;
  /// Returns the queue of a stream, registering it if necessary; invalid_argument for an invalid number.
  virtual Result<uint32_t> queue_of(uint64_t stream) const = 0;
  virtual Result<uint64_t> stream_of(uint32_t queue) const = 0;
};

/// Sets the names of the queues of `driver`; null removes them. Without names, the driver's memory can only
/// be exported with stream -1 or after everything has passed.
void set_stream_names(uint32_t driver, std::shared_ptr<const StreamNames> names);

/// The first driver whose queues have such names; other frameworks' stream numbers refer to it.
std::optional<uint32_t> driver_with_stream_names();

/// The queue of `driver` with that stream number. failed_precondition if its streams have no names,
/// invalid_argument for an invalid number.
Result<uint32_t> queue_of_stream(uint32_t driver, uint64_t stream);

/// DLPack, as producer: makes work put on `stream` from now on see the buffer's content. -1: the consumer
/// handles the order itself; nullopt: the legacy default stream. invalid_argument for 0 and other negative
/// numbers. Returns the queue that will read, for end_of_use(); nullopt if there is nothing to order.
Result<std::optional<Fence>> order_consumer(memory::Buffer& buffer, std::optional<int64_t> stream);

/// Called when the consumer has released the memory: it is not reused before everything now on the consumer's
/// stream has passed.
void end_of_use(memory::Buffer& buffer, const Fence& consumer);

/// CUDA Array Interface, as producer: returns a stream on which, after this call, everything of the last
/// writer comes before new work. nullopt: the content is ready.
Result<std::optional<uint64_t>> stream_of_content(const memory::Buffer& buffer);

/// CUDA Array Interface, as consumer: the content of `buffer` is ready when everything now on the producer's
/// stream of `driver` has passed. invalid_argument for stream 0.
Status take_after_stream(memory::Buffer& buffer, uint32_t driver, uint64_t stream);

}  // namespace forebay::exchange
