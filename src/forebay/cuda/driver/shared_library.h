// Functions found by name in a library that was loaded.
#pragma once

#include <dlfcn.h>

namespace forebay::cuda {

/// A function pointer has no conversion from what dlsym gives but this one, which POSIX allows. False when
/// the library has no such function.
template <class Function>
bool look_up(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  return function != nullptr;
}

}  // namespace forebay::cuda
