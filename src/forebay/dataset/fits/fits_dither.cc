#include "forebay/dataset/fits/fits_dither.h"

#include <array>
#include <cstddef>

namespace forebay::dataset {
namespace {

constexpr int64_t kNumbers = 10000;

/// Park and Miller's generator, begun with 1, as the standard prescribes; numbers are rounded to float.
constexpr std::array<float, kNumbers> make_numbers() {
  std::array<float, kNumbers> numbers{};
  constexpr int64_t kModulus = 2147483647;
  int64_t seed = 1;
  for (float& number : numbers) {
    seed = 16807 * seed % kModulus;
    number = static_cast<float>(static_cast<double>(seed) / static_cast<double>(kModulus));
  }
  return numbers;
}

constexpr std::array<float, kNumbers> kRandom = make_numbers();

int64_t place_of(int64_t begin) {
  return static_cast<int64_t>(kRandom[static_cast<size_t>(begin)] * 500.0f);
}

}  // namespace

FitsDither::FitsDither(uint64_t tile, int64_t seed)
    : begin_(static_cast<int64_t>((tile % kNumbers + static_cast<uint64_t>(seed - 1) % kNumbers) % kNumbers)),
      place_(place_of(begin_)) {
}

double FitsDither::next() {
  const double number = kRandom[static_cast<size_t>(place_)];
  if (++place_ == kNumbers) {
    begin_ = (begin_ + 1) % kNumbers;
    place_ = place_of(begin_);
  }
  return number;
}

}  // namespace forebay::dataset
