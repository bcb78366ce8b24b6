#include "forebay/cuda/driver/driver_functions.h"

#include <dlfcn.h>

#include <string>

#include "forebay/cuda/driver/error.h"
#include "forebay/cuda/driver/shared_library.h"

namespace forebay::cuda {
namespace {

constexpr const char* kDriverLibrary = "libcuda.so.1";

Status lacks(const char* library, const char* symbol) {
  return failed_precondition(
      "{} has no function {}: it is not an NVIDIA driver for CUDA {}.{} or newer; install a newer driver",
      library, symbol, kOldestDriver / 1000, kOldestDriver % 1000 / 10);
}

Status check_version(const DriverFunctions& functions) {
  int version = 0;
  FOREBAY_RETURN_IF_ERROR(status_of(functions, functions.driver_version(&version), "version of the driver"));
  if (version >= kOldestDriver) {
    return ok_status();
  }
  return failed_precondition("the NVIDIA driver is for CUDA {}.{}; Forebay needs one for {}.{} or newer",
                             version / 1000, version % 1000 / 10, kOldestDriver / 1000,
                             kOldestDriver % 1000 / 10);
}

std::string_view advice_on_start(int error) {
  switch (error) {
    case kErrorNoDevice:
      return "there is no GPU, or this process may not see it: look at nvidia-smi and CUDA_VISIBLE_DEVICES, "
             "and start a container with --gpus all";
    case kErrorStubLibrary:
      return "the library path leads to the toolkit's stub of libcuda.so.1: put the driver's own before it";
    case kErrorDriverMismatch:
      return "libcuda.so.1 and the kernel's module are of different versions: reload the module or start the "
             "machine again";
    default:
      return "nvidia-smi and the kernel's log say more";
  }
}

Status initialize(const DriverFunctions& functions) {
  FOREBAY_RETURN_IF_ERROR(check_version(functions));
  const int error = functions.initialize(0);
  if (error == kSuccess) {
    return ok_status();
  }
  return failed_precondition("the NVIDIA driver does not start: {}; {}", words_of(functions, error),
                             advice_on_start(error));
}

Result<DriverFunctions> load_and_initialize() {
  FOREBAY_ASSIGN_OR_RETURN(const DriverFunctions functions, load_driver_functions(kDriverLibrary));
  FOREBAY_RETURN_IF_ERROR(initialize(functions));
  return functions;
}

}  // namespace

Result<DriverFunctions> load_driver_functions(const char* library_name) {
  void* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return failed_precondition(
        "no NVIDIA driver: {}; install the driver, or start a container with --gpus all", dlerror());
  }
  DriverFunctions functions;
#define FOREBAY_CUDA_LOOK_UP(member, symbol, parameters) \
  if (!look_up(library, #symbol, functions.member)) {    \
    return lacks(library_name, #symbol);                 \
  }
  FOREBAY_CUDA_FUNCTIONS(FOREBAY_CUDA_LOOK_UP)
#undef FOREBAY_CUDA_LOOK_UP
  return functions;
}

Result<const DriverFunctions*> driver_functions() {
  // Never destroyed: memory may be freed during process exit.
  static const auto& loaded = *new Result<DriverFunctions>(load_and_initialize());
  if (!loaded.ok()) {
    return loaded.status();
  }
  return &*loaded;
}

}  // namespace forebay::cuda
