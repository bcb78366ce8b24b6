#include "forebay/dataset/testing/array_files.h"

#include <fmt/format.h>

namespace forebay::dataset::testing {

std::string npy_of_header(std::string_view dictionary, std::string_view elements, int version) {
  const size_t length_bytes = version == 1 ? 2 : 4;
  const size_t before = 8 + length_bytes;
  std::string text(dictionary);
  text.append((64 - (before + text.size() + 1) % 64) % 64, ' ');
  text += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (size_t i = 0; i < length_bytes; ++i) {
    file += static_cast<char>(text.size() >> (8 * i) & 0xff);
  }
  return file + text + std::string(elements);
}

std::string npy_file(std::string_view descr, std::string_view shape, std::string_view elements,
                     bool is_fortran, int version) {
  const std::string dictionary = fmt::format("{{'descr': {}, 'fortran_order': {}, 'shape': {}, }}", descr,
                                             is_fortran ? "True" : "False", shape);
  return npy_of_header(dictionary, elements, version);
}

std::string fits_unit(const std::vector<std::string>& cards, std::string_view data) {
  constexpr size_t kBlock = 2880;
  std::string unit;
  for (const std::string& card : cards) {
    unit += card + std::string(80 - card.size(), ' ');
  }
  unit += "END";
  unit.resize((unit.size() + kBlock - 1) / kBlock * kBlock, ' ');
  unit += data;
  unit.resize((unit.size() + kBlock - 1) / kBlock * kBlock, '\0');
  return unit;
}

}  // namespace forebay::dataset::testing
