#include "forebay/kernels/linear_algebra/matmul.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include "forebay/kernels/linear_algebra/blas_target.h"
#include "forebay/kernels/random/fill.h"

namespace forebay::kernels {
namespace {

TEST(MatmulTest, UsesTheVectorsThatTheCpuHas) {
#if defined(__x86_64__)
  if (!__builtin_cpu_supports("avx2") || std::getenv("OPENBLAS_CORETYPE") != nullptr) {
    GTEST_SKIP() << "no AVX2, or the kernels are named by OPENBLAS_CORETYPE";
  }
  EXPECT_NE(blas_target(), "Prescott");
#else
  GTEST_SKIP() << "OpenBLAS falls back on x86 alone";
#endif
}

TEST(MatmulTest, IsTheSumOfProducts) {
  constexpr int64_t kRows = 37;
  constexpr int64_t kInner = 53;
  constexpr int64_t kColumns = 29;
  std::vector<double> a(kRows * kInner);
  std::vector<double> b(kInner * kColumns);
  fill_uniform(1, 0, -1, 1, std::span(a));
  fill_uniform(2, 0, -1, 1, std::span(b));
  std::vector<double> out(kRows * kColumns, 1.0);
  const Matrix left{a.data(), kRows, kInner, kInner, false};
  const Matrix right{b.data(), kInner, kColumns, kColumns, false};
  ASSERT_TRUE(matmul(tensor::DType::kFloat64, left, right, out.data(), kColumns, true).ok());
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t column = 0; column < kColumns; ++column) {
      double sum = 1;
      for (int64_t i = 0; i < kInner; ++i) {
        sum += a[row * kInner + i] * b[i * kColumns + column];
      }
      EXPECT_NEAR(out[row * kColumns + column], sum, 1e-12);
    }
  }
}

}  // namespace
}  // namespace forebay::kernels
