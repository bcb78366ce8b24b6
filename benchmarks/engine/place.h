#pragma once

namespace engine_benchmark {

/// The threads that a task runs on: the engine's workers, or threads of a simulated device and of its copies.
enum class Place { kCompute, kDevice, kCopy };

}  // namespace engine_benchmark
