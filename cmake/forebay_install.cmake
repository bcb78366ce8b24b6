# cmake --install: static libraries, headers, the program, and a package file for find_package(forebay).
# The component `python` is what a wheel holds besides the package's Python files: the module and the program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(exported GLOBAL PROPERTY forebay_layers)
list(REMOVE_ITEM exported forebay_cli)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/forebay")

if(TARGET forebay_pipeline)
  # What most users link: everything that a pipeline needs.
  add_library(forebay_all INTERFACE)
  target_link_libraries(forebay_all INTERFACE forebay_pipeline forebay_plugin forebay_operators)
  set_target_properties(forebay_all PROPERTIES EXPORT_NAME forebay)
  add_library(forebay::forebay ALIAS forebay_all)
  list(APPEND exported forebay_all)
endif()

install(TARGETS forebay_settings ${exported} EXPORT forebayTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
install(EXPORT forebayTargets NAMESPACE forebay:: DESTINATION "${package_folder}" COMPONENT development)
foreach(root IN ITEMS "${PROJECT_SOURCE_DIR}/src/forebay" "${PROJECT_BINARY_DIR}/generated/forebay")
  install(DIRECTORY "${root}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "cli" EXCLUDE PATTERN "testing" EXCLUDE)
endforeach()

configure_package_config_file("${CMAKE_CURRENT_LIST_DIR}/forebayConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/forebayConfig.cmake" INSTALL_DESTINATION "${package_folder}"
  PATH_VARS CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/forebayConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/forebayConfig.cmake" "${PROJECT_BINARY_DIR}/forebayConfigVersion.cmake"
  "${CMAKE_CURRENT_LIST_DIR}/plugin_package/forebayPlugin.cmake"
  DESTINATION "${package_folder}" COMPONENT development)

include(forebay_plugin_package)

if(TARGET forebay)
  install(TARGETS forebay RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
  if(SKBUILD)
    install(TARGETS forebay RUNTIME DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT python)
  endif()
endif()
