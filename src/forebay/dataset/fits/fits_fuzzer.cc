// Parses arbitrary bytes as a FITS file; then with a header in front, so that units behind it are reached.

#include <cstdint>
#include <span>
#include <string>

#include "forebay/base/check.h"
#include "forebay/dataset/fits/fits_image.h"

using namespace forebay;

namespace {

void read(Bytes file) {
  const int64_t numbers[] = {1, 2, 3};
  for (size_t count = 1; count <= 3; ++count) {
    const auto units = dataset::find_fits_units(file, std::span(numbers, count));
    if (!units.ok()) {
      continue;
    }
    for (const dataset::FitsUnit& unit : *units) {
      FOREBAY_CHECK(unit.data_offset <= file.size());
      FOREBAY_CHECK(unit.data_bytes <= file.size() - unit.data_offset);
      dataset::fits_image(file, unit).status().IgnoreError();
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  read(std::as_bytes(std::span(data, size)));
  std::string file;
  for (const std::string card : {"SIMPLE  = T", "BITPIX  = 8", "NAXIS   = 0", "END"}) {
    file += card + std::string(80 - card.size(), ' ');
  }
  file.resize(2880, ' ');
  file.append(reinterpret_cast<const char*>(data), size);
  read(std::as_bytes(std::span(file)));
  return 0;
}
