# C++ of .proto files, and of the services in them, made in the build folder and compiled into a library; included as
# "forebay/FOLDER/NAME.pb.h".
find_program(FOREBAY_PROTOC protoc REQUIRED)
find_program(FOREBAY_GRPC_PLUGIN grpc_cpp_plugin REQUIRED)

function(forebay_protobuf library)
  cmake_parse_arguments(proto "" "" "MESSAGES;SERVICES" ${ARGN})
  set(root "${PROJECT_SOURCE_DIR}/src")
  set(out "${PROJECT_BINARY_DIR}/protobuf")
  file(MAKE_DIRECTORY "${out}")
  foreach(file IN LISTS proto_MESSAGES proto_SERVICES)
    file(RELATIVE_PATH path "${root}" "${CMAKE_CURRENT_SOURCE_DIR}/${file}")
    string(REGEX REPLACE "\\.proto$" "" stem "${out}/${path}")
    set(made "${stem}.pb.cc")
    set(headers "${stem}.pb.h")
    set(command "${FOREBAY_PROTOC}" "--proto_path=${root}" "--cpp_out=${out}")
    if(file IN_LIST proto_SERVICES)
      list(APPEND made "${stem}.grpc.pb.cc")
      list(APPEND headers "${stem}.grpc.pb.h")
      list(APPEND command "--grpc_out=${out}" "--plugin=protoc-gen-grpc=${FOREBAY_GRPC_PLUGIN}")
    endif()
    add_custom_command(OUTPUT ${made} ${headers} COMMAND ${command} "${root}/${path}"
      DEPENDS "${root}/${path}" VERBATIM)
    set_source_files_properties(${made} PROPERTIES COMPILE_OPTIONS "-w" SKIP_PRECOMPILE_HEADERS ON)
    target_sources(${library} PRIVATE ${made} ${headers})
  endforeach()
  target_include_directories(${library} SYSTEM PUBLIC "$<BUILD_INTERFACE:${out}>")
  # Under ThreadSanitizer protobuf's headers give maps two members more, which Debian's library does not know; so
  # whoever includes them has to say it otherwise (forebay/base/sanitizers.h).
  if(FOREBAY_SANITIZER STREQUAL "thread")
    target_compile_options(${library} PUBLIC $<BUILD_INTERFACE:-U__SANITIZE_THREAD__>)
    target_compile_definitions(${library} PUBLIC $<BUILD_INTERFACE:FOREBAY_HIDES_THREAD_SANITIZER>)
  endif()
endfunction()
