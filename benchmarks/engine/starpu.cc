// StarPU: tasks over data handles, which it orders by what they read and write, as this engine does.
#include <starpu.h>

#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/work.h"

namespace {

using engine_benchmark::Place;
using Body = std::function<void()>;

void run_nothing(void**, void*) {
}

void run_body(void**, void* argument) {
  (*static_cast<Body*>(argument))();
}

void delete_body(void* argument) {
  delete static_cast<Body*>(argument);
}

/// A handle of four bytes of nobody's: what is in them does not matter, only the order.
class Handle {
 public:
  Handle() = default;
  explicit Handle(starpu_data_handle_t handle) : handle_(handle) {}
  Handle(Handle&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    if (handle_ != nullptr) {
      starpu_data_unregister_submit(handle_);
    }
  }
  starpu_data_handle_t get() const { return handle_; }

 private:
  starpu_data_handle_t handle_ = nullptr;
};

class StarPu {
 public:
  using Variable = Handle;
  static constexpr bool kHasDevices = false;

  explicit StarPu(int workers) {
    starpu_conf configuration;
    starpu_conf_init(&configuration);
    configuration.ncpus = workers;
    if (starpu_init(&configuration) != 0) {
      std::exit(1);
    }
    nothing_ = codelet(run_nothing);
    work_ = codelet(run_body);
  }
  ~StarPu() {
    starpu_task_wait_for_all();
    starpu_shutdown();
  }

  Handle make() {
    starpu_data_handle_t handle = nullptr;
    starpu_variable_data_register(&handle, STARPU_MAIN_RAM, reinterpret_cast<uintptr_t>(&nobodys_),
                                  sizeof nobodys_);
    starpu_data_set_sequential_consistency_flag(handle, 1);
    return Handle(handle);
  }
  void push(const Handle* reads, int count, const Handle& write) {
    submit(nothing_, nullptr, reads, count, write);
  }
  void push(const Handle* reads, int count, const Handle& write, Body body, Place) {
    submit(work_, new Body(std::move(body)), reads, count, write);
  }
  void wait(const Handle& handle) {
    starpu_data_acquire(handle.get(), STARPU_R);
    starpu_data_release(handle.get());
  }
  void wait_all() { starpu_task_wait_for_all(); }

 private:
  static starpu_codelet codelet(starpu_cpu_func_t function) {
    starpu_codelet made;
    starpu_codelet_init(&made);
    made.cpu_funcs[0] = function;
    made.nbuffers = STARPU_VARIABLE_NBUFFERS;
    return made;
  }

  void submit(starpu_codelet& codelet, Body* body, const Handle* reads, int count, const Handle& write) {
    starpu_task* task = starpu_task_create();
    task->cl = &codelet;
    task->nbuffers = 1;
    task->handles[0] = write.get();
    task->modes[0] = STARPU_W;
    for (int i = 0; i < count; ++i) {
      if (reads[i].get() == write.get()) {
        task->modes[0] = STARPU_RW;
        continue;
      }
      task->handles[task->nbuffers] = reads[i].get();
      task->modes[task->nbuffers++] = STARPU_R;
    }
    if (body != nullptr) {
      task->cl_arg = body;
      task->callback_func = delete_body;
      task->callback_arg = body;
    }
    if (starpu_task_submit(task) != 0) {
      std::exit(1);
    }
  }

  uint32_t nobodys_ = 0;
  starpu_codelet nothing_;
  starpu_codelet work_;
};

}  // namespace

int main(int argc, char** argv) {
  const contender::Task task = contender::read_task(argc, argv);
  // What it measures of the machine at its start is not of interest, nor where it keeps that.
  setenv("STARPU_SILENT", "1", 1);
  setenv("STARPU_HOME", "/tmp", 0);
  setenv("STARPU_NCUDA", "0", 1);
  setenv("STARPU_NOPENCL", "0", 1);
  {
    int version[3];
    starpu_get_version(&version[0], &version[1], &version[2]);
    StarPu starpu(static_cast<int>(task.number.at("workers")));
    engine_benchmark::run(task,
                          {{"StarPU", std::to_string(version[0]) + "." + std::to_string(version[1]) + "." +
                                          std::to_string(version[2])}},
                          starpu);
  }
  return 0;
}
