#include "forebay/cuda/queues/task_stream.h"

#include <string>
#include <utility>

#include "forebay/base/caught.h"
#include "forebay/base/random/random.h"

namespace forebay::cuda {

/// The work of the pushed task.
struct TaskStream::Program {
  struct Part {
    std::string name;
    Body body;
  };

  Status put(memory::Queue queue) {
    for (Part& part : parts) {
      FOREBAY_RETURN_IF_ERROR(put(part, queue));
    }
    return ok_status();
  }

  // Converts exceptions to errors here, because callers do not know the name.
  static Status put(Part& part, memory::Queue queue) {
    return annotate(caught([&] { return part.body(queue); }), part.name);
  }

  std::vector<Part> parts;
  uint64_t key = 0;
};

TaskStream::TaskStream(engine::ExecutorRef executor, std::shared_ptr<RepeatedWork> work)
    : executor_(std::move(executor)), work_(std::move(work)) {
}

void TaskStream::add(const StreamTask& task, Body body) {
  if (std::exchange(is_pushed_, false)) {
    program_ = std::make_shared<Program>();
    reads_ = {};
    writes_ = {};
  }
  program_->key = mix64(mix64(program_->key, hash64(task.name)), task.key);
  program_->parts.push_back({.name = std::string(task.name), .body = std::move(body)});
  add_accesses(task);
}

void TaskStream::Variables::add(const engine::Variable& variable) {
  if (set.insert(variable).second) {
    list.push_back(variable);
  }
}

/// A variable that is overwritten before any of its tasks reads it does not count as read: an error it
/// carried before is cleared, as it would be by the task alone.
void TaskStream::add_accesses(const StreamTask& task) {
  for (const engine::Variable& variable : task.reads) {
    if (!writes_.set.contains(variable)) {
      reads_.add(variable);
    }
  }
  for (const engine::Variable& variable : task.writes) {
    writes_.add(variable);
  }
}

Status TaskStream::push(engine::Engine& engine, const engine::LaneRef& lane, engine::TaskOptions options) {
  if (program_ == nullptr) {
    return ok_status();
  }
  is_pushed_ = true;
  options.reads = reads_.list;
  options.writes = writes_.list;
  options.executor = executor_;
  return engine.push(lane, options, [program = program_, work = work_] {
    return work->run(
        program->key, [&](memory::Queue queue) { return program->put(queue); }, program);
  });
}

}  // namespace forebay::cuda
