#include "forebay/kernels/linear_algebra/matmul.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>

#include "forebay/kernels/random/fill.h"

namespace forebay::kernels {
namespace {

// OpenBLAS built without threads gave two callers the same buffer, once in several thousand products.
TEST(MatmulTest, SeveralThreadsGetWhatOneGets) {
  constexpr int64_t kEdge = 128;  // smaller ones need no buffer
  constexpr int kThreads = 4;
  constexpr int kProducts = 3000;
  std::vector<float> a(kEdge * kEdge);
  std::vector<float> b(kEdge * kEdge);
  fill_uniform(1, 0, -1, 1, std::span(a));
  fill_uniform(2, 0, -1, 1, std::span(b));
  const Matrix left{a.data(), kEdge, kEdge, kEdge, false};
  const Matrix right{b.data(), kEdge, kEdge, kEdge, false};
  std::vector<float> expected(kEdge * kEdge);
  ASSERT_TRUE(matmul(tensor::DType::kFloat, left, right, expected.data(), kEdge).ok());
  std::atomic<int> wrong{0};
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) {
    threads.emplace_back([&] {
      std::vector<float> out(kEdge * kEdge);
      for (int product = 0; product < kProducts; ++product) {
        const Status status = matmul(tensor::DType::kFloat, left, right, out.data(), kEdge);
        wrong += !status.ok() || out != expected;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
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
