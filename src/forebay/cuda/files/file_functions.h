// The functions of NVIDIA's cuFile (GPUDirect Storage) that Forebay calls, looked up in libcufile.so.0 on
// first use, as driver_functions.h does for the driver.
//
// file_header_test.cc compares the declarations here with cufile.h if a build has it. For what a function
// does, see the cuFile API Reference Guide, docs.nvidia.com/gpudirect-storage/api-reference-guide.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

#include "forebay/base/status.h"

namespace forebay::cuda {

using FileHandle = void*;

/// CUfileError_t.
struct FileError {
  int error = 0;       // one of the results below, or another of cuFile's
  int cuda_error = 0;  // a CUresult if `error` is kFileErrorCuda
};

/// CUfileDescr_t.
struct FileDescription {
  int kind = 0;  // kFileDescriptor
  union {
    int descriptor;
    void* handle = nullptr;
  };
  const void* operations = nullptr;  // for a user-space file system; unused
};

// Results. Reads return them negated.
inline constexpr int kFileSuccess = 0;
inline constexpr int kFileErrorNoModule = 5001;
inline constexpr int kFileErrorPlatform = 5007;
inline constexpr int kFileErrorFile = 5008;
inline constexpr int kFileErrorDevice = 5009;
inline constexpr int kFileErrorCuda = 5011;
inline constexpr int kFileErrorMemoryKind = 5013;
inline constexpr int kFileErrorFileKind = 5018;
inline constexpr int kFileErrorOpenFlags = 5019;
inline constexpr int kFileErrorSetup = 5033;
inline constexpr int kFileErrorDisabled = 5034;
// The kind of handle in a FileDescription.
inline constexpr int kFileDescriptor = 1;

/// X(return type, member, symbol in libcufile.so.0, parameters)
#define FOREBAY_CUFILE_FUNCTIONS(X)                                                                  \
  X(FileError, driver_open, cuFileDriverOpen, ())                                                    \
  X(FileError, handle_register, cuFileHandleRegister, (FileHandle * handle, FileDescription * file)) \
  X(void, handle_deregister, cuFileHandleDeregister, (FileHandle handle))                            \
  X(ssize_t, read, cuFileRead,                                                                       \
    (FileHandle handle, void* memory, size_t bytes, off_t offset_in_file, off_t offset_in_memory))

/// The functions; all may be called from any thread.
struct FileFunctions {
#define FOREBAY_CUFILE_MEMBER(result, member, symbol, parameters) result(*member) parameters = nullptr;
  FOREBAY_CUFILE_FUNCTIONS(FOREBAY_CUFILE_MEMBER)
#undef FOREBAY_CUFILE_MEMBER
};

/// The functions of this machine's cuFile. The first call looks them up and opens cuFile's driver; the table
/// lives as long as the process. If driver_functions() fails, its error is returned and cuFile is not
/// touched. Otherwise failed_precondition, the same each time, if there is no cuFile or it does not start:
/// the message says what is missing and what to do. Thread safe.
Result<const FileFunctions*> file_functions();

/// Looks up the functions in the library with that name without opening its driver; the first step of
/// file_functions(). The library stays loaded.
Result<FileFunctions> load_file_functions(const char* library);

/// OK for kFileSuccess, else "`what`: description". unimplemented for what this device, file, memory or
/// platform cannot do, failed_precondition if cuFile is not set up, else unavailable.
Status status_of(FileError error, std::string_view what);

}  // namespace forebay::cuda
