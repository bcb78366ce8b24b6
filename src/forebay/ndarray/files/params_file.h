// Saves arrays to files of params_format.h, and loads them.
#pragma once

#include <string>
#include <vector>

#include "forebay/ndarray/files/params_format.h"

namespace forebay::ndarray {

struct NamedArrays {
  std::vector<Array> arrays;
  std::vector<std::string> names;  // one per array, or empty
};

/// Reads all arrays; errors are those of parse_params and of reading.
Result<NamedArrays> load_params(const ByteSource& source);

/// The same from a local file. Errors, such as not_found, name the file.
Result<NamedArrays> load_params_file(const std::string& path);

/// Waits for the arrays and writes them. The file appears only when it is complete; an old file stays until
/// then. Returns the error of an array that carries one.
Status save_params_file(const std::string& path, const NamedArrays& named);

}  // namespace forebay::ndarray
