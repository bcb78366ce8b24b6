// cat and stack.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Constants = std::map<std::string, Value>;

std::string join_error(const char* name, Constants constants, std::vector<Tensor> inputs) {
  return std::string(
      message(run_operator(name, std::move(inputs), {.constants = std::move(constants)}).status()));
}

Tensor joined(const char* name, Constants constants, std::vector<Tensor> inputs) {
  auto out = run_operator(name, std::move(inputs), {.constants = std::move(constants)});
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

TEST(Cat, JoinsAlongAnyAxis) {
  const Tensor a = tensor_of<int16_t>({1, 2, 3, 4}, {2, 2}, "HW");
  const Tensor b = tensor_of<int16_t>({5, 6}, {2, 1}, "HW");
  const Tensor c = tensor_of<int16_t>({7, 8}, {1, 2});
  EXPECT_THAT(values_of<int16_t>(joined("cat", {{"axis", int64_t{1}}}, {a, b})),
              ElementsAre(1, 2, 5, 3, 4, 6));
  EXPECT_THAT(values_of<int16_t>(joined("cat", {{"axis", int64_t{-2}}}, {a, c})),
              ElementsAre(1, 2, 3, 4, 7, 8));
  const Tensor named = joined("cat", {{"axis_name", std::string("W")}}, {a, b, a});
  EXPECT_EQ(named.spec(), (TensorSpec{{2, 5}, DType::kInt16, "HW"}));
  EXPECT_EQ(joined("cat", {{"axis", int64_t{0}}}, {c, a}).layout(), Layout("HW"));
}

TEST(Cat, ForwardsASingleInput) {
  const Tensor a = counted<uint8_t>({2, 2});
  EXPECT_EQ(joined("cat", {}, {a}).data(), a.data());
}

TEST(Cat, NamesWhatDoesNotFit) {
  const Tensor a = counted<uint8_t>({2, 2}, "HW");
  EXPECT_THAT(join_error("cat", {}, {a, counted<uint8_t>({2, 3})}), HasSubstr("cannot be joined"));
  EXPECT_THAT(join_error("cat", {}, {a, counted<float>({2, 2})}), HasSubstr("must be equal"));
  EXPECT_THAT(join_error("cat", {}, {a, counted<uint8_t>({2})}), HasSubstr("must be equal"));
  EXPECT_THAT(join_error("cat", {{"axis", int64_t{2}}}, {a, a}), HasSubstr("axis 2"));
  EXPECT_THAT(join_error("cat", {}, {scalar_of(1), scalar_of(2)}), HasSubstr("axis 0"));
  EXPECT_THAT(join_error("cat", {{"axis_name", std::string("Z")}}, {a, a}), HasSubstr("no axis 'Z'"));
  EXPECT_THAT(join_error("cat", {{"axis_name", std::string("W")}, {"axis", int64_t{0}}}, {a, a}),
              HasSubstr("either"));
}

TEST(Stack, MakesANewAxis) {
  const Tensor a = tensor_of<int32_t>({1, 2, 3}, {3}, "X");
  const Tensor b = tensor_of<int32_t>({4, 5, 6}, {3}, "X");
  const Tensor rows = joined("stack", {}, {a, b});
  EXPECT_EQ(rows.spec(), (TensorSpec{{2, 3}, DType::kInt32, ""}));
  EXPECT_THAT(values_of<int32_t>(rows), ElementsAre(1, 2, 3, 4, 5, 6));
  const Tensor columns = joined("stack", {{"axis", int64_t{-1}}, {"axis_name", std::string("N")}}, {a, b});
  EXPECT_EQ(columns.spec(), (TensorSpec{{3, 2}, DType::kInt32, "XN"}));
  EXPECT_THAT(values_of<int32_t>(columns), ElementsAre(1, 4, 2, 5, 3, 6));
  const Tensor scalars =
      joined("stack", {{"axis_name", std::string("N")}}, {scalar_of(1.0f), scalar_of(2.0f)});
  EXPECT_EQ(scalars.spec(), (TensorSpec{{2}, DType::kFloat, "N"}));
  EXPECT_EQ(joined("stack", {{"axis", int64_t{1}}}, {a}).shape(), (Shape{3, 1}));
}

TEST(Stack, NamesWhatDoesNotFit) {
  const Tensor a = counted<uint8_t>({2, 2});
  EXPECT_THAT(join_error("stack", {}, {a, counted<uint8_t>({2, 3})}), HasSubstr("cannot be stacked"));
  EXPECT_THAT(join_error("stack", {{"axis", int64_t{3}}}, {a, a}), HasSubstr("axis 3"));
  EXPECT_THAT(join_error("stack", {{"axis_name", std::string("N")}}, {a, a}), HasSubstr("no layout"));
  EXPECT_THAT(join_error("stack", {{"axis_name", std::string("NM")}}, {a, a}), HasSubstr("one letter"));
}

}  // namespace
}  // namespace forebay::operators::testing
