// The same tasks as a stream: one task of the engine, and one launch.
#include "repeated_step/repeated_step.h"

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  const repeated_step_benchmark::Bench bench(task);
  forebay::engine::Engine engine({.workers = 1});
  const auto lane = engine.new_lane({.name = "steps"});
  const auto executor = repeated_step_benchmark::value_of(
      engine.device_executor("stream", forebay::cuda::driver_queue(bench.device->queue(0), bench.device)));
  const auto words = engine.new_variable();
  forebay::cuda::TaskStream stream(executor, bench.work);
  const auto step = [&] {
    for (uint32_t number = 0; number < bench.kernels; ++number) {
      stream.add({.name = "kernel", .reads = {&words, 1}, .writes = {&words, 1}, .key = number},
                 [&bench, number](forebay::memory::Queue queue) { return bench.put_kernel(queue, number); });
    }
    repeated_step_benchmark::check(stream.push(engine, lane, {.name = "step"}));
  };
  return repeated_step_benchmark::measure(task, step,
                                          [&] { repeated_step_benchmark::check(engine.wait(words)); });
}
