// Graphs of a CUDA device: streams captured, instantiated, launched (CUDA Driver API, "Graph Management").
#include "forebay/cuda/device.h"

namespace forebay::cuda {
int Device::begin_capture(uint32_t queue) {
  StreamQueue* const found = find(queue);
  const ContextScope scope(*context_);
  return found == nullptr ? kNoSuchQueue : found->begin_capture();
}

int Device::end_capture(uint32_t queue, GraphHandle* graph, size_t* nodes) {
  StreamQueue* const found = find(queue);
  const ContextScope scope(*context_);
  const int ended = found == nullptr ? kNoSuchQueue : found->end_capture(graph);
  if (ended < 0) {
    return ended;
  }
  const int error = context_->functions().graph_nodes(*graph, nullptr, nodes);
  if (error != kSuccess) {
    context_->functions().graph_destroy(*graph);
  }
  return -error;
}

int Device::make_graph(GraphHandle captured, LaunchableGraphHandle* graph) {
  const ContextScope scope(*context_);
  return -context_->functions().graph_make(graph, captured, 0);
}

int Device::update_graph(LaunchableGraphHandle graph, GraphHandle captured) {
  const ContextScope scope(*context_);
  GraphUpdateResult result;
  const int error = context_->functions().graph_update(graph, captured, &result);
  if (error == kErrorGraphOfAnotherShape) {
    return 0;
  }
  return error == kSuccess ? 1 : -error;
}

int Device::launch_graph(uint32_t queue, LaunchableGraphHandle graph) {
  const StreamQueue* const found = find(queue);
  const ContextScope scope(*context_);
  return found == nullptr ? kNoSuchQueue : -context_->functions().graph_launch(graph, found->stream());
}

const memory::DeviceGraphs& Device::graph_table() {
  static constexpr memory::DeviceGraphs kTable = {
      .begin_capture = [](void* context, uint32_t queue) { return Device::of(context).begin_capture(queue); },
      .end_capture =
          [](void* context, uint32_t queue, void** capture, size_t* pieces) {
            GraphHandle graph = nullptr;
            const int ended = Device::of(context).end_capture(queue, &graph, pieces);
            *capture = graph;
            return ended;
          },
      .make_graph =
          [](void* context, void* capture, void** graph) {
            LaunchableGraphHandle made = nullptr;
            const int error = Device::of(context).make_graph(static_cast<GraphHandle>(capture), &made);
            *graph = made;
            return error;
          },
      .update_graph =
          [](void* context, void* graph, void* capture) {
            return Device::of(context).update_graph(static_cast<LaunchableGraphHandle>(graph),
                                                    static_cast<GraphHandle>(capture));
          },
      .launch_graph =
          [](void* context, uint32_t queue, void* graph) {
            return Device::of(context).launch_graph(queue, static_cast<LaunchableGraphHandle>(graph));
          },
      .drop_capture =
          [](void* context, void* capture) {
            const ContextScope scope(*Device::of(context).context());
            Device::of(context).context()->functions().graph_destroy(static_cast<GraphHandle>(capture));
          },
      .drop_graph =
          [](void* context, void* graph) {
            const ContextScope scope(*Device::of(context).context());
            Device::of(context).context()->functions().graph_drop(static_cast<LaunchableGraphHandle>(graph));
          },
  };
  return kTable;
}

}  // namespace forebay::cuda
