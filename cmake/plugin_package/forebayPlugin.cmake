# forebay::plugin_api: the headers of forebay_INCLUDE_DIR that libraries of operators are compiled with.
if(NOT TARGET forebay::plugin_api)
  add_library(forebay::plugin_api INTERFACE IMPORTED)
  set_target_properties(forebay::plugin_api PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${forebay_INCLUDE_DIR}")
  target_compile_features(forebay::plugin_api INTERFACE cxx_std_17)
endif()
set(forebay_plugin_FOUND TRUE)
