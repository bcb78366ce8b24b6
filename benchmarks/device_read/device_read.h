// A file into a GPU's memory again and again.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#include "forebay/cuda/memory/resources.h"
#include "forebay/cuda/queues/driver_queue.h"
#include "forebay/engine/engine.h"
#include "forebay/memory/pool/pool.h"
#include "forebay/storage/blocking.h"
#include "forebay/storage/device_reads/device_read.h"
#include "forebay/storage/local/local_store.h"
#include "harness/contender.h"

namespace device_read_benchmark {

// The value, or the end of the program with the reason, which the runner prints.
template <class T>
T value_of(forebay::Result<T> result) {
  if (!result.ok()) {
    std::cerr << result.status() << "\n";
    std::exit(1);
  }
  return *std::move(result);
}

inline void forget_pages(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  ::posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
  ::close(file);
}

inline int run(int argc, char** argv, forebay::storage::DeviceReadOptions options) {
  const contender::Task task = contender::read_task(argc, argv);
  const std::string& path = task.text.at("file");
  options.chunk_bytes = static_cast<size_t>(task.number.at("chunk_kib")) << 10;
  const auto device = value_of(forebay::cuda::Device::create());
  const auto store = forebay::storage::LocalStore::process_store();
  const auto bytes = value_of(forebay::storage::stat_now(*store, path)).size_bytes;
  const auto buffer =
      value_of(forebay::memory::Buffer::allocate(bytes, forebay::cuda::device_resource(device)));
  const forebay::storage::ReadRequest request{
      .key = path,
      .resource =
          value_of(forebay::memory::Pool::create({.upstream = forebay::cuda::pinned_resource(device)}))};
  forebay::engine::Engine engine({.workers = 2});
  const forebay::memory::Queue queue = device->queue(0);
  const forebay::storage::DevicePlace place{
      .buffer = buffer,
      .queue = queue,
      .engine = &engine,
      .lane = engine.new_lane({.name = "reads"}),
      .copies = value_of(engine.device_executor("copies", forebay::cuda::driver_queue(queue, device)))};
  double seconds = 0;
  double cpu = 0;
  double passes = -1;  // the first one warms up
  double direct = 0;
  while (seconds < task.seconds) {
    if (task.number.at("cold") != 0) {
      forget_pages(path);
    }
    const double cpu_before = contender::cpu_seconds();
    const auto begun = std::chrono::steady_clock::now();
    const auto read = value_of(forebay::storage::read_to_device(*store, request, place, options));
    if (const forebay::Status status = engine.wait(read.ready); !status.ok()) {
      value_of(forebay::Result<int>(status));
    }
    if (passes >= 0) {
      seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
      cpu += contender::cpu_seconds() - cpu_before;
      direct += read.is_direct() ? 1 : 0;
    }
    ++passes;
  }
  const double gigabytes = passes * static_cast<double>(bytes) * 1e-9;
  contender::report(task, {{"forebay", FOREBAY_VERSION}},
                    {{"gigabytes_per_second", gigabytes / seconds},
                     {"cpu_seconds_per_gigabyte", cpu / gigabytes},
                     {"direct", direct / passes}});
  return 0;
}

}  // namespace device_read_benchmark
