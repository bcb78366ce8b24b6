// A sequence of tasks that recurs (the tasks of one training step for one device queue) as one task of the
// engine: one push, and one launch of a graph if the sequence has run before.
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
  uint64_t key = 0;                           // hash of everything its work depends on, see RepeatedWork::run
};

/// Collects tasks and pushes them, any number of times: the first task added after a push begins a new step.
/// Used by one thread at a time; may be destroyed before what it pushed has run.
///
/// The effect is that of pushing the tasks one after the other, with two differences because they are a
/// single task: all of them wait for what any of them reads or writes, and an error that occurs in one or is
/// inherited by one becomes the error of everything the sequence writes. Errors carry the sequence's name,
/// then the task's.
class TaskStream {
 public:
  /// Puts the task's work on the given queue, under the rules of RepeatedWork::Put. Its captures live until
  /// the device has passed the last launch of the graph made from it; if the work does not become a graph,
  /// until its task has been issued, as in Engine::device_executor.
  using Body = absl::AnyInvocable<Status(memory::Queue queue)>;

  /// Pushes to `executor`, whose queue must be that of `work`. Sequences of one executor may share `work`.
  TaskStream(engine::ExecutorRef executor, std::shared_ptr<RepeatedWork> work);

  void add(const StreamTask& task, Body body);

  /// Pushes what was added; does nothing if nothing was. `options` name the sequence and set the other
  /// options; reads, writes and executor are determined here. Errors are those of Engine::push.
  Status push(engine::Engine& engine, const engine::LaneRef& lane, engine::TaskOptions options = {});

 private:
  struct Program;

  /// Each variable once, in order of first appearance.
  struct Variables {
    std::vector<engine::Variable> list;
    std::unordered_set<engine::Variable> set;
    void add(const engine::Variable& variable);
  };

  void add_accesses(const StreamTask& task);

  const engine::ExecutorRef executor_;
  const std::shared_ptr<RepeatedWork> work_;
  std::shared_ptr<Program> program_;
  bool is_pushed_ = true;  // whether program_ has been pushed, so that the next task begins a new one
  Variables reads_;
  Variables writes_;
};

}  // namespace forebay::cuda
