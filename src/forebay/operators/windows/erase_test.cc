// erase: where boxes begin and end, and what they are filled with.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Constants = std::map<std::string, Value>;
using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;

Result<Tensor> erased(Constants constants, Tensor in) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Tensor> out,
                           run_operator("erase", {in}, {.constants = constants}));
  return out[0];
}

/// Which of eight elements a box on one axis erases: "..##....".
std::string erased_places(double anchor, double shape, Constants more = {}) {
  more["anchor"] = Floats{anchor};
  more["shape"] = Floats{shape};
  more["axis_names"] = std::string("W");
  const auto out = erased(std::move(more), tensor_of<uint8_t>({1, 1, 1, 1, 1, 1, 1, 1}, {1, 8, 1}, "HWC"));
  EXPECT_TRUE(out.ok()) << out.status();
  std::string places;
  for (const uint8_t value : values_of<uint8_t>(*out)) {
    places += value == 0 ? '#' : '.';
  }
  return places;
}

TEST(Erase, RoundsBothEndsDown) {
  EXPECT_EQ(erased_places(2, 2), "..##....");
  EXPECT_EQ(erased_places(0.9, 1.4), "##......");
  EXPECT_EQ(erased_places(0.9, 1.0), "#.......");
  EXPECT_EQ(erased_places(1.5, 1.5), ".##.....");
  EXPECT_EQ(erased_places(2, 0.6), "........");
  EXPECT_EQ(erased_places(2.6, 0.6), "..#.....");
}

TEST(Erase, LeavesOutWhatLiesOutside) {
  EXPECT_EQ(erased_places(-1.2, 2.5), "#.......");
  EXPECT_EQ(erased_places(6, 100), "......##");
  EXPECT_EQ(erased_places(100, 5), "........");
  EXPECT_EQ(erased_places(2, -2), "........");
}

TEST(Erase, KnowsCentresAndParts) {
  EXPECT_EQ(erased_places(4, 3, {{"centered_anchor", true}}), "..###...");
  EXPECT_EQ(erased_places(0.5, 0.25, {{"normalized", true}}), "....##..");
  EXPECT_EQ(erased_places(0.5, 2, {{"normalized_anchor", true}}), "....##..");
  EXPECT_EQ(erased_places(2, 0.5, {{"normalized_shape", true}}), "..####..");
}

TEST(Erase, FillsSeveralBoxesByChannel) {
  const Tensor in = tensor_of<uint8_t>({1, 1, 1, 1, 1, 1}, {1, 3, 2}, "HWC");
  const Floats anchors{0, 0, 0, 2};
  const Floats shapes{1, 1, 1, 1};
  const auto out = erased({{"anchor", anchors}, {"shape", shapes}, {"fill_value", Floats{7, 300}}}, in);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values_of<uint8_t>(*out), ElementsAre(7, 255, 1, 1, 7, 255));
  const Tensor planes = tensor_of<uint8_t>({1, 1, 1, 1, 1, 1}, {2, 1, 3}, "CHW");
  const auto out_planes =
      erased({{"anchor", anchors}, {"shape", shapes}, {"fill_value", Floats{7, 8}}}, planes);
  EXPECT_THAT(values_of<uint8_t>(*out_planes), ElementsAre(7, 1, 7, 8, 1, 8));
}

TEST(Erase, TakesAxesByNumber) {
  const Tensor in = tensor_of<float>({1, 2, 3, 4}, {2, 2});
  const auto out = erased({{"anchor", Floats{1}}, {"shape", Floats{1}}, {"axes", Ints{0}}}, in);
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values_of<float>(*out), ElementsAre(1, 2, 0, 0));
}

TEST(Erase, NamesWhatIsWrong) {
  const auto error = [](Constants constants, Tensor in) {
    return std::string(message(erased(std::move(constants), std::move(in)).status()));
  };
  const Tensor in = counted<uint8_t>({2, 2, 3}, "HWC");
  EXPECT_THAT(error({{"anchor", Floats{0, 1}}}, in), HasSubstr("shape 0"));
  EXPECT_THAT(error({{"anchor", Floats{0}}, {"shape", Floats{1}}}, in), HasSubstr("give 2 each"));
  EXPECT_THAT(error({{"anchor", Floats{0, 0}}, {"shape", Floats{1, 1}}, {"fill_value", Floats{1, 2}}}, in),
              HasSubstr("one per channel"));
  EXPECT_THAT(error({{"anchor", Floats{0, 0}}, {"shape", Floats{1, 1}}}, counted<uint8_t>({2, 2})),
              HasSubstr("no axis 'H'"));
}

}  // namespace
}  // namespace forebay::operators::testing
