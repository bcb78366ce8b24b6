# Compiler settings that every target shares.
include(GNUInstallDirs)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Programs of a build folder are those that are installed.
set(CMAKE_SKIP_BUILD_RPATH ON)

find_program(FOREBAY_CCACHE ccache)
if(FOREBAY_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${PROJECT_SOURCE_DIR}/tools/compile.sh")
endif()

add_library(forebay_settings INTERFACE)
target_include_directories(forebay_settings INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(forebay_settings INTERFACE cxx_std_20)
# No contraction of a * b + c: the same bits on every target (DESIGN rule 3).
target_compile_options(forebay_settings INTERFACE
  $<BUILD_INTERFACE:-Wall -Wextra -Wno-sign-compare -Wno-missing-field-initializers -ffp-contract=off -fno-math-errno>)
# GCC 12 takes `"[" + text` for an overlapping copy (https://gcc.gnu.org/bugzilla/show_bug.cgi?id=105651), and with
# precompiled headers short strings and inline arrays for overruns.
# It collects its garbage later: a file takes a tenth less time and up to 400 MB more. The object is the same, so
# tools/compile.sh keeps these two out of ccache's keys.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(forebay_settings INTERFACE
    $<BUILD_INTERFACE:-Wno-restrict -Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow>
    $<BUILD_INTERFACE:--param=ggc-min-expand=200 --param=ggc-min-heapsize=400000>)
endif()

define_property(TARGET PROPERTY FOREBAY_IS_TEST BRIEF_DOCS "Whether the target is a program of tests")
define_property(TARGET PROPERTY FOREBAY_AS_IN_DEVELOPMENT BRIEF_DOCS "Whether sanitizers leave the target as it is")

if(FOREBAY_SANITIZER)
  set(is_test "$<BOOL:$<TARGET_PROPERTY:FOREBAY_IS_TEST>>")
  set(is_sanitized "$<NOT:$<BOOL:$<TARGET_PROPERTY:FOREBAY_AS_IN_DEVELOPMENT>>>")
  string(JOIN ";" options -UNDEBUG -fsanitize=${FOREBAY_SANITIZER} ${FOREBAY_SANITIZER_WITHOUT} -fno-omit-frame-pointer)
  target_compile_options(forebay_settings INTERFACE
    "$<BUILD_INTERFACE:$<$<AND:${is_sanitized},$<NOT:${is_test}>>:-O1>>" "$<BUILD_INTERFACE:$<${is_sanitized}:${options}>>")
  target_link_options(forebay_settings INTERFACE $<BUILD_INTERFACE:-fsanitize=${FOREBAY_SANITIZER}>)
  if(FOREBAY_SANITIZER MATCHES "undefined")
    target_compile_options(forebay_settings INTERFACE $<BUILD_INTERFACE:-fno-sanitize-recover=undefined>)
  endif()
endif()
