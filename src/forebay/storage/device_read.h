// Blocking reads of objects into device memory. If the device can read files itself
// (memory/device/direct_reader.h: GPUDirect Storage) and the object is a file, the bytes bypass the host.
// Otherwise they go through host memory chunk by chunk, with store reads and copies to the device
// overlapping.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/base/sync/fence.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/memory_resource.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Where the bytes go: into `buffer` at `offset_bytes`, ready for work put on `queue` afterwards. The buffer
/// is memory of the queue's driver or of the host. Earlier work on the buffer is waited for through its
/// fences.
struct DevicePlace {
  memory::BufferRef buffer;
  uint64_t offset_bytes = 0;
  memory::Queue queue;
};

struct DeviceReadOptions {
  size_t chunk_bytes = size_t{4} << 20;  // size of one store read and one copy
  size_t chunks_in_flight = 4;           // chunks being read or copied at once; limits the host memory used
  bool may_be_direct = true;             // false: always through the host
};

/// The result of a read. `ready` is the point at which the bytes are in place; it is also the buffer's last
/// write.
struct DeviceRead {
  uint64_t size_bytes = 0;
  Fence ready;
  Status direct;  // OK: the device read the file itself; otherwise the reason why it did not

  bool is_direct() const { return direct.ok(); }
};

/// Reads the range of `request` into `place`. Blocks, so never call it on a store's or the engine's own
/// threads. Thread safe; concurrent calls need separate buffers.
///
/// All bytes are of one version of the object, as far as the store distinguishes versions: `if_version` if
/// given, else the version present when the call began. Chunks are allocated from `request.resource`, which
/// must keep freed memory until its fence has passed, as pools do. Pinned memory lets copies overlap with
/// other work; null means memory::host_pool(). When the call returns no read is in flight, but copies and
/// their host memory may be. A direct read waits for all earlier work on the queue and is complete when the
/// call returns.
///
/// Errors name the object, the offset and the cause: errors of the store or the device, out_of_range if the
/// bytes do not fit into the buffer, aborted if the object changed, invalid_argument for padding, for options
/// of 0 and for device memory without a device. After an error the contents of the range are undefined, and
/// the buffer's fences cover the work put on the queue. A failed direct read is not an error: the bytes then
/// go through the host.
Result<DeviceRead> read_to_device(ObjectStore& store, const ReadRequest& request, const DevicePlace& place,
                                  const DeviceReadOptions& options = {});

}  // namespace forebay::storage
