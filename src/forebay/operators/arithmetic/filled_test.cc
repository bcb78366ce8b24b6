// zeros, ones, full and their likes; lookup_table.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Ints = std::vector<int64_t>;
using Floats = std::vector<double>;

Tensor filled_by(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  const auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string fill_error(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  return std::string(message(run_operator(name, std::move(inputs), given).status()));
}

TEST(Fills, TakeShapeTypeAndLayout) {
  EXPECT_EQ(filled_by("zeros", {}).spec(), (TensorSpec{Shape(), DType::kInt32, {}}));
  const Given given{.constants = {{"shape", Ints{2, 2}}, {"layout", "HW"}, {"dtype", int64_t{0}}}};
  EXPECT_EQ(filled_by("ones", {}, given).spec(), (TensorSpec{{2, 2}, DType::kUint8, "HW"}));
  EXPECT_THAT(values_of<uint8_t>(filled_by("ones", {}, given)), ElementsAre(1, 1, 1, 1));
  const Tensor like = counted<float>({2, 1}, "HW");
  EXPECT_EQ(filled_by("zeros_like", {like}).spec(), like.spec());
  EXPECT_EQ(filled_by("ones_like", {like}, {.constants = {{"dtype", int64_t{0}}}}).dtype(), DType::kUint8);
}

TEST(Fills, BroadcastTheValue) {
  const Tensor row = tensor_of<int16_t>({7, 8}, {2});
  EXPECT_THAT(values_of<int16_t>(filled_by("full", {row}, {.constants = {{"shape", Ints{2, 2}}}})),
              ElementsAre(7, 8, 7, 8));
  const Tensor column = tensor_of<float>({-1, 300}, {2, 1});
  EXPECT_THAT(values_of<uint8_t>(filled_by("full_like", {counted<uint8_t>({2, 2}), column})),
              ElementsAre(0, 0, 255, 255));
  EXPECT_EQ(filled_by("full", {scalar_of(1.0)}, {.constants = {{"shape", Ints{0, 3}}}}).shape(),
            (Shape{0, 3}));
}

TEST(Fills, NameWhatIsWrong) {
  EXPECT_THAT(fill_error("zeros", {}, {.constants = {{"shape", Ints{2, 3}}, {"layout", "H"}}}),
              HasSubstr("layout 'H'"));
  EXPECT_THAT(fill_error("zeros", {}, {.constants = {{"shape", Ints{-1}}}}), HasSubstr("no tensor"));
  EXPECT_THAT(fill_error("zeros", {}, {.constants = {{"shape", Ints(9)}}}), HasSubstr("9 axes"));
  EXPECT_THAT(fill_error("full", {counted<float>({3})}, {.constants = {{"shape", Ints{2, 4}}}}),
              HasSubstr("broadcast"));
  EXPECT_THAT(fill_error("full", {counted<float>({3})}), HasSubstr("broadcast"));
}

TEST(LookupTable, TakesTheLastOfEqualKeys) {
  const Given given{.constants = {{"keys", Ints{3, 0, 3}},
                                  {"values", Floats{1, 2, 300}},
                                  {"default_value", -5.0},
                                  {"dtype", int64_t{0}}}};
  EXPECT_THAT(values_of<uint8_t>(filled_by("lookup_table", {tensor_of<int64_t>({0, 3, 4, -1}, {4})}, given)),
              ElementsAre(2, 255, 0, 0));
  EXPECT_THAT(fill_error("lookup_table", {counted<float>({2})}, given), HasSubstr("by integers"));
  EXPECT_THAT(fill_error("lookup_table", {scalar_of(true)}, given), HasSubstr("by integers"));
}

TEST(LookupTable, RefusesKeysThatDoNotFit) {
  const Tensor in = counted<uint8_t>({2});
  EXPECT_THAT(fill_error("lookup_table", {in}, {.constants = {{"keys", Ints{1}}}}), HasSubstr("1 keys"));
  for (const int64_t key : {int64_t{-1}, int64_t{65536}}) {
    EXPECT_THAT(fill_error("lookup_table", {in}, {.constants = {{"keys", Ints{key}}, {"values", Floats{1}}}}),
                HasSubstr("65535"));
  }
}

}  // namespace
}  // namespace forebay::operators::testing
