// ONNX Runtime, looked up when a worker runs, and its functions called by their types.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "forebay/base/status.h"
#include "forebay/serving/processes/onnx_api.h"

namespace forebay::serving {

/// Where libonnxruntime.so is looked for, in this order: the file that FOREBAY_ONNXRUNTIME names; `folders`,
/// each of which may hold the Python package (onnxruntime/capi/); where the system's linker looks.
struct OnnxPlaces {
  std::vector<std::string> folders;
};

/// Thread safe. Never unloaded: the library has threads of its own.
class OnnxLibrary {
 public:
  /// not_found, with the places and what to do.
  static Result<OnnxLibrary> open(const OnnxPlaces& places);

  const std::string& version() const { return version_; }

  /// Calls a function that returns a status, and takes the status apart.
  template <class... Args>
  Status call(OrtEntry entry, Args... args) const {
    return taken(function<OrtStatus*(Args...)>(entry)(args...));
  }
  /// Calls one of the functions that release an object.
  template <class T>
  void release(OrtEntry entry, T* object) const {
    function<void(T*)>(entry)(object);
  }

 private:
  OnnxLibrary(const OrtTable* table, std::string version) : table_(table), version_(std::move(version)) {}

  template <class Signature>
  Signature* function(OrtEntry entry) const {
    return reinterpret_cast<Signature*>(table_->entries[static_cast<size_t>(entry)]);
  }
  /// Its code and message; frees it.
  Status taken(OrtStatus* status) const;

  const OrtTable* table_;
  std::string version_;
};

/// An object of the library that is released with its owner.
template <class T, OrtEntry kRelease>
struct OrtRelease {
  const OnnxLibrary* library = nullptr;
  void operator()(T* object) const { library->release(kRelease, object); }
};
template <class T, OrtEntry kRelease>
using OrtOwned = std::unique_ptr<T, OrtRelease<T, kRelease>>;

using OrtEnvRef = OrtOwned<OrtEnv, OrtEntry::kReleaseEnv>;
using OrtSessionRef = OrtOwned<OrtSession, OrtEntry::kReleaseSession>;
using OrtSessionOptionsRef = OrtOwned<OrtSessionOptions, OrtEntry::kReleaseSessionOptions>;
using OrtMemoryInfoRef = OrtOwned<OrtMemoryInfo, OrtEntry::kReleaseMemoryInfo>;
using OrtValueRef = OrtOwned<OrtValue, OrtEntry::kReleaseValue>;
using OrtTypeInfoRef = OrtOwned<OrtTypeInfo, OrtEntry::kReleaseTypeInfo>;
using OrtShapeInfoRef = OrtOwned<OrtShapeInfo, OrtEntry::kReleaseShapeInfo>;

}  // namespace forebay::serving
