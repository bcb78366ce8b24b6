# Part of cmake --install: all of a `component` that is installed was built. `needed` lists files, `build` is the build
# folder.
foreach(file IN LISTS needed)
  if(NOT EXISTS "${file}")
    message(FATAL_ERROR "${file} is not built: the component ${component} is not installed. `cmake --build ${build}` "
      "builds all that is")
  endif()
endforeach()
