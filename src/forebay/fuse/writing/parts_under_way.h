// Parts of an object on their way to its store, some at a time.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/base/sync/mutex.h"
#include "forebay/fuse/writing/write_memory.h"
#include "forebay/storage/object_store.h"

namespace forebay::fuse {

/// Bytes, and what they take of the memory for writing.
struct KeptBytes {
  std::vector<std::byte> bytes;
  TakenMemory memory;
};

/// Owns the bytes of parts until the writer has taken them. One thread at a time.
class PartsUnderWay {
 public:
  /// `name` is for messages.
  explicit PartsUnderWay(std::string name = {}) : name_(std::move(name)) {}

  /// Waits until fewer than `most` are on their way. The error of an earlier part, if there was one;
  /// `cancelled` or deadline_exceeded, which is no error of the parts, if the call is not wanted any more.
  Status wait_for_room(size_t most, const storage::CallContext& context) const;
  /// Has the writer take a part, which goes on until the deadline, whoever waits for it.
  void add(storage::ObjectWriter& writer, KeptBytes part, int64_t deadline_ns);

 private:
  struct State {
    Mutex mutex;
    std::condition_variable_any changed;
    size_t under_way FOREBAY_GUARDED_BY(mutex) = 0;
    Status first_error FOREBAY_GUARDED_BY(mutex);

    void note_end(const Status& status);
  };

  std::string name_;
  // Of the callbacks, too: a writer may be given up while it has parts.
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace forebay::fuse
