// oneTBB's flow graph. It knows no variables, so the edges are found here as an engine would; and a graph may
// not grow while it runs, so the tasks pushed since the last wait are built first and run at the next.
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/version.h>

#include <algorithm>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/work.h"

namespace {

using engine_benchmark::Place;
namespace flow = oneapi::tbb::flow;
using Node = flow::continue_node<flow::continue_msg>;

/// Who uses a variable, of the tasks that are not run yet.
struct State {
  uint64_t generation = 0;  // of the graph that the rest is about
  Node* writer = nullptr;
  std::vector<Node*> readers;
};

class Tbb {
 public:
  using Variable = std::shared_ptr<State>;
  static constexpr bool kHasDevices = false;

  explicit Tbb(int workers)
      : limit_(oneapi::tbb::global_control::max_allowed_parallelism, static_cast<size_t>(workers) + 1) {}

  Variable make() { return std::make_shared<State>(); }
  void push(const Variable* reads, int count, const Variable& write) {
    add(reads, count, write, [](const flow::continue_msg&) {});
  }
  void push(const Variable* reads, int count, const Variable& write, std::function<void()> body, Place) {
    add(reads, count, write, [body = std::move(body)](const flow::continue_msg&) { body(); });
  }
  void wait(const Variable&) { wait_all(); }
  void wait_all() {
    for (Node* root : roots_) {
      root->try_put(flow::continue_msg());
    }
    graph_.wait_for_all();
    roots_.clear();
    nodes_.clear();
    ++generation_;
  }

 private:
  template <class Body>
  void add(const Variable* reads, int count, const Variable& write, Body body) {
    Node& node = nodes_.emplace_back(graph_, std::move(body));
    bool is_root = true;
    const auto follow = [&](Node* before) {
      if (before != nullptr && before != &node) {
        flow::make_edge(*before, node);
        is_root = false;
      }
    };
    for (int i = 0; i < count; ++i) {
      State& state = current(*reads[i]);
      follow(state.writer);
      state.readers.push_back(&node);
    }
    State& written = current(*write);
    if (std::find(reads, reads + count, write) == reads + count) {
      follow(written.writer);
    }
    std::for_each(written.readers.begin(), written.readers.end(), follow);
    written.readers.clear();
    written.writer = &node;
    if (is_root) {
      roots_.push_back(&node);
    }
  }

  State& current(State& state) const {
    if (state.generation != generation_) {
      state = {.generation = generation_, .writer = nullptr, .readers = {}};
    }
    return state;
  }

  oneapi::tbb::global_control limit_;
  flow::graph graph_;
  uint64_t generation_ = 1;
  std::deque<Node> nodes_;
  std::vector<Node*> roots_;
};

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  const std::map<std::string, std::string> versions = {{"oneTBB", TBB_VERSION_STRING}};
  if (task.text.at("stream") == "queued" || task.text.at("stream") == "products") {
    contender::decline(task, versions);  // nothing runs before the wait
    return 0;
  }
  Tbb tbb(static_cast<int>(task.number.at("workers")));
  engine_benchmark::run(task, versions, tbb);
  return 0;
}
