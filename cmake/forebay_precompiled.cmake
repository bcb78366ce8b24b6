# Precompiled headers: two for libraries and one for tests, made once and shared by every layer. Layers that are compiled
# with -O3 have one of their own: GCC 12 gives a compilation the optimization level of its precompiled header, wherever
# flags of -O2 and -O3 meet (the engine's tasks took 5 % longer). All names are as in an #include, so that no path of this
# machine is in them and ccache answers in any clone. A file still includes what it
# uses: builds with FOREBAY_FAST_BUILD=OFF (the fuzzers') see to that.
set(forebay_common_headers
  <algorithm> <array> <atomic> <bit> <cmath> <condition_variable> <cstddef> <cstdint> <cstring> <filesystem> <fstream>
  <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <random> <set> <span> <string> <string_view> <thread>
  <unordered_map> <utility> <variant> <vector> <fmt/format.h> "\"forebay/base/status.h\"")

# forebay_precompile(TARGET HEADER...): compiles the headers once, for forebay_use_precompiled(OTHER TARGET).
function(forebay_precompile target)
  if(NOT FOREBAY_FAST_BUILD)
    return()
  endif()
  set(source "${PROJECT_BINARY_DIR}/generated/precompiled.cc")
  file(CONFIGURE OUTPUT "${source}" CONTENT "// Nothing: a target needs a source.\n")
  add_library(${target} OBJECT EXCLUDE_FROM_ALL "${source}")
  target_precompile_headers(${target} PRIVATE ${ARGN})
  target_link_libraries(${target} PRIVATE forebay_settings absl::status absl::statusor fmt::fmt spdlog::spdlog Threads::Threads)
endfunction()

function(forebay_use_precompiled target from)
  if(FOREBAY_FAST_BUILD)
    target_precompile_headers(${target} REUSE_FROM ${from})
  endif()
endfunction()

forebay_precompile(forebay_precompiled ${forebay_common_headers})
if(FOREBAY_FAST_BUILD)
  forebay_precompile(forebay_precompiled_fast ${forebay_common_headers})
  set_target_properties(forebay_precompiled_fast PROPERTIES FOREBAY_AS_IN_DEVELOPMENT ON)
  target_compile_options(forebay_precompiled_fast PRIVATE -O3)
endif()
if(FOREBAY_TESTS AND FOREBAY_FAST_BUILD)
  forebay_precompile(forebay_precompiled_tests ${forebay_common_headers} <gmock/gmock.h> <gtest/gtest.h>)
  target_link_libraries(forebay_precompiled_tests PRIVATE GTest::gmock)
  # As programs are compiled.
  set_target_properties(forebay_precompiled_tests PROPERTIES POSITION_INDEPENDENT_CODE OFF FOREBAY_IS_TEST ON)
  target_compile_options(forebay_precompiled_tests PRIVATE -fPIE -O0)
endif()
