// Forebay's engine.
#include "engine/work.h"
#include "forebay/engine/engine.h"

namespace {

namespace engine = forebay::engine;

class Forebay {
 public:
  using Variable = engine::Variable;

  explicit Forebay(int workers)
      : engine_({.workers = workers}), lane_(engine_.new_lane({.name = "benchmark"})) {}
  Variable make() { return engine_.new_variable(); }
  void push(const Variable* reads, int count, const Variable& write) {
    (void)engine_.push(lane_,
                       {.name = "nothing",
                        .reads = absl::MakeConstSpan(reads, static_cast<size_t>(count)),
                        .writes = absl::MakeConstSpan(&write, 1)},
                       [] { return forebay::ok_status(); });
  }
  void wait(const Variable& variable) { (void)engine_.wait(variable); }
  void wait_all() { (void)engine_.wait_all(lane_); }

 private:
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
