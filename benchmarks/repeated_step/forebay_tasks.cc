// A task of the engine for each kernel.
#include "repeated_step/repeated_step.h"

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  const repeated_step_benchmark::Bench bench(task);
  forebay::engine::Engine engine({.workers = 1});
  const auto lane = engine.new_lane({.name = "steps"});
  const auto queue = bench.device->queue(0);
  const auto executor = repeated_step_benchmark::value_of(
      engine.device_executor("stream", forebay::cuda::driver_queue(queue, bench.device)));
  const auto words = engine.new_variable();
  const auto step = [&] {
    for (uint32_t number = 0; number < bench.kernels; ++number) {
      repeated_step_benchmark::check(engine.push(
          lane, {.name = "kernel", .reads = {&words, 1}, .writes = {&words, 1}, .executor = executor},
          [&bench, queue, number] { return bench.put_kernel(queue, number); }));
    }
  };
  return repeated_step_benchmark::measure(task, step,
                                          [&] { repeated_step_benchmark::check(engine.wait(words)); });
}
