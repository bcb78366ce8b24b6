// Reads of objects into device memory. If the device can read files itself
// (memory/device/direct_reader.h: GPUDirect Storage) and the object is a file, the bytes bypass the host.
// Otherwise they go through host memory chunk by chunk, with store reads and copies to the device
// overlapping. The engine orders the copies.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/engine/engine.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/memory_resource.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Where the bytes go: into `buffer` at `offset_bytes`, by tasks of `engine`. The buffer is memory of the
/// queue's driver or of the host. Tasks that use it before or after the read name `content`. Users that the
/// engine does not know are waited for through the buffer's fences.
struct DevicePlace {
  memory::BufferRef buffer;
  uint64_t offset_bytes = 0;
  memory::Queue queue;
  engine::Engine* engine = nullptr;  // must outlive the read
  engine::LaneRef lane;              // for the read's tasks
  engine::ExecutorRef copies;        // of `queue`; see Engine::device_executor
  engine::Variable content;          // written by the read; if invalid, the read creates one
};

struct DeviceReadOptions {
  size_t chunk_bytes = size_t{4} << 20;  // size of one store read and one copy
  size_t chunks_in_flight = 4;           // chunks being read or copied at once; limits the host memory used
  bool may_be_direct = true;             // false: always through the host
};

/// A read that has been started.
struct DeviceRead {
  uint64_t size_bytes = 0;
  engine::Variable ready;  // the place's content; written when the bytes are in place
  Status direct;           // OK: the device read the file itself; otherwise the reason why it did not

  bool is_direct() const { return direct.ok(); }
};

/// Starts reading the range of `request` into `place`. Blocks while the store says which version is there; a
/// direct read blocks until earlier users of the place and the queue are done and the bytes are in place.
/// Never call it on a store's or the engine's own threads. The store must outlive the read. Thread safe;
/// concurrent reads need separate buffers.
///
/// All bytes are of one version of the object, as far as the store distinguishes versions: `if_version` if
/// given, else the version present when the call began. Chunks are allocated from `request.resource` and
/// freed when their copy is done. If the queue fails, they are freed with a fence, which the resource must
/// honour, as pools do. Pinned memory lets copies overlap with other work; null means memory::host_pool().
///
/// Errors name the object, the offset and the cause. Errors of store reads and of the device are carried by
/// `ready`. The call itself returns out_of_range if the bytes do not fit into the buffer, aborted if the
/// object is of another version, and invalid_argument for padding, for options of 0, for device memory
/// without a device, and for a place without engine, lane or executor. When `ready` carries an error, nothing
/// is in flight and the contents of the range are undefined. A failed direct read is not an error: the bytes
/// then go through the host.
Result<DeviceRead> read_to_device(ObjectStore& store, const ReadRequest& request, const DevicePlace& place,
                                  const DeviceReadOptions& options = {});

}  // namespace forebay::storage
