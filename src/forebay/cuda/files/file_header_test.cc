// Compares the declarations of file_functions.h with cuFile's own header, if a build has it.
#include <gtest/gtest.h>

#include <cstddef>
#include <type_traits>

#include "forebay/cuda/files/file_functions.h"
#include "forebay/cuda/testing/passed_type.h"

#if __has_include(<cufile.h>)
#include <cufile.h>

namespace forebay::cuda {

template <>
struct Passed<CUfileError_t> {
  using Type = FileError;
};
template <>
struct Passed<CUfileDescr_t> {
  using Type = FileDescription;
};

namespace {

#define FOREBAY_CUFILE_HOLD(result, member, symbol, parameters)                                   \
  static_assert(std::is_same_v<decltype(FileFunctions::member), Passed<decltype(&symbol)>::Type>, \
                #symbol " has other parameters");                                                 \
  static_assert(are_equal(#symbol, FOREBAY_EXPANDED_TEXT(symbol)), #symbol " has a newer version");
FOREBAY_CUFILE_FUNCTIONS(FOREBAY_CUFILE_HOLD)
#undef FOREBAY_CUFILE_HOLD

static_assert(std::is_same_v<FileHandle, CUfileHandle_t>);
static_assert(sizeof(FileError) == sizeof(CUfileError_t));
static_assert(offsetof(FileError, error) == offsetof(CUfileError_t, err));
static_assert(offsetof(FileError, cuda_error) == offsetof(CUfileError_t, cu_err));
static_assert(std::is_trivially_copyable_v<FileError>);
static_assert(sizeof(FileDescription) == sizeof(CUfileDescr_t));
static_assert(offsetof(FileDescription, kind) == offsetof(CUfileDescr_t, type));
static_assert(offsetof(FileDescription, descriptor) == offsetof(CUfileDescr_t, handle));
static_assert(sizeof(FileDescription::descriptor) == sizeof(CUfileDescr_t::handle.fd));
static_assert(offsetof(FileDescription, operations) == offsetof(CUfileDescr_t, fs_ops));

static_assert(kFileSuccess == CU_FILE_SUCCESS);
static_assert(kFileErrorNoModule == CU_FILE_DRIVER_NOT_INITIALIZED);
static_assert(kFileErrorPlatform == CU_FILE_PLATFORM_NOT_SUPPORTED);
static_assert(kFileErrorFile == CU_FILE_IO_NOT_SUPPORTED);
static_assert(kFileErrorDevice == CU_FILE_DEVICE_NOT_SUPPORTED);
static_assert(kFileErrorCuda == CU_FILE_CUDA_DRIVER_ERROR);
static_assert(kFileErrorMemoryKind == CU_FILE_CUDA_MEMORY_TYPE_INVALID);
static_assert(kFileErrorFileKind == CU_FILE_INVALID_FILE_TYPE);
static_assert(kFileErrorOpenFlags == CU_FILE_INVALID_FILE_OPEN_FLAG);
static_assert(kFileErrorSetup == CU_FILE_NVFS_SETUP_ERROR);
static_assert(kFileErrorDisabled == CU_FILE_IO_DISABLED);
static_assert(kFileDescriptor == CU_FILE_HANDLE_TYPE_OPAQUE_FD);

TEST(FileHeader, DeclaresWhatWeCall) {
  SUCCEED() << "held when this file was compiled";
}

}  // namespace
}  // namespace forebay::cuda

#else

TEST(FileHeader, DeclaresWhatWeCall) {
  GTEST_SKIP() << "this build has no cufile.h; `make cuda` makes one that has";
}

#endif
