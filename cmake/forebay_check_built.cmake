# Part of cmake --install: all that is installed was built. `needed` lists files, `build` is the build folder.
foreach(file IN LISTS needed)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "${file} is not built; nothing was installed. `cmake --build ${build}` builds all that is")
  endif()
endforeach()
