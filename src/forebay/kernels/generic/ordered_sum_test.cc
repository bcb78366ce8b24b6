// Sums in memory order have the bits that adding one by one gives, whatever the values, on each target.
#include "forebay/kernels/generic/ordered_sum.h"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "forebay/base/random/random.h"

namespace forebay::kernels {
namespace {

constexpr float kInfinite = std::numeric_limits<float>::infinity();

double one_by_one(Summand summand, double sum, const std::vector<float>& values) {
  for (const float each : values) {
    const auto value = static_cast<double>(each);
    sum += summand == Summand::kValue ? value : value * value;
  }
  return sum;
}

struct SummedValues {
  const char* name;
  float (*next)(RandomStream& random);
};

const SummedValues kSummedValues[] = {
    {"bytes", [](RandomStream& random) { return static_cast<float>(random.below(256)); }},
    {"parts of one", [](RandomStream& random) { return static_cast<float>(random.below(256)) / 255; }},
    {"halves with signs",
     [](RandomStream& random) { return static_cast<float>(random.below(9)) * 0.5f - 2; }},
    {"any bits",
     [](RandomStream& random) {
       return std::bit_cast<float>(static_cast<uint32_t>(random.below(0x7f000000)));
     }},
    {"what is not normal",
     [](RandomStream& random) {
       return std::bit_cast<float>(static_cast<uint32_t>(random.below(0x1000000)));
     }},
    {"the largest",
     [](RandomStream& random) { return std::ldexp(1.0f, 120 + static_cast<int>(random.below(8))); }},
    {"zeros of both signs", [](RandomStream& random) { return random.below(2) == 0 ? 0.0f : -0.0f; }},
    {"near zero",
     [](RandomStream& random) { return (static_cast<float>(random.below(1 << 24)) - 0x1p23f) * 0x1p-22f; }},
};

std::vector<float> drawn(const SummedValues& of, size_t count) {
  RandomStream random(34, count, 0);
  std::vector<float> values(count);
  for (float& value : values) {
    value = of.next(random);
  }
  return values;
}

void expect_same(const std::vector<float>& values, double start) {
  for (const Summand summand : {Summand::kValue, Summand::kSquare}) {
    const double sum = ordered_sum(summand, start, values.data(), static_cast<int64_t>(values.size()));
    const double expected = one_by_one(summand, start, values);
    EXPECT_TRUE(std::bit_cast<uint64_t>(sum) == std::bit_cast<uint64_t>(expected) ||
                (std::isnan(sum) && std::isnan(expected)))
        << sum << ", not " << expected << ", from " << start;
  }
}

void check_all() {
  for (const SummedValues& each : kSummedValues) {
    SCOPED_TRACE(each.name);
    for (const size_t count : {0, 1, 1023, 1024, 5000, 70000}) {
      const std::vector<float> values = drawn(each, count);
      for (const double start : {0.0, 3.0, 0.1, 1e15, -1e300}) {
        expect_same(values, start);
      }
    }
  }
}

TEST(OrderedSumTest, HasTheBitsOfAddingOneByOneOnEachTarget) {
  for (int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    SCOPED_TRACE(hwy::TargetName(left & -left));
    hwy::SetSupportedTargetsForTest(left & -left);
    check_all();
  }
  hwy::SetSupportedTargetsForTest(0);
}

TEST(OrderedSumTest, OneValueMaySpoilABlock) {
  for (const float odd : {kInfinite, -kInfinite, std::nanf(""), 0x1p-149f, 0x1p127f, 0x1p-30f}) {
    std::vector<float> values(4096, 3.0f);
    values[2500] = odd;
    expect_same(values, 0);
    std::vector<float> zeros(4096, 0.0f);
    zeros[2500] = odd;
    expect_same(zeros, 0);
  }
}

}  // namespace
}  // namespace forebay::kernels
