// PyTorch's allocator for the CPU, out of its wheel: c10::alloc_cpu and c10::free_cpu of libc10.so.
#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

#include "pool/holes.h"

namespace {

class PyTorch {
 public:
  explicit PyTorch(const std::string& libc10) {
    void* const library = dlopen(libc10.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library != nullptr) {
      allocate_ = reinterpret_cast<void* (*)(size_t)>(dlsym(library, "_ZN3c109alloc_cpuEm"));
      free_ = reinterpret_cast<void (*)(void*)>(dlsym(library, "_ZN3c108free_cpuEPv"));
    }
    if (allocate_ == nullptr || free_ == nullptr) {
      std::fprintf(stderr, "no allocator of PyTorch's: %s\n", dlerror());
      std::exit(1);
    }
  }
  void* allocate(size_t bytes, uint32_t) { return allocate_(bytes); }
  void deallocate(void* pointer, size_t, uint32_t) { free_(pointer); }

 private:
  void* (*allocate_)(size_t) = nullptr;
  void (*free_)(void*) = nullptr;
};

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  PyTorch allocator(task.text.at("libc10"));
  pool_benchmark::run(task, {{"torch", task.text.at("torch")}}, allocator);
  return 0;
}
