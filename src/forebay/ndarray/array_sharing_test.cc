// What one thread reads while another's tasks replace the memory, as backward() does with gradients.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>

#include "forebay/ndarray/algebra/creation.h"
#include "forebay/ndarray/array.h"
#include "forebay/ndarray/backward/backward.h"
#include "forebay/ndarray/copying.h"
#include "forebay/ndarray/runtime.h"

namespace forebay::ndarray {
namespace {

constexpr int64_t kElements = int64_t{1} << 19;
constexpr int kRounds = 300;

bool is_uniform(const tensor::Tensor& content) {
  const auto values = content.view().span<float>();
  return std::ranges::all_of(values, [&](float value) { return value == values[0]; });
}

TEST(ArraySharingTest, ACopyIsWhatOneWriteHasLeft) {
  const Array gradient = *full({{kElements}}, 0);
  std::atomic<bool> is_over{false};
  std::thread writer([&] {
    for (int round = 1; round <= kRounds; ++round) {
      EXPECT_EQ(move_into(*full({{kElements}}, round), gradient), ok_status());
      EXPECT_EQ(gradient.wait(), ok_status());
    }
    is_over = true;
  });
  while (!is_over) {
    const Result<tensor::Tensor> content = gradient.copied();
    ASSERT_EQ(content.status(), ok_status());
    EXPECT_TRUE(is_uniform(*content));
  }
  writer.join();
}

TEST(ArraySharingTest, MemoryThatWasLentStaysWhereItIs) {
  for (int round = 0; round < kRounds; ++round) {
    const Array gradient = *full({{1024}}, 0);
    std::thread writer([&] { EXPECT_EQ(move_into(*full({{1024}}, round), gradient), ok_status()); });
    const Result<tensor::Tensor> lent = gradient.tensor();
    writer.join();
    ASSERT_EQ(lent.status(), ok_status());
    ASSERT_EQ(gradient.wait(), ok_status());
    EXPECT_EQ(gradient.tensor()->data(), lent->data());
  }
}

TEST(ArraySharingTest, AnArrayThatWasNeverWrittenIsTheReadersErrorAlone) {
  wait_for_all().IgnoreError();  // of tests that may have come before
  const Array array = *Array::create({{4}});
  EXPECT_EQ(array.copied().status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(array.tensor().status().code(), StatusCode::kFailedPrecondition);
  EXPECT_EQ(wait_for_all(), ok_status());
}

}  // namespace
}  // namespace forebay::ndarray
