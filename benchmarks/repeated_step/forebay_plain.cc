// Kernel after kernel, without the engine.
#include "repeated_step/repeated_step.h"

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  const repeated_step_benchmark::Bench bench(task);
  return repeated_step_benchmark::measure(
      task, [&] { repeated_step_benchmark::check(bench.put_all(bench.device->queue(0))); },
      [&] { bench.wait(); });
}
