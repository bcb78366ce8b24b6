// Working memory whose size the sample decides is the executor's: counted, and refused like any other.
#include <gtest/gtest.h>

#include "forebay/base/caught.h"
#include "forebay/memory/adaptors/adaptors.h"
#include "forebay/memory/host/scratch.h"
#include "forebay/operators/testing/operator_harness.h"

namespace forebay::operators {
namespace {

using memory::host_pool;
using testing::Given;
using testing::run_operator;

constexpr int64_t kManyRows = 5000;

struct Case {
  std::string op;
  std::vector<Tensor> inputs;
  Given given;
  int64_t least_bytes = 0;  // of working memory at once
};

/// Class numbers, lengths, probabilities: whatever they are, each is 1 / kManyRows.
Tensor many(DType dtype, Shape shape) {
  Tensor made = *Tensor::allocate({shape, dtype, {}});
  if (dtype == DType::kFloat) {
    std::ranges::fill(made.mutable_view().span<float>(), 1.0F / kManyRows);
  } else {
    std::memset(made.mutable_data(), 1, made.size_bytes());
  }
  return made;
}

std::vector<Case> cases() {
  const Tensor pair = many(DType::kUint8, {2, kManyRows});
  const Tensor line = many(DType::kUint8, {kManyRows});
  return {
      {"normalize", {pair}, {.constants = {{"axes", std::vector<int64_t>{0}}}}, 16 * kManyRows},
      {"normalize",
       {pair},
       {.tensors = {{"mean", many(DType::kFloat, {1, kManyRows})},
                    {"stddev", many(DType::kFloat, {1, kManyRows})}}},
       8 * kManyRows},
      {"one_hot", {line}, {.constants = {{"num_classes", int64_t{2}}}}, 8 * kManyRows},
      {"random.choice", {line}, {.tensors = {{"p", many(DType::kFloat, {kManyRows})}}}, 8 * kManyRows},
      {"slice",
       {line},
       {.constants = {{"axes", std::vector<int64_t>{0}},
                      {"start", std::vector<int64_t>{-5}},
                      {"shape", std::vector<int64_t>{kManyRows}},
                      {"out_of_bounds_policy", std::string("wrap")}}},
       8 * kManyRows},
  };
}

Status status_of(const Case& each, memory::MemoryResource& resource) {
  const memory::ScratchScope scope(resource);
  return caught([&] { return run_operator(each.op, each.inputs, each.given).status(); });
}

TEST(WorkingMemoryTest, OfOperatorsIsCounted) {
  for (const Case& each : cases()) {
    memory::StatisticsResource counting(host_pool());
    EXPECT_EQ(status_of(each, counting), ok_status()) << each.op;
    EXPECT_GE(counting.statistics().peak_bytes, static_cast<uint64_t>(each.least_bytes)) << each.op;
    EXPECT_EQ(counting.statistics().bytes, 0) << each.op;
  }
}

TEST(WorkingMemoryTest, OfOperatorsIsRefused) {
  for (const Case& each : cases()) {
    memory::LimitResource limit(host_pool(), Budget::create(static_cast<uint64_t>(each.least_bytes) - 1));
    EXPECT_EQ(status_of(each, limit).code(), StatusCode::kResourceExhausted) << each.op;
  }
}

}  // namespace
}  // namespace forebay::operators
