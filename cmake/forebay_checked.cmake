# forebay_checked(COMPONENT FILE...): the component is installed only where these files are built. Stands before the
# rules that install it, which would leave half of it behind.
include_guard()

function(forebay_checked component)
  install(CODE "
  set(component \"${component}\")
  set(needed \"${ARGN}\")
  set(build \"${PROJECT_BINARY_DIR}\")
  include(\"${CMAKE_CURRENT_FUNCTION_LIST_DIR}/forebay_check_built.cmake\")" COMPONENT ${component})
endfunction()
