// Arrays to and from files of params_format.h.
#pragma once

#include <string>
#include <vector>

#include "forebay/ndarray/files/params_format.h"

namespace forebay::ndarray {

struct NamedArrays {
  std::vector<Array> arrays;
  std::vector<std::string> names;  // one an array, or none at all
};

/// Reads all arrays; the errors of parse_params, and of reading.
Result<NamedArrays> load_params(const ByteSource& source);

/// The same from a local file. not_found and the like; errors name the file.
Result<NamedArrays> load_params_file(const std::string& path);

/// Waits for the arrays and writes them. The file appears when it is whole; what was there before stays until
/// then. The error of an array that carries one.
Status save_params_file(const std::string& path, const NamedArrays& named);

}  // namespace forebay::ndarray
