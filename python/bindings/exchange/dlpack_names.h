// Names that both sides of DLPack use.
#pragma once

#include <nanobind/nanobind.h>

namespace forebay::bindings {

inline constexpr char kUnversionedCapsule[] = "dltensor";
inline constexpr char kVersionedCapsule[] = "dltensor_versioned";
inline constexpr char kUsedUnversionedCapsule[] = "used_dltensor";
inline constexpr char kUsedVersionedCapsule[] = "used_dltensor_versioned";
inline constexpr char kApiCapsule[] = "dlpack_exchange_api";
inline constexpr char kApiAttribute[] = "__dlpack_c_exchange_api__";

/// Interned, for the life of the process.
struct DlpackNames {
  PyObject* stream = PyUnicode_InternFromString("stream");
  PyObject* max_version = PyUnicode_InternFromString("max_version");
  PyObject* dl_device = PyUnicode_InternFromString("dl_device");
  PyObject* copy = PyUnicode_InternFromString("copy");
  PyObject* method = PyUnicode_InternFromString("__dlpack__");
  PyObject* device_method = PyUnicode_InternFromString("__dlpack_device__");
  PyObject* api = PyUnicode_InternFromString(kApiAttribute);
};

/// With the GIL held.
inline const DlpackNames& dlpack_names() {
  static const auto* names = new DlpackNames;
  return *names;
}

}  // namespace forebay::bindings
