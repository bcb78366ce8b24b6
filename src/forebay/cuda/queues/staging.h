// Copies between ordinary host memory and device memory through a few slots of pinned memory: workers fill or
// empty slots while a queue of the device copies others, all overlapping with other queues' work. Each slot
// is a variable of the engine, so nobody waits for more than necessary.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "forebay/engine/engine.h"
#include "forebay/memory/buffer.h"
#include "forebay/memory/memory_resource.h"

namespace forebay::cuda {

struct StagingOptions {
  engine::ExecutorRef copies;                      // the executor of `queue`, see Engine::device_executor
  memory::Queue queue;                             // preferably a queue used only for copies
  std::shared_ptr<memory::MemoryResource> pinned;  // e.g. pinned_resource()
  size_t slot_bytes = size_t{4} << 20;             // size of one copy
  size_t slots = 4;                                // how many slots are filled, copied or emptied at once
};

/// Both ranges must stay valid until the copy is done; the variables stand for what it reads and writes.
struct StagedCopy {
  void* destination = nullptr;
  const void* source = nullptr;
  size_t size_bytes = 0;
  engine::Variable reads;
  engine::Variable writes;
};

/// Used by one thread at a time; may be destroyed before the copies are done. Errors go to the variable that
/// is written.
class Staging {
 public:
  /// invalid_argument for options of zero; errors of the resource.
  static Result<std::unique_ptr<Staging>> create(engine::Engine& engine, const StagingOptions& options);

  /// Push the copy, slot by slot, and return. Errors are those of Engine::push. The tasks that fill and empty
  /// slots are short and the device waits for them: a lane with a high weight lets them overtake longer work.
  Status to_device(const engine::LaneRef& lane, const StagedCopy& copy);
  Status to_host(const engine::LaneRef& lane, const StagedCopy& copy);

 private:
  struct Slot {
    memory::BufferRef buffer;
    engine::Variable variable;
  };

  Staging(engine::Engine& engine, const StagingOptions& options) : engine_(engine), options_(options) {}
  const Slot& next_slot();
  template <class PushPiece>
  Status in_pieces(const StagedCopy& copy, PushPiece push_piece);

  engine::Engine& engine_;
  const StagingOptions options_;
  std::vector<Slot> slots_;
  size_t next_ = 0;
};

}  // namespace forebay::cuda
