// Graphs of the simulated device: work captured on a queue and launched again and again. What real devices
// refuse during a capture is refused here, and dropping a graph before its last launch has passed is an error
// of the queue.
#include <utility>

#include "forebay/memory/device/simulated_device.h"

namespace forebay::memory {

struct SimulatedGraph {
  std::vector<std::shared_ptr<SimulatedDevice::Work>> pieces;
  bool is_dropped = false;
};

namespace {

SimulatedGraph& graph_of(void* handle) {
  return *static_cast<SimulatedGraph*>(handle);
}

}  // namespace

void SimulatedDevice::fail_next(GraphStep step, Status error) {
  const MutexLock lock(mutex_);
  failures_[static_cast<size_t>(step)] = std::move(error);
}

size_t SimulatedDevice::graphs_in_use() const {
  const MutexLock lock(mutex_);
  return graphs_.size();
}

Status SimulatedDevice::take_failure(GraphStep step) {
  return std::exchange(failures_[static_cast<size_t>(step)], ok_status());
}

Status SimulatedDevice::refuse_in_capture(uint32_t queue) {
  if (!queues_[queue].capturing) {
    return ok_status();
  }
  queues_[queue].capturing->is_spoilt = true;
  return failed_precondition("queue {} is being captured: it has no points", queue);
}

Status SimulatedDevice::refuse_in_capture_of_thread() {
  Status refused;
  for (Queue& queue : queues_) {
    if (queue.capturing && queue.capturing->thread == std::this_thread::get_id()) {
      queue.capturing->is_spoilt = true;
      refused = failed_precondition("this thread is capturing a queue: it may not wait, query or allocate");
    }
  }
  return refused;
}

Status SimulatedDevice::begin_capture(uint32_t queue) {
  FOREBAY_RETURN_IF_ERROR(check_queue(queue));
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(take_failure(GraphStep::kBegin));
  FOREBAY_RETURN_IF_ERROR(refuse_in_capture(queue));
  queues_[queue].capturing = Capturing{.thread = std::this_thread::get_id()};
  return ok_status();
}

Result<SimulatedGraph*> SimulatedDevice::end_capture(uint32_t queue) {
  FOREBAY_RETURN_IF_ERROR(check_queue(queue));
  // Destroyed outside the lock, because work may own objects that call the device.
  std::optional<Capturing> captured;
  const MutexLock lock(mutex_);
  captured = std::exchange(queues_[queue].capturing, std::nullopt);
  FOREBAY_RETURN_IF_ERROR(take_failure(GraphStep::kEnd));
  if (!captured || captured->thread != std::this_thread::get_id()) {
    return failed_precondition("queue {} is not being captured by this thread", queue);
  }
  if (captured->is_spoilt) {
    return failed_precondition("the capture of queue {} was invalidated", queue);
  }
  auto graph = std::make_shared<SimulatedGraph>();
  graph->pieces = std::move(captured->pieces);
  return graphs_.emplace(graph.get(), graph).first->second.get();
}

Result<SimulatedGraph*> SimulatedDevice::make_graph(const SimulatedGraph& capture) {
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(take_failure(GraphStep::kMake));
  auto graph = std::make_shared<SimulatedGraph>(capture);
  return graphs_.emplace(graph.get(), graph).first->second.get();
}

Result<bool> SimulatedDevice::update_graph(SimulatedGraph& graph, const SimulatedGraph& capture) {
  std::vector<std::shared_ptr<Work>> before;  // destroyed outside the lock
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(take_failure(GraphStep::kUpdate));
  if (graph.pieces.size() != capture.pieces.size()) {
    return false;
  }
  before = std::exchange(graph.pieces, capture.pieces);
  return true;
}

Status SimulatedDevice::launch_graph(uint32_t queue, SimulatedGraph& graph) {
  FOREBAY_RETURN_IF_ERROR(check_queue(queue));
  const MutexLock lock(mutex_);
  FOREBAY_RETURN_IF_ERROR(take_failure(GraphStep::kLaunch));
  FOREBAY_RETURN_IF_ERROR(refuse_in_capture(queue));
  const std::shared_ptr<SimulatedGraph>& launched = graphs_.at(&graph);
  for (const std::shared_ptr<Work>& work : launched->pieces) {
    queues_[queue].pieces.push_back({.work = [launched, work] {
      return launched->is_dropped ? internal_error("a graph was dropped before it had run") : (*work)();
    }});
    ++queues_[queue].submitted;
  }
  run_some_locked();
  return ok_status();
}

void SimulatedDevice::drop_graph(SimulatedGraph* graph) {
  std::shared_ptr<SimulatedGraph> dropped;  // destroyed outside the lock
  const MutexLock lock(mutex_);
  graph->is_dropped = true;
  dropped = std::move(graphs_.extract(graph).mapped());
}

const DeviceGraphs& SimulatedDevice::graph_table() {
  static constexpr DeviceGraphs kTable = {
      .begin_capture =
          [](void* context, uint32_t queue) {
            return SimulatedDevice::of(context).code_of(SimulatedDevice::of(context).begin_capture(queue));
          },
      .end_capture =
          [](void* context, uint32_t queue, void** capture, size_t* pieces) {
            const Result<SimulatedGraph*> kept = SimulatedDevice::of(context).end_capture(queue);
            *capture = kept.ok() ? *kept : nullptr;
            *pieces = kept.ok() ? (*kept)->pieces.size() : 0;
            return SimulatedDevice::of(context).code_of(kept.status());
          },
      .make_graph =
          [](void* context, void* capture, void** graph) {
            const Result<SimulatedGraph*> made = SimulatedDevice::of(context).make_graph(graph_of(capture));
            *graph = made.ok() ? *made : nullptr;
            return SimulatedDevice::of(context).code_of(made.status());
          },
      .update_graph =
          [](void* context, void* graph, void* capture) {
            const Result<bool> updated =
                SimulatedDevice::of(context).update_graph(graph_of(graph), graph_of(capture));
            return updated.ok() ? static_cast<int>(*updated)
                                : SimulatedDevice::of(context).code_of(updated.status());
          },
      .launch_graph =
          [](void* context, uint32_t queue, void* graph) {
            return SimulatedDevice::of(context).code_of(
                SimulatedDevice::of(context).launch_graph(queue, graph_of(graph)));
          },
      .drop_capture = [](void* context,
                         void* capture) { SimulatedDevice::of(context).drop_graph(&graph_of(capture)); },
      .drop_graph = [](void* context,
                       void* graph) { SimulatedDevice::of(context).drop_graph(&graph_of(graph)); },
  };
  return kTable;
}

}  // namespace forebay::memory
