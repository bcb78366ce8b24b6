// Forebay's arrays. A device's tasks have a lane of their own on the arrays' engine, real queues and staging.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "arrays/device.h"
#include "arrays/work.h"
#include "forebay/cuda/queues/driver_queue.h"
#include "forebay/cuda/queues/staging.h"
#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/algebra/elementwise.h"
#include "forebay/ndarray/products/products.h"
#include "forebay/ndarray/runtime.h"

namespace {

namespace cuda = forebay::cuda;
namespace engine = forebay::engine;
namespace ndarray = forebay::ndarray;
using arrays_benchmark::Device;

void require(const forebay::Status& status) {
  if (!status.ok()) {
    std::cerr << status << "\n";
    std::exit(1);
  }
}

template <class T>
T value_of(forebay::Result<T> result) {
  require(result.status());
  return *std::move(result);
}

/// The device's side of the rows beside one.
class DeviceLane {
 public:
  explicit DeviceLane(std::shared_ptr<Device> device)
      : device_(std::move(device)),
        engine_(*ndarray::runtime().engine),
        lane_(engine_.new_lane({.name = "device", .weight = 64})),
        computing_(executor(Device::kComputing)) {
    staging_ = value_of(cuda::Staging::create(engine_, {.copies = executor(Device::kCopying),
                                                        .queue = {device_->driver(), Device::kCopying},
                                                        .pinned = device_->pinned(),
                                                        .slot_bytes = arrays_benchmark::kResultBytes / 4}));
    for (int i = 0; i < arrays_benchmark::kBlocks; ++i) {
      results_.push_back(
          {value_of(forebay::memory::Buffer::allocate(arrays_benchmark::kResultBytes, device_->resource())),
           engine_.new_variable()});
    }
  }

  void compute(int block) {
    const Result& result = results_[block];
    require(engine_.push(lane_, {.name = "compute", .writes = {&result.variable, 1}, .executor = computing_},
                         [device = device_, to = result.buffer, block] {
                           return device->compute(to->data(), arrays_benchmark::value_of_block(block));
                         }));
  }
  ndarray::Array to_host(int block) {
    const Result& result = results_[block];
    ndarray::Array array =
        value_of(ndarray::Array::empty({{arrays_benchmark::kSide, arrays_benchmark::kSide}}));
    const ndarray::StorageRef& storage = array.region().storage;
    require(staging_->to_host(lane_, {.destination = storage->data(),
                                      .source = result.buffer->data(),
                                      .size_bytes = storage->size_bytes(),
                                      .reads = result.variable,
                                      .writes = storage->variable()}));
    return array;
  }
  void wait_all() { require(engine_.wait_all(lane_)); }

 private:
  struct Result {
    forebay::memory::BufferRef buffer;
    engine::Variable variable;
  };

  engine::ExecutorRef executor(uint32_t queue) {
    return value_of(
        engine_.device_executor("device", cuda::driver_queue({device_->driver(), queue}, device_)));
  }

  const std::shared_ptr<Device> device_;
  engine::Engine& engine_;
  const engine::LaneRef lane_;
  const engine::ExecutorRef computing_;
  std::unique_ptr<cuda::Staging> staging_;
  std::vector<Result> results_;
};

class Forebay {
 public:
  ndarray::Array ones(int rows, int columns) { return *ndarray::full({{rows, columns}}, 1); }
  ndarray::Array plus_one(const ndarray::Array& x) {
    return *ndarray::with_scalar(ndarray::ArithmeticOp::kAdd, x, 1);
  }
  ndarray::Array product(const ndarray::Array& x) { return *ndarray::dot(x, x); }
  void wait(const ndarray::Array& array) { (void)array.wait(); }
  void wait_all() {
    if (device_ != nullptr) {
      device_->wait_all();
    }
    (void)ndarray::wait_for_all();
  }

  bool open_device(const std::string& kind) {
    if (kind == "simulated") {
      device_ = std::make_unique<DeviceLane>(std::make_shared<arrays_benchmark::SimulatedTime>());
      return true;
    }
    const auto gpu = arrays_benchmark::Gpu::create();
    if (gpu.ok()) {
      device_ = std::make_unique<DeviceLane>(*gpu);
    }
    gpu_ = gpu.ok() ? (*gpu)->name() : "not used: " + std::string(gpu.status().message());
    return gpu.ok();
  }
  void compute(int block) { device_->compute(block); }
  ndarray::Array to_host(int block) { return device_->to_host(block); }
  bool holds(const ndarray::Array& array, float value) {
    const auto content = array.copied();
    return content.ok() &&
           std::ranges::all_of(content->view().span<float>(), [=](float v) { return v == value; });
  }
  /// Of the library, and which GPU was asked for and found.
  std::map<std::string, std::string> versions() const {
    std::map<std::string, std::string> found{{"forebay", FOREBAY_VERSION}};
    if (!gpu_.empty()) {
      found["GPU"] = gpu_;
    }
    return found;
  }

 private:
  std::unique_ptr<DeviceLane> device_;
  std::string gpu_;
};

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  setenv("FOREBAY_ARRAY_WORKERS", std::to_string(static_cast<int>(task.number.at("workers"))).c_str(), 1);
  Forebay forebay;
  arrays_benchmark::run(task, forebay);
  return 0;
}
