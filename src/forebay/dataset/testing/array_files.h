// Hand-made files of arrays, for tests.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace forebay::dataset::testing {

/// An .npy file with this dictionary in its header.
std::string npy_of_header(std::string_view dictionary, std::string_view elements, int version = 1);

/// An .npy file: "'<i4'", "(2, 3)".
std::string npy_file(std::string_view descr, std::string_view shape, std::string_view elements,
                     bool is_fortran = false, int version = 1);

/// A unit of a FITS file: "NAXIS   = 2" and the like, then data.
std::string fits_unit(const std::vector<std::string>& cards, std::string_view data);

/// The bytes of values.
template <class T>
std::string bytes_of_values(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

/// The numbers 0, 1, 2...
template <class T>
std::string counted(size_t count) {
  std::vector<T> values(count);
  for (size_t i = 0; i < count; ++i) {
    values[i] = static_cast<T>(i);
  }
  return bytes_of_values(values);
}

}  // namespace forebay::dataset::testing
