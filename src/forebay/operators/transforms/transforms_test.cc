// transforms.*: frames, joined transforms, what is refused. tests/parity compares their values with DALI's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Floats = std::vector<double>;

Tensor transformed(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  const auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string transform_error(const std::string& name, std::vector<Tensor> inputs, Given given = {}) {
  return std::string(message(run_operator(name, std::move(inputs), given).status()));
}

TEST(Transforms, ComeAfterTheInputOrBeforeIt) {
  const Tensor in = tensor_of<float>({2, 0, 1, 0, 2, 1}, {2, 3});
  Given given{.constants = {{"offset", Floats{10, 20}}}};
  EXPECT_THAT(values_of<float>(transformed("transforms.translation", {in}, given)),
              ElementsAre(2, 0, 11, 0, 2, 21));
  given.constants["reverse_order"] = true;
  EXPECT_THAT(values_of<float>(transformed("transforms.translation", {in}, given)),
              ElementsAre(2, 0, 21, 0, 2, 41));
}

TEST(Transforms, ChangeByFrames) {
  const Given given{.tensors = {{"offset", tensor_of<float>({1, 2, 3, 4}, {2, 2}, "F*")}}};
  const Tensor out = transformed("transforms.translation", {}, given);
  EXPECT_EQ(out.spec(), (TensorSpec{{2, 2, 3}, DType::kFloat, "F**"}));
  EXPECT_THAT(values_of<float>(out), ElementsAre(1, 0, 1, 0, 1, 2, 1, 0, 3, 0, 1, 4));
  const Tensor three = counted<float>({3, 2, 3}, "F**");
  EXPECT_THAT(transform_error("transforms.translation", {three}, given), HasSubstr("2 frames"));
  EXPECT_EQ(transformed("transforms.combine", {three, counted<float>({2, 3})}).shape(), (Shape{3, 2, 3}));
}

TEST(Transforms, KeepTheirCentre) {
  const Given given{.constants = {{"angle", 90.0}, {"center", Floats{1, 1}}}};
  const std::vector<float> matrix = values_of<float>(transformed("transforms.rotation", {}, given));
  EXPECT_NEAR(matrix[0] + matrix[1] + matrix[2], 1, 1e-6);
  EXPECT_NEAR(matrix[3] + matrix[4] + matrix[5], 1, 1e-6);
}

TEST(Transforms, NameWhatIsWrong) {
  const Tensor plane = counted<float>({2, 3});
  EXPECT_THAT(
      transform_error("transforms.translation", {plane}, {.constants = {{"offset", Floats{1, 2, 3}}}}),
      HasSubstr("2 dimensions"));
  EXPECT_THAT(transform_error("transforms.translation", {counted<float>({3, 3})},
                              {.constants = {{"offset", Floats{1}}}}),
              HasSubstr("n x (n + 1)"));
  EXPECT_THAT(transform_error("transforms.translation", {}, {.constants = {{"offset", Floats(7)}}}),
              HasSubstr("1 to 6"));
  EXPECT_THAT(
      transform_error("transforms.rotation", {}, {.constants = {{"angle", 1.0}, {"axis", Floats{0, 0, 0}}}}),
      HasSubstr("length 0"));
  EXPECT_THAT(
      transform_error("transforms.rotation", {}, {.constants = {{"angle", 1.0}, {"axis", Floats{1, 0}}}}),
      HasSubstr("axis has 2"));
  EXPECT_THAT(transform_error("transforms.shear", {}), HasSubstr("either"));
  EXPECT_THAT(transform_error("transforms.shear", {}, {.constants = {{"angles", Floats{91, 0}}}}),
              HasSubstr("91"));
  EXPECT_THAT(transform_error("transforms.shear", {}, {.constants = {{"shear", Floats{1, 2, 3}}}}),
              HasSubstr("3 are given"));
  EXPECT_THAT(transform_error("transforms.crop", {},
                              {.constants = {{"from_end", Floats{1, 2}}, {"to_end", Floats{1, 2, 3}}}}),
              HasSubstr("from_end"));
  EXPECT_THAT(transform_error("transforms.scale", {},
                              {.constants = {{"scale", Floats{1, 2}}, {"center", Floats{1, 2, 3}}}}),
              HasSubstr("center"));
  EXPECT_THAT(transform_error("transforms.combine", {plane, counted<float>({1, 2})}), HasSubstr("2 and 1"));
}

}  // namespace
}  // namespace forebay::operators::testing
