// MXNet's engine, through the C interface of its wheel: MXEnginePushSyncND over arrays that are never
// allocated.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <utility>

#include "engine/work.h"

namespace {

using engine_benchmark::Place;
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
  int (*push)(void (*body)(void*, void*), void* argument, void (*deleter)(void*), Handle context,
              Handle* reads, int read_count, Handle* writes, int write_count, Handle property, int priority,
              const char* name);
  int (*version)(int* out);
};

void* symbol(void* library, const char* name) {
  void* found = dlsym(library, name);
  if (found == nullptr) {
    std::fprintf(stderr, "libmxnet.so has no %s\n", name);
    std::exit(1);
  }
  return found;
}

Library open_library(const std::string& path) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr, "%s\n", dlerror());
    std::exit(1);
  }
  Library functions;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol(library, name));
  };
  find(functions.create, "MXNDArrayCreate");
  find(functions.free, "MXNDArrayFree");
  find(functions.wait, "MXNDArrayWaitToRead");
  find(functions.wait_all, "MXNDArrayWaitAll");
  find(functions.push, "MXEnginePushSyncND");
  find(functions.version, "MXGetVersion");
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
  using Variable = Array;
  static constexpr bool kHasDevices =
      true;  // the threads of prioritised tasks, which are others than the workers

  explicit Mxnet(const Library& library) : library_(library) {}
  Array make() {
    const uint32_t extent = 1;
    Handle handle = nullptr;
    library_.create(&extent, 1, context_.device_type, context_.device, 1, &handle);
    return {&library_, handle};
  }
  void push(const Array* reads, int count, const Array& write) {
    push([](void*, void*) {}, nullptr, nullptr, reads, count, write, kNormal);
  }
  void push(const Array* reads, int count, const Array& write, std::function<void()> body, Place place) {
    push(&run, new std::function<void()>(std::move(body)), &destroy, reads, count, write,
         place == Place::kCompute ? kNormal : kCpuPrioritized);
  }
  void wait(const Array& array) { library_.wait(array.handle()); }
  void wait_all() { library_.wait_all(); }

 private:
  static constexpr int kNormal = 0;  // mxnet::FnProperty
  static constexpr int kCpuPrioritized = 3;

  static void run(void*, void* body) { (*static_cast<std::function<void()>*>(body))(); }
  static void destroy(void* body) { delete static_cast<std::function<void()>*>(body); }

  void push(void (*body)(void*, void*), void* argument, void (*deleter)(void*), const Array* reads, int count,
            const Array& write, int property) {
    Handle read_handles[2];
    int read_count = 0;
    for (int i = 0; i < count; ++i) {
      if (reads[i].handle() != write.handle()) {  // it may not be in both lists
        read_handles[read_count++] = reads[i].handle();
      }
    }
    Handle written = write.handle();
    library_.push(body, argument, deleter, &context_, read_handles, read_count, &written, 1, &property, 0,
                  "nothing");
  }

  const Library& library_;
  Context context_;
};

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  setenv("MXNET_CPU_WORKER_NTHREADS", std::to_string(static_cast<int>(task.number.at("workers"))).c_str(), 1);
  const Library library = open_library(task.text.at("libmxnet"));
  int version = 0;
  library.version(&version);
  Mxnet mxnet(library);
  engine_benchmark::run(task, {{"mxnet", std::to_string(version)}}, mxnet);
  return 0;
}
