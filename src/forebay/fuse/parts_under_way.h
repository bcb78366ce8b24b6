// Parts of an object on their way to its store, some at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/storage/object_store.h"

namespace forebay::fuse {

/// Owns the bytes of parts until the writer has taken them. One thread at a time.
class PartsUnderWay {
 public:
  /// Has the writer take a part; waits for room where as many as `most` are on their way. The error of an
  /// earlier part, if there was one: then no further one is begun.
  Status add(storage::ObjectWriter& writer, std::vector<std::byte> part, size_t most,
             const storage::CallContext& context);
  /// Waits until none is on its way. The first error.
  Status finish();

 private:
  struct State {
    Mutex mutex;
    std::condition_variable changed;
    size_t under_way FOREBAY_GUARDED_BY(mutex) = 0;
    Status first_error FOREBAY_GUARDED_BY(mutex);

    /// Waits until fewer than so many are on their way. The first error.
    Status wait_for_room(size_t most);
    void note_end(const Status& status);
  };

  // Of the callbacks, too: a writer may be given up while it has parts.
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace forebay::fuse
