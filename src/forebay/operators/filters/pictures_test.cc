// paste, grid_mask, equalize: layouts and what is refused. tests/parity compares their values with DALI's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

Tensor picture_of(const std::string& name, const Tensor& in, const Given& given = {}) {
  const auto out = run_operator(name, {in}, given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string picture_error(const std::string& name, const Tensor& in, const Given& given = {}) {
  return std::string(message(run_operator(name, {in}, given).status()));
}

TEST(Paste, PlacesTheImage) {
  const Tensor in = tensor_of<uint8_t>({1, 2}, {1, 2, 1}, "HWC");
  const Given given{.constants = {{"ratio", 2.0}, {"fill_value", int64_t{300}}, {"paste_x", 1.0}}};
  const Tensor out = picture_of("paste", in, given);
  EXPECT_EQ(out.shape(), (Shape{2, 4, 1}));
  EXPECT_THAT(values_of<uint8_t>(out), ElementsAre(255, 255, 1, 2, 255, 255, 255, 255));
}

TEST(Paste, NamesWhatIsWrong) {
  const Tensor in = counted<uint8_t>({2, 2, 3}, "HWC");
  const auto error = [&](std::map<std::string, Value> constants) {
    constants.emplace("ratio", 2.0);
    constants.emplace("fill_value", int64_t{0});
    return picture_error("paste", in, {.constants = constants});
  };
  EXPECT_THAT(error({{"ratio", 0.5}}), HasSubstr("ratio 0.5"));
  EXPECT_THAT(error({{"paste_x", 1.5}}), HasSubstr("1.5"));
  EXPECT_THAT(error({{"ratio", 1e30}}), HasSubstr("ratio"));
  EXPECT_THAT(error({{"fill_value", std::vector<int64_t>{1, 2}}}), HasSubstr("fill_value has 2 values"));
  EXPECT_THAT(picture_error("paste", counted<float>({2, 2, 3}, "HWC"),
                            {.constants = {{"ratio", 2.0}, {"fill_value", int64_t{0}}}}),
              HasSubstr("UINT8"));
}

TEST(GridMask, KnowsLayouts) {
  const Tensor planes = tensor_of<uint8_t>(std::vector<uint8_t>(8, 9), {2, 1, 4}, "CHW");
  EXPECT_THAT(values_of<uint8_t>(picture_of("grid_mask", planes, {.constants = {{"tile", int64_t{2}}}})),
              ElementsAre(0, 9, 0, 9, 0, 9, 0, 9));
  EXPECT_THAT(picture_error("grid_mask", planes, {.constants = {{"tile", int64_t{0}}}}),
              HasSubstr("tile is 0"));
  EXPECT_THAT(picture_error("grid_mask", counted<uint8_t>({2, 2, 2, 1}, "DHWC")), HasSubstr("over images"));
}

TEST(Equalize, LevelsEachChannelOut) {
  const Tensor in = tensor_of<uint8_t>({10, 7, 20, 7, 30, 7, 40, 7}, {2, 2, 2}, "HWC");
  EXPECT_THAT(values_of<uint8_t>(picture_of("equalize", in)), ElementsAre(0, 7, 85, 7, 170, 7, 255, 7));
  EXPECT_THAT(picture_error("equalize", counted<int16_t>({2, 2, 1}, "HWC")), HasSubstr("UINT8"));
}

}  // namespace
}  // namespace forebay::operators::testing
