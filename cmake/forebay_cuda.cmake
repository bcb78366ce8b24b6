# Kernels, with FOREBAY_CUDA=ON: NVIDIA's compiler makes images, which a source file embeds. No CUDA library is linked.
if(NOT FOREBAY_CUDA)
  return()
endif()

file(GLOB forebay_cuda_roots "${PROJECT_SOURCE_DIR}/.cuda/lib/python3*/site-packages/nvidia/cu*")
list(APPEND forebay_cuda_roots "")
list(GET forebay_cuda_roots 0 forebay_cuda_root)
set(FOREBAY_CUDA_ROOT "${forebay_cuda_root}" CACHE PATH "A CUDA toolkit: bin/nvcc and include/cuda.h (default: .cuda)")
set(FOREBAY_CUDA_ARCHITECTURES "75;80;86;89;90;100;120" CACHE STRING
  "Compute capabilities with machine code; others take PTX of the first")

find_program(FOREBAY_NVCC nvcc PATHS "${FOREBAY_CUDA_ROOT}/bin" NO_DEFAULT_PATH)
if(NOT FOREBAY_NVCC)
  message(FATAL_ERROR "FOREBAY_CUDA is on, but there is no nvcc in '${FOREBAY_CUDA_ROOT}/bin': `make cuda` installs one")
endif()

list(GET FOREBAY_CUDA_ARCHITECTURES 0 first)
set(forebay_nvcc_targets "-gencode=arch=compute_${first},code=compute_${first}")
set(forebay_cuda_targets "compute_${first}")
foreach(architecture IN LISTS FOREBAY_CUDA_ARCHITECTURES)
  list(APPEND forebay_nvcc_targets "-gencode=arch=compute_${architecture},code=sm_${architecture}")
  string(APPEND forebay_cuda_targets " sm_${architecture}")
endforeach()

# forebay_cuda_kernels(TARGET [ROOM/]NAME): compiles the .cu file of this name and adds `KernelImage NAME_image()` of kernel_image.h to TARGET.
# No contraction of a * b + c, as in every other source.
function(forebay_cuda_kernels target path)
  set(source "${CMAKE_CURRENT_SOURCE_DIR}/${path}.cu")
  get_filename_component(name "${path}" NAME)
  set(image "${CMAKE_CURRENT_BINARY_DIR}/${name}.fatbin")
  add_custom_command(OUTPUT "${image}" DEPENDS "${source}" DEPFILE "${image}.d" VERBATIM
    COMMAND "${FOREBAY_NVCC}" -fatbin -std=c++20 --fmad=false -O3 "-I${PROJECT_SOURCE_DIR}/src"
      -ccbin "${CMAKE_CXX_COMPILER}" ${forebay_nvcc_targets} -MD -MF "${image}.d" -MT "${image}" -o "${image}" "${source}"
    COMMENT "Compiling ${name}.cu for ${forebay_cuda_targets}")
  set(embedding "${CMAKE_CURRENT_BINARY_DIR}/${name}_image.cc")
  configure_file("${PROJECT_SOURCE_DIR}/cmake/kernel_image.cc.in" "${embedding}" @ONLY)
  set_source_files_properties("${embedding}" PROPERTIES OBJECT_DEPENDS "${image}")
  target_sources(${target} PRIVATE "${embedding}")
  target_compile_definitions(${target} PRIVATE FOREBAY_HAS_CUDA_KERNELS "FOREBAY_CUDA_TARGETS=\"${forebay_cuda_targets}\"")
endfunction()
