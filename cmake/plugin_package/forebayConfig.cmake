# find_package(forebay COMPONENTS plugin) of the Python package, which has no C++ library: forebay.sysconfig's
# get_cmake_dir() is this folder.
get_filename_component(forebay_INCLUDE_DIR "${CMAKE_CURRENT_LIST_DIR}/../include" ABSOLUTE)
include("${CMAKE_CURRENT_LIST_DIR}/forebayPlugin.cmake")
if(NOT "${forebay_FIND_COMPONENTS}" STREQUAL "plugin")
  set(forebay_FOUND FALSE)
  set(forebay_NOT_FOUND_MESSAGE "the Python package has headers for libraries of operators only: COMPONENTS plugin")
endif()
