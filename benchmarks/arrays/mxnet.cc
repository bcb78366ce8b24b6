// MXNet's operators through the C interface of its wheel: MXImperativeInvoke of _plus_scalar.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "arrays/work.h"

namespace {

using Handle = void*;

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
  return functions;
}

class Array {
 public:
  Array(const Library* library, Handle handle) : library_(library), handle_(handle) {}
  Array(Array&& other) noexcept : library_(other.library_), handle_(std::exchange(other.handle_, nullptr)) {}
  Array& operator=(Array&& other) noexcept {
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
  const Library* library_;
  Handle handle_;
};

class Mxnet {
 public:
  explicit Mxnet(const Library& library) : library_(library) {
    library_.find("_plus_scalar", &plus_);
    library_.find("_ones", &ones_);
  }

  Array ones(int rows, int columns) {
    const std::string shape = "(" + std::to_string(rows) + "," + std::to_string(columns) + ")";
    return call(ones_, nullptr, "shape", shape.c_str());
  }
  Array plus_one(const Array& x) { return call(plus_, x.handle(), "scalar", "1"); }
  void wait(const Array& array) { library_.wait(array.handle()); }
  void wait_all() { library_.wait_all(); }

 private:
  Array call(Handle operation, Handle input, const char* name, const char* value) {
    int count = 0;
    Handle* outputs = nullptr;
    if (library_.invoke(operation, input == nullptr ? 0 : 1, &input, &count, &outputs, 1, &name, &value) !=
        0) {
      std::fprintf(stderr, "MXImperativeInvoke failed\n");
      std::exit(1);
    }
    return {&library_, outputs[0]};
  }

  const Library& library_;
  Handle plus_ = nullptr;
  Handle ones_ = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  setenv("MXNET_CPU_WORKER_NTHREADS", std::to_string(static_cast<int>(task.number.at("workers"))).c_str(), 1);
  const Library library = open_library(task.text.at("libmxnet"));
  int version = 0;
  library.version(&version);
  Mxnet mxnet(library);
  arrays_benchmark::run(task, {{"mxnet", std::to_string(version)}}, mxnet);
  return 0;
}
