// As a graph from the second step on, without the engine.
#include "repeated_step/repeated_step.h"

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  const repeated_step_benchmark::Bench bench(task);
  const auto put = [&](forebay::memory::Queue queue) { return bench.put_all(queue); };
  return repeated_step_benchmark::measure(
      task, [&] { repeated_step_benchmark::check(bench.work->run(1, put)); }, [&] { bench.wait(); });
}
