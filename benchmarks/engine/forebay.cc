// Forebay's engine, its lane that limits running ahead.
#include "forebay/engine/engine.h"

#include <cstdint>
#include <functional>
#include <utility>

#include "engine/work.h"

namespace {

namespace engine = forebay::engine;
using engine_benchmark::Place;

constexpr uint64_t kRunAheadBytes = uint64_t{256} << 10;  // less than a batch

class Forebay {
 public:
  using Variable = engine::Variable;
  static constexpr bool kHasDevices = true;

  explicit Forebay(int workers)
      : engine_({.workers = workers, .trace = &trace_}),
        lane_(engine_.new_lane({.name = "benchmark", .run_ahead_bytes = kRunAheadBytes})) {}
  Variable make() { return engine_.new_variable(); }
  void push(const Variable* reads, int count, const Variable& write) {
    (void)engine_.push(lane_,
                       {.name = "nothing",
                        .reads = absl::MakeConstSpan(reads, static_cast<size_t>(count)),
                        .writes = absl::MakeConstSpan(&write, 1)},
                       [] { return forebay::ok_status(); });
  }
  void push(const Variable* reads, int count, const Variable& write, std::function<void()> body,
            Place place) {
    engine::TaskOptions options{.name = "work",
                                .reads = absl::MakeConstSpan(reads, static_cast<size_t>(count)),
                                .writes = absl::MakeConstSpan(&write, 1)};
    if (place != Place::kCompute) {
      options.executor = *engine_.executor(place == Place::kDevice ? "device" : "copies");
    }
    push(options, std::move(body));
  }
  void push_taking(const Variable& write, std::function<void()> body, size_t bytes) {
    push({.name = "make", .writes = absl::MakeConstSpan(&write, 1), .bytes = bytes}, std::move(body));
  }
  void wait(const Variable& variable) { (void)engine_.wait(variable); }
  void start_trace() { trace_.start(); }
  void wait_all() { (void)engine_.wait_all(lane_); }

 private:
  void push(const engine::TaskOptions& options, std::function<void()> body) {
    (void)engine_.push(lane_, options, [body = std::move(body)] {
      body();
      return forebay::ok_status();
    });
  }

  forebay::Trace trace_;
  engine::Engine engine_;
  const engine::LaneRef lane_;
};

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  Forebay forebay(static_cast<int>(task.number.at("workers")));
  engine_benchmark::run(task, {{"forebay", FOREBAY_VERSION}}, forebay);
  return 0;
}
