// Looks up functions by name in a loaded library.
#pragma once

#include <dlfcn.h>

namespace forebay::cuda {

/// The result of dlsym can only be converted to a function pointer this way, which POSIX allows. Returns
/// false if the library has no such function.
template <class Function>
bool look_up(void* library, const char* symbol, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, symbol));
  return function != nullptr;
}

}  // namespace forebay::cuda
