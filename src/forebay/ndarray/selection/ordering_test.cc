// Sorting gives the same bits whether it is recorded or not.
#include "forebay/ndarray/selection/ordering.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/backward/backward.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/testing/arrays.h"

namespace forebay::ndarray {
namespace {

std::vector<uint64_t> bits_of(const Array& array) {
  std::vector<uint64_t> bits;
  for (const double value : testing::values_of(array)) {
    bits.push_back(std::isnan(value) ? 0 : std::bit_cast<uint64_t>(value));
  }
  return bits;
}

TEST(OrderingTest, RecordedOrNotSortingGivesTheSameBits) {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const tensor::DType dtype : {tensor::DType::kFloat64, tensor::DType::kFloat}) {
    for (const bool ascending : {true, false}) {
      SCOPED_TRACE(ascending);
      Array x = testing::array_of({0., -0., 3, kNan, 0., -0., -1, 3}, {2, 4}, dtype);
      ASSERT_EQ(mark_variable(x, *full(x.spec(), 0), GradientMode::kWrite), ok_status());
      const Array plain = *sort(x, 1, ascending);
      set_recording(true);
      const Result<Array> recorded = sort(x, 1, ascending);
      set_recording(false);
      ASSERT_EQ(recorded.status(), ok_status());
      EXPECT_EQ(bits_of(*cast(*recorded, tensor::DType::kFloat64)),
                bits_of(*cast(plain, tensor::DType::kFloat64)));
    }
  }
}

}  // namespace
}  // namespace forebay::ndarray
