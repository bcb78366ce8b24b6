# What libraries of operators are compiled with, as the Python package has it (forebay.sysconfig): headers of
# src/forebay/plugin in forebay/include, a package file for find_package(forebay COMPONENTS plugin) in forebay/cmake.
include(CMakePackageConfigHelpers)
set(plugin_headers plugin_api.h operator.h operator_row.h argument.h sample.h tensor.h error.h)
list(TRANSFORM plugin_headers PREPEND "${PROJECT_SOURCE_DIR}/src/forebay/plugin/")
set(plugin_package "${PROJECT_BINARY_DIR}/plugin_package")
foreach(file IN ITEMS forebayConfig.cmake forebayPlugin.cmake)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/plugin_package/${file}" "${plugin_package}/${file}" COPYONLY)
endforeach()
write_basic_package_version_file("${plugin_package}/forebayConfigVersion.cmake" VERSION "${PROJECT_VERSION}"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
if(SKBUILD)
  install(FILES ${plugin_headers} DESTINATION forebay/include/forebay/plugin COMPONENT python)
  install(DIRECTORY "${plugin_package}/" DESTINATION forebay/cmake COMPONENT python)
endif()
