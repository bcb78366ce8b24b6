// Finds and opens ONNX Runtime with dlopen(3).
#include "forebay/serving/processes/onnx_library.h"

#include <dlfcn.h>
#include <glob.h>

#include <cstdlib>
#include <utility>

namespace forebay::serving {
namespace {

using GetOrtApiBase = const OrtApiBase* (*)();

std::vector<std::string> files_like(const std::string& pattern) {
  glob_t found{};
  std::vector<std::string> files;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0) {
    files.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  ::globfree(&found);
  return files;
}

std::vector<std::string> onnx_candidates(const OnnxPlaces& places) {
  if (const char* const named = std::getenv("FOREBAY_ONNXRUNTIME"); named != nullptr && *named != '\0') {
    return {named};
  }
  std::vector<std::string> files;
  for (const std::string& folder : places.folders) {
    for (const char* const inside : {"/onnxruntime/capi/libonnxruntime.so*", "/libonnxruntime.so*"}) {
      const std::vector<std::string> found = files_like(folder + inside);
      files.insert(files.end(), found.begin(), found.end());
    }
  }
  files.insert(files.end(), {"libonnxruntime.so.1", "libonnxruntime.so"});
  return files;
}

StatusCode code_of_ort(int code) {
  switch (code) {
    case 2:  // ORT_INVALID_ARGUMENT
      return StatusCode::kInvalidArgument;
    case 3:  // ORT_NO_SUCHFILE
    case 4:  // ORT_NO_MODEL
      return StatusCode::kNotFound;
    case 7:   // ORT_INVALID_PROTOBUF
    case 10:  // ORT_INVALID_GRAPH
      return StatusCode::kDataLoss;
    case 9:  // ORT_NOT_IMPLEMENTED
      return StatusCode::kUnimplemented;
    default:
      return StatusCode::kInternal;
  }
}

}  // namespace

Result<OnnxLibrary> OnnxLibrary::open(const OnnxPlaces& places) {
  std::string tried;
  for (const std::string& file : onnx_candidates(places)) {
    void* const library = ::dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      tried += fmt::format("\n  {}", ::dlerror());
      continue;
    }
    const auto get_base = reinterpret_cast<GetOrtApiBase>(::dlsym(library, "OrtGetApiBase"));
    const OrtApiBase* const base = get_base == nullptr ? nullptr : get_base();
    const OrtTable* const table = base == nullptr ? nullptr : base->GetApi(kOrtVersion);
    if (table != nullptr) {
      return OnnxLibrary(table, base->GetVersionString());
    }
    tried += fmt::format(
        "\n  {}: {}", file,
        base == nullptr ? "not ONNX Runtime"
                        : fmt::format("ONNX Runtime {}; 1.11 or newer is needed", base->GetVersionString()));
  }
  return not_found(
      "ONNX Runtime is needed to run ONNX models, and was not found. `pip install onnxruntime` installs it, "
      "or "
      "FOREBAY_ONNXRUNTIME=/path/to/libonnxruntime.so says where it is. Tried:{}",
      tried);
}

Status OnnxLibrary::taken(OrtStatus* status) const {
  if (status == nullptr) {
    return ok_status();
  }
  const int code = function<int(const OrtStatus*)>(OrtEntry::kGetErrorCode)(status);
  const char* const text = function<const char*(const OrtStatus*)>(OrtEntry::kGetErrorMessage)(status);
  Status error = make_status(code_of_ort(code), "ONNX Runtime: {}", text);
  release(OrtEntry::kReleaseStatus, status);
  return error;
}

}  // namespace forebay::serving
