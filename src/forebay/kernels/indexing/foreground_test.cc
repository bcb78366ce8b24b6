// Which elements are foreground in each kind of type, and which of them is found.
#include "forebay/kernels/indexing/foreground.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace forebay::kernels {
namespace {

template <class T>
tensor::TensorView mask_of(const std::vector<T>& elements) {
  return {elements.data(), {{std::ssize(elements)}, tensor::kDTypeOf<T>, {}}};
}

template <class T>
void expect_foreground(const std::vector<T>& elements, const Foreground& foreground) {
  std::vector<int64_t> places;
  for (size_t i = 0; i < elements.size(); ++i) {
    const bool is_in = foreground.has_value ? static_cast<long double>(elements[i]) ==
                                                  static_cast<long double>(foreground.value)
                                            : static_cast<double>(elements[i]) > foreground.threshold;
    if (is_in) {
      places.push_back(static_cast<int64_t>(i));
    }
  }
  ASSERT_EQ(count_foreground(mask_of(elements), foreground), places.size()) << foreground.threshold;
  for (size_t number = 0; number < places.size(); number += 1 + places.size() / 7) {
    ASSERT_EQ(foreground_place(mask_of(elements), foreground, number), places[number]);
  }
}

template <class T>
void expect_all_kinds() {
  std::vector<T> elements(10000);  // more than are counted at once
  for (size_t i = 0; i < elements.size(); ++i) {
    elements[i] = static_cast<T>(i % 11 == 0 ? i % 5 : 0);
  }
  elements[77] = std::numeric_limits<T>::max();
  elements[9999] = std::numeric_limits<T>::lowest();
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double threshold : {0.0, -1.0, 2.5, 3.0, 1e30, -1e30, infinity, -infinity, std::nan("")}) {
    expect_foreground(elements, {.threshold = threshold});
  }
  for (const int64_t value : {int64_t{0}, int64_t{3}, int64_t{-7}, int64_t{1} << 40}) {
    expect_foreground(elements, {.has_value = true, .value = value});
  }
}

TEST(Foreground, IsWhatEachTypeSays) {
  expect_all_kinds<uint8_t>();
  expect_all_kinds<int16_t>();
  expect_all_kinds<uint32_t>();
  expect_all_kinds<int64_t>();
  expect_all_kinds<uint64_t>();
  expect_all_kinds<float>();
  expect_all_kinds<double>();
}

TEST(Foreground, OfTruthsTheTrueOnes) {
  const bool truths[] = {false, true, false, true};
  const tensor::TensorView mask{truths, {{4}, tensor::DType::kBool, {}}};
  EXPECT_EQ(count_foreground(mask, {.threshold = 0}), 2u);
  EXPECT_EQ(foreground_place(mask, {.threshold = 0.5}, 1), 3);
  EXPECT_EQ(count_foreground(mask, {.threshold = -1}), 4u);
  EXPECT_EQ(count_foreground(mask, {.threshold = 1}), 0u);
  EXPECT_EQ(count_foreground(mask, {.has_value = true, .value = 1}), 2u);
  EXPECT_EQ(count_foreground(mask, {.has_value = true, .value = 2}), 0u);
}

}  // namespace
}  // namespace forebay::kernels
