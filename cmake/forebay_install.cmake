# cmake --install: static libraries, headers, the program, and a package file for find_package(forebay).
# The component `python` is the package, where Python finds it (python/bindings); in a wheel, what that holds besides the
# package's Python files: the module and the program.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(forebay_checked)
include(forebay_stripped)

get_property(exported GLOBAL PROPERTY forebay_layers)
list(REMOVE_ITEM exported forebay_cli forebay_serving)
set(package_folder "${CMAKE_INSTALL_LIBDIR}/cmake/forebay")

if(TARGET forebay_pipeline)
  # What most users link: everything that a pipeline needs.
  add_library(forebay_all INTERFACE)
  target_link_libraries(forebay_all INTERFACE forebay_assembly forebay_pipeline forebay_plugin forebay_operators)
  if(TARGET forebay_calls)
    target_link_libraries(forebay_all INTERFACE forebay_calls)
  endif()
  set_target_properties(forebay_all PROPERTIES EXPORT_NAME forebay)
  add_library(forebay::forebay ALIAS forebay_all)
  list(APPEND exported forebay_all)
endif()

# Headers that a target writes are copied by pattern, and would be missed without a word.
set(needed "")
if(TARGET forebay_fn_header)
  set(needed "${PROJECT_BINARY_DIR}/generated/forebay/fn.h")
endif()
set(archives ${exported})
list(REMOVE_ITEM archives forebay_all)
foreach(archive IN LISTS archives)
  list(APPEND needed "$<TARGET_FILE:${archive}>")
endforeach()
forebay_checked(development ${needed})

install(TARGETS forebay_settings ${exported} EXPORT forebayTargets
  ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}" COMPONENT development)
foreach(archive IN LISTS archives)
  forebay_stripped(development "${CMAKE_INSTALL_LIBDIR}/$<TARGET_FILE_NAME:${archive}>" --strip-debug)
endforeach()
install(EXPORT forebayTargets NAMESPACE forebay:: DESTINATION "${package_folder}" COMPONENT development)
foreach(root IN ITEMS "${PROJECT_SOURCE_DIR}/src/forebay" "${PROJECT_BINARY_DIR}/generated/forebay")
  install(DIRECTORY "${root}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT development
    FILES_MATCHING PATTERN "*.h" PATTERN "cli" EXCLUDE PATTERN "serving" EXCLUDE PATTERN "testing" EXCLUDE)
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
  set(programs forebay forebay-serve)
  forebay_checked(program "$<TARGET_FILE:forebay>" "$<TARGET_FILE:forebay-serve>")
  install(TARGETS ${programs} RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}" COMPONENT program)
  foreach(program IN LISTS programs)
    forebay_stripped(program "${CMAKE_INSTALL_BINDIR}/$<TARGET_FILE_NAME:${program}>")
  endforeach()
  if(SKBUILD)
    install(TARGETS ${programs} RUNTIME DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT python)
  endif()
endif()
