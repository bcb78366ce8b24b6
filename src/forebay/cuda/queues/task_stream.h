// A stream of tasks that comes again and again (the tasks of one training step for one queue of a device) as
// one task of the engine: one push, and one launch of a graph where the stream has come before.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "absl/types/span.h"
#include "forebay/base/status.h"
#include "forebay/cuda/queues/repeated_work.h"
#include "forebay/engine/engine.h"

namespace forebay::cuda {

/// One task of a stream.
struct StreamTask {
  std::string_view name;  // for errors; copied
  absl::Span<const engine::Variable> reads;
  absl::Span<const engine::Variable> writes;  // as of engine::TaskOptions
  uint64_t key = 0;                           // hash of what its work depends on, see RepeatedWork::run
};

/// Collects tasks and pushes them, as often as wanted: the first that is added after a push begins another
/// step. Used by one thread at a time; may go before what it pushed has run.
///
/// What the tasks leave is what they would leave pushed one after the other, with two differences that follow
/// from their being one: all wait for what any of them reads or writes, and an error of one, or one that one
/// of them inherits, is the error of all that the stream writes. Errors carry the stream's name, then the
/// task's.
class TaskStream {
 public:
  /// Puts its work on the queue that it is given, under the rules of RepeatedWork::Put. What it has captured
  /// lives until the device has passed the last launch of the graph made of it; where the work stays plain,
  /// until its task has been issued, as a body's of Engine::device_executor.
  using Body = absl::AnyInvocable<Status(memory::Queue queue)>;

  /// Tasks go to `executor`, whose queue is that of `work`. Streams of one executor may share `work`.
  TaskStream(engine::ExecutorRef executor, std::shared_ptr<RepeatedWork> work);

  void add(const StreamTask& task, Body body);

  /// Pushes what was added, nothing for nothing. `options` name the stream and say what else is to be said of
  /// it; reads, writes and executor are the stream's own. Errors are those of Engine::push.
  Status push(engine::Engine& engine, const engine::LaneRef& lane, engine::TaskOptions options = {});

 private:
  struct Program;

  /// Each variable once, in the order in which they came.
  struct Variables {
    std::vector<engine::Variable> list;
    std::unordered_set<engine::Variable> set;
    void add(const engine::Variable& variable);
  };

  void add_accesses(const StreamTask& task);

  const engine::ExecutorRef executor_;
  const std::shared_ptr<RepeatedWork> work_;
  std::shared_ptr<Program> program_;
  bool is_pushed_ = true;  // what is there, so that the next task begins another
  Variables reads_;
  Variables writes_;
};

}  // namespace forebay::cuda
