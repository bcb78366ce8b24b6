#include "forebay/cuda/files/file_functions.h"

#include "forebay/cuda/driver/driver_functions.h"
#include "forebay/cuda/driver/shared_library.h"

namespace forebay::cuda {
namespace {

constexpr const char* kFileLibrary = "libcufile.so.0";

struct Words {
  int error;
  StatusCode code;
  std::string_view text;
};

constexpr Words kWords[] = {
    {kFileErrorNoModule, StatusCode::kFailedPrecondition,
     "the kernel has no module nvidia-fs loaded, and cufile.json allows no compatible mode"},
    {kFileErrorPlatform, StatusCode::kUnimplemented, "this machine has no GPUDirect Storage"},
    {kFileErrorFile, StatusCode::kUnimplemented, "the file's system has no GPUDirect Storage"},
    {kFileErrorDevice, StatusCode::kUnimplemented, "this GPU has no GPUDirect Storage"},
    {kFileErrorCuda, StatusCode::kUnavailable, "CUDA's driver failed"},
    {kFileErrorMemoryKind, StatusCode::kUnimplemented, "memory of this kind cannot be read to"},
    {kFileErrorFileKind, StatusCode::kUnimplemented, "files of this kind cannot be read"},
    {kFileErrorOpenFlags, StatusCode::kUnimplemented, "the file's system does not open it with O_DIRECT"},
    {kFileErrorSetup, StatusCode::kFailedPrecondition, "cuFile does not start"},
    {kFileErrorDisabled, StatusCode::kUnimplemented, "cufile.json switches it off for this file"},
};

Words words_of(int error) {
  for (const Words& words : kWords) {
    if (words.error == error) {
      return words;
    }
  }
  return {error, StatusCode::kUnavailable, "an error of cuFile"};
}

Result<FileFunctions> load_and_open() {
  FOREBAY_RETURN_IF_ERROR(driver_functions().status());  // without a driver, cuFile writes a log and fails
  FOREBAY_ASSIGN_OR_RETURN(const FileFunctions functions, load_file_functions(kFileLibrary));
  const Status opened = status_of(functions.driver_open(), "opening the driver of cuFile");
  if (!opened.ok()) {
    return failed_precondition("{}", message(opened));
  }
  return functions;
}

}  // namespace

Result<FileFunctions> load_file_functions(const char* library_name) {
  void* const library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return failed_precondition(
        "no cuFile: {}; GPUDirect Storage comes with CUDA's toolkit, or as the Python package nvidia-cufile, "
        "whose folder must be on the library path",
        dlerror());
  }
  FileFunctions functions;
#define FOREBAY_CUFILE_LOOK_UP(result, member, symbol, parameters)                                \
  if (!look_up(library, #symbol, functions.member)) {                                             \
    return failed_precondition("{} has no function {}: it is not a cuFile that Forebay supports", \
                               library_name, #symbol);                                            \
  }
  FOREBAY_CUFILE_FUNCTIONS(FOREBAY_CUFILE_LOOK_UP)
#undef FOREBAY_CUFILE_LOOK_UP
  return functions;
}

Result<const FileFunctions*> file_functions() {
  // Never destroyed or closed: other users of cuFile in this process share its driver.
  static const auto& loaded = *new Result<FileFunctions>(load_and_open());
  if (!loaded.ok()) {
    return loaded.status();
  }
  return &*loaded;
}

Status status_of(FileError error, std::string_view what) {
  if (error.error == kFileSuccess) {
    return ok_status();
  }
  const Words words = words_of(error.error);
  const std::string cuda =
      error.error == kFileErrorCuda ? fmt::format(", CUDA error {}", error.cuda_error) : std::string();
  return make_status(words.code,
                     "{}: {} (cuFile error {}{}); cufile.log in the working directory, or where "
                     "CUFILE_LOGFILE_PATH says, has more",
                     what, words.text, error.error, cuda);
}

}  // namespace forebay::cuda
