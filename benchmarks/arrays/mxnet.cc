// MXNet's operators through the C interface of its wheel: MXImperativeInvoke. A device is simulated by tasks
// that sleep on the threads of prioritised tasks, which are others than the workers.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "arrays/work.h"

namespace {

using arrays_benchmark::kResultBytes;
using arrays_benchmark::kResultFloats;
using Handle = void*;

struct Context {  // mxnet::Context: CPU is 1
  int device_type = 1;
  int device = 0;
};

// The functions of c_api.h that are wanted, 1.9.1.
struct Library {
  int (*create)(const uint32_t* shape, uint32_t rank, int device_type, int device, int delay, Handle* out);
  int (*free)(Handle array);
  int (*wait)(Handle array);
  int (*wait_all)();
  int (*find)(const char* name, Handle* out);
  int (*invoke)(Handle operation, int input_count, Handle* inputs, int* output_count, Handle** outputs,
                int count, const char** names, const char** values);
  int (*version)(int* out);
  int (*data)(Handle array, void** out);
  int (*copy)(Handle array, void* to, size_t elements);
  int (*push)(void (*body)(void*, void*), void* argument, void (*deleter)(void*), Handle context,
              Handle* reads, int read_count, Handle* writes, int write_count, Handle property, int priority,
              const char* name);
};

template <class Function>
void find_symbol(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr) {
    std::fprintf(stderr, "libmxnet.so has no %s\n", name);
    std::exit(1);
  }
}

Library open_library(const std::string& path) {
  void* const library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  Library functions;
  find_symbol(library, "MXNDArrayCreate", functions.create);
  find_symbol(library, "MXNDArrayFree", functions.free);
  find_symbol(library, "MXNDArrayWaitToRead", functions.wait);
  find_symbol(library, "MXNDArrayWaitAll", functions.wait_all);
  find_symbol(library, "NNGetOpHandle", functions.find);
  find_symbol(library, "MXImperativeInvoke", functions.invoke);
  find_symbol(library, "MXGetVersion", functions.version);
  find_symbol(library, "MXNDArrayGetData", functions.data);
  find_symbol(library, "MXNDArraySyncCopyToCPU", functions.copy);
  find_symbol(library, "MXEnginePushSyncND", functions.push);
  return functions;
}

class Array {
 public:
  Array() = default;
  Array(const Library* library, Handle handle) : library_(library), handle_(handle) {}
  Array(Array&& other) noexcept : library_(other.library_), handle_(std::exchange(other.handle_, nullptr)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(library_, other.library_);
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Array() {
    if (handle_ != nullptr) {
      library_->free(handle_);
    }
  }
  Handle handle() const { return handle_; }

 private:
  const Library* library_ = nullptr;
  Handle handle_ = nullptr;
};

class Mxnet {
 public:
  explicit Mxnet(const Library& library) : library_(library) {
    library_.find("_plus_scalar", &plus_);
    library_.find("_ones", &ones_);
    library_.find("dot", &dot_);
  }

  Array ones(int rows, int columns) {
    const std::string shape = "(" + std::to_string(rows) + "," + std::to_string(columns) + ")";
    return call(ones_, {}, "shape", shape.c_str());
  }
  Array plus_one(const Array& x) { return call(plus_, {x.handle()}, "scalar", "1"); }
  Array product(const Array& x) { return call(dot_, {x.handle(), x.handle()}, "transpose_a", "0"); }
  void wait(const Array& array) { library_.wait(array.handle()); }
  void wait_all() { library_.wait_all(); }

  bool open_device(const std::string& kind) {
    for (int i = 0; i < arrays_benchmark::kBlocks; ++i) {
      results_.push_back({std::vector<float>(kResultFloats), make(1, 1)});
    }
    queue_ = make(1, 1);
    link_ = make(1, 1);
    return kind == "simulated";  // the wheel knows no GPU
  }
  void compute(int block) {
    Result& result = results_[block];
    const float value = arrays_benchmark::value_of_block(block);
    push({}, {queue_.handle(), result.array.handle()}, arrays_benchmark::kDeviceTime,
         [&result, value] { std::fill(result.values.begin(), result.values.end(), value); });
  }
  Array to_host(int block) {
    Result& result = results_[block];
    Array array = make(arrays_benchmark::kSide, 0);
    void* to = nullptr;
    library_.data(array.handle(), &to);
    push({result.array.handle()}, {link_.handle(), array.handle()}, arrays_benchmark::kCopyTime,
         [&result, to] { std::memcpy(to, result.values.data(), kResultBytes); });
    return array;
  }
  bool holds(const Array& array, float value) {
    std::vector<float> values(kResultFloats);
    library_.copy(array.handle(), values.data(), values.size());
    return std::ranges::all_of(values, [=](float v) { return v == value; });
  }
  std::map<std::string, std::string> versions() const {
    int version = 0;
    library_.version(&version);
    return {{"mxnet", std::to_string(version)}};
  }

 private:
  static constexpr int kCpuPrioritized = 3;  // mxnet::FnProperty

  struct Result {
    std::vector<float> values;  // the device's memory
    Array array;                // its variable
  };
  struct Work {
    std::function<void()> body;
    std::chrono::microseconds takes;
  };

  static void run(void*, void* argument) {
    const Work& work = *static_cast<Work*>(argument);
    const auto end = std::chrono::steady_clock::now() + work.takes;
    work.body();
    std::this_thread::sleep_until(end);
  }

  Array make(uint32_t side, int delay) {
    const uint32_t shape[] = {side, side};
    Handle handle = nullptr;
    library_.create(shape, 2, context_.device_type, context_.device, delay, &handle);
    return {&library_, handle};
  }

  void push(std::vector<Handle> reads, std::vector<Handle> writes, std::chrono::microseconds takes,
            std::function<void()> body) {
    int property = kCpuPrioritized;
    library_.push(
        &run, new Work{std::move(body), takes}, [](void* work) { delete static_cast<Work*>(work); },
        &context_, reads.data(), static_cast<int>(reads.size()), writes.data(),
        static_cast<int>(writes.size()), &property, 0, "device");
  }

  Array call(Handle operation, std::vector<Handle> inputs, const char* name, const char* value) {
    int count = 0;
    Handle* outputs = nullptr;
    if (library_.invoke(operation, static_cast<int>(inputs.size()), inputs.data(), &count, &outputs, 1, &name,
                        &value) != 0) {
      std::fprintf(stderr, "MXImperativeInvoke failed\n");
      std::exit(1);
    }
    return {&library_, outputs[0]};
  }

  const Library& library_;
  Context context_;
  Handle plus_ = nullptr;
  Handle ones_ = nullptr;
  Handle dot_ = nullptr;
  std::vector<Result> results_;
  Array queue_;
  Array link_;
};

void set_threads(const char* name, double count) {
  setenv(name, std::to_string(static_cast<int>(count)).c_str(), 1);
}

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  // One worker shares a product among OpenMP's threads; more workers do small operations beside each other.
  const bool is_beside_device = task.text.contains("device");
  set_threads("MXNET_CPU_WORKER_NTHREADS", is_beside_device ? 1 : task.number.at("workers"));
  if (is_beside_device) {
    set_threads("OMP_NUM_THREADS", task.number.at("workers"));
  }
  const Library library = open_library(task.text.at("libmxnet"));
  Mxnet mxnet(library);
  arrays_benchmark::run(task, mxnet);
  return 0;
}
