// Reads of objects into a device's memory, for callers that may wait. Where the device reads files by itself
// (memory/device/direct_reader.h: GPUDirect Storage) and the object is one, the bytes go past the host; else
// chunk by chunk through host memory, the store's reads beside the copies to the device.
#pragma once

#include <cstddef>
#include <cstdint>

#include "forebay/base/sync/fence.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/memory_resource.h"
#include "forebay/storage/object_store.h"

namespace forebay::storage {

/// Where the bytes go: `buffer` from `offset_bytes` on, for work that is put on `queue` afterwards. The
/// buffer is memory of the queue's driver, or the host's; earlier work on it is waited for, by its fences.
struct DevicePlace {
  memory::BufferRef buffer;
  uint64_t offset_bytes = 0;
  memory::Queue queue;
};

struct DeviceReadOptions {
  size_t chunk_bytes = size_t{4} << 20;  // of one read of the store and one copy
  size_t chunks_in_flight = 4;           // being read or copied: so many chunks of host memory at most
  bool may_be_direct = true;             // false: through the host in any case
};

/// What came of a read. `ready` is when the bytes are there, and the buffer's last write.
struct DeviceRead {
  uint64_t size_bytes = 0;
  Fence ready;
  Status direct;  // ok: the device read the file by itself; else why it did not

  bool is_direct() const { return direct.ok(); }
};

/// Reads the range of `request` to `place`. Never call it on a store's or the engine's own threads. Thread
/// safe; calls at the same time need buffers of their own.
///
/// All bytes are of one version of the object (as far as the store tells versions apart): `if_version` if
/// given, else that which was there when the call began. Chunks come from `request.resource`, which must keep
/// what is given back until its fence has passed, as pools do: pinned memory copies beside other work, null
/// is memory::host_pool(). When the call returns, no read is in flight; copies may be, and their host memory
/// with them. A direct read waits for all earlier work of the queue, and is there when the call returns.
///
/// Errors name the object, the offset and the cause: those of the store, of the device, out_of_range when the
/// bytes do not fit into the buffer, aborted when the object changed, invalid_argument for padding, for
/// options of 0 and for a device's memory without a device. After an error the range of the buffer holds
/// anything, and the buffer's fences cover what was put on the queue. That a direct read fails is no error:
/// the bytes then come through the host.
Result<DeviceRead> read_to_device(ObjectStore& store, const ReadRequest& request, const DevicePlace& place,
                                  const DeviceReadOptions& options = {});

}  // namespace forebay::storage
