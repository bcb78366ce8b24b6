#include "forebay/pipeline/samples/memory_gate.h"

#include <gtest/gtest.h>

#include "forebay/memory/host/scratch.h"

namespace forebay::pipeline {
namespace {

constexpr uint64_t kLimit = uint64_t{1} << 20;

Status work_with(MemoryGate& gate, size_t bytes) {
  const memory::ScratchScope scope(gate.scratch());
  return caught([&]() -> Status {
    const memory::ScratchVector<char> memory(bytes);
    EXPECT_EQ(gate.budget().working_bytes(), bytes);
    return ok_status();
  });
}

TEST(MemoryGateTest, WorkingMemoryOfKernelsIsReserved) {
  MemoryGate gate(kLimit);
  EXPECT_EQ(work_with(gate, kLimit), ok_status());
  EXPECT_EQ(gate.budget().working_bytes(), 0);
  EXPECT_EQ(gate.budget().peak_working_bytes(), kLimit);
}

TEST(MemoryGateTest, ARefusalOfItParksTheSample) {
  MemoryGate gate(kLimit);
  const Status refused = work_with(gate, kLimit + 1);
  EXPECT_EQ(refused.code(), StatusCode::kResourceExhausted);
  EXPECT_TRUE(is_memory_refusal(refused));
  EXPECT_EQ(gate.budget().working_bytes(), 0);
}

}  // namespace
}  // namespace forebay::pipeline
