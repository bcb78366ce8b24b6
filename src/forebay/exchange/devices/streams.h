// Order between a buffer's fences and the streams of the other side of a border.
//
// DLPack: the consumer names its stream, the producer makes that stream wait. CUDA Array Interface: the
// producer names a stream, the consumer's work comes after what is on it. Arrow: an event. All three follow
// from the fences of the buffer: nothing here blocks the host unless the host itself wants the memory.
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

/// How the queues of a driver are called in CUDA's protocols: 1 is the legacy default stream, 2 the
/// per-thread default stream, greater numbers are handles. Thread safe.
class StreamNames {
 public:
  virtual ~StreamNames() = default;
  /// The queue of a stream, made known if need be; invalid_argument for a number that is none.
  virtual Result<uint32_t> queue_of(uint64_t stream) const = 0;
  virtual Result<uint64_t> stream_of(uint32_t queue) const = 0;
};

/// Says how the queues of `driver` are called; null takes it back. Without it the driver's memory can be
/// handed over with stream -1 or after everything has passed.
void set_stream_names(uint32_t driver, std::shared_ptr<const StreamNames> names);

/// The first driver whose queues have such names: whose streams the numbers of other frameworks mean.
std::optional<uint32_t> driver_with_stream_names();

/// The queue of `driver` that a stream's number means. failed_precondition when its streams have no names,
/// invalid_argument for a number that is none.
Result<uint32_t> queue_of_stream(uint32_t driver, uint64_t stream);

/// DLPack, as producer: work that is put on `stream` from now on sees the buffer's content. -1: the consumer
/// sees to order itself; none: the legacy default stream. invalid_argument for 0 and other negative numbers.
/// Returns the queue that will read, for end_of_use(); none when there is nothing to order.
Result<std::optional<Fence>> order_consumer(memory::Buffer& buffer, std::optional<int64_t> stream);

/// The consumer has let go: the memory is not used again before what is on its stream by now has passed.
void end_of_use(memory::Buffer& buffer, const Fence& consumer);

/// CUDA Array Interface, as producer: the stream that has, after this call, everything of the last writer
/// before it. None: the content is ready now.
Result<std::optional<uint64_t>> stream_of_content(const memory::Buffer& buffer);

/// CUDA Array Interface, as consumer: the content of `buffer` is ready when what is on the producer's stream
/// of `driver` by now has passed. invalid_argument for stream 0.
Status take_after_stream(memory::Buffer& buffer, uint32_t driver, uint64_t stream);

}  // namespace forebay::exchange
