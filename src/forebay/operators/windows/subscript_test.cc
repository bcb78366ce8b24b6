// _subscript against Python's rules.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Parts = std::map<std::string, int64_t>;

Result<Tensor> part(Tensor in, const Parts& parts) {
  Given given;
  for (const auto& [name, value] : parts) {
    given.constants[name] = value;
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Tensor> out, run_operator("_subscript", {in}, given));
  return out[0];
}

std::string subscript_error(Tensor in, const Parts& parts) {
  return std::string(message(part(in, parts).status()));
}

Tensor row() {
  return counted<uint8_t>({5}, "X");
}
Tensor subscripted_image() {
  return counted<uint8_t>({2, 4, 3}, "HWC");
}

TEST(Subscript, FollowsPythonOnOneAxis) {
  EXPECT_THAT(values_of<uint8_t>(*part(row(), {{"at_0", -2}})), ElementsAre(3));
  EXPECT_THAT(values_of<uint8_t>(*part(row(), {{"lo_0", 1}, {"hi_0", 3}})), ElementsAre(1, 2));
  EXPECT_THAT(values_of<uint8_t>(*part(row(), {{"lo_0", -3}})), ElementsAre(2, 3, 4));
  EXPECT_THAT(values_of<uint8_t>(*part(row(), {{"lo_0", -9}, {"hi_0", 9}})), ElementsAre(0, 1, 2, 3, 4));
  EXPECT_THAT(values_of<uint8_t>(*part(row(), {{"lo_0", 3}, {"hi_0", 1}})), ElementsAre());
  EXPECT_THAT(values_of<uint8_t>(*part(row(), {{"step_0", 2}})), ElementsAre(0, 2, 4));
  EXPECT_THAT(values_of<uint8_t>(*part(row(), {{"step_0", -1}})), ElementsAre(4, 3, 2, 1, 0));
  EXPECT_THAT(values_of<uint8_t>(*part(row(), {{"lo_0", 3}, {"hi_0", 0}, {"step_0", -2}})),
              ElementsAre(3, 1));
  EXPECT_THAT(values_of<uint8_t>(*part(row(), {{"lo_0", 7}})), ElementsAre());
}

TEST(Subscript, RemovesIndexedAxesFromTheLayout) {
  const Tensor last = *part(subscripted_image(), {{"at_2", 1}, {"num_subscripts", 3}});
  EXPECT_EQ(last.spec(), (TensorSpec{{2, 4}, DType::kUint8, "HW"}));
  EXPECT_THAT(values_of<uint8_t>(last), ElementsAre(1, 4, 7, 10, 13, 16, 19, 22));
  EXPECT_EQ(part(subscripted_image(), {{"at_0", 1}, {"at_1", 1}, {"at_2", 1}})->shape(), Shape());
  EXPECT_EQ(part(subscripted_image(), {{"at_0", 1}, {"lo_1", 1}, {"step_1", 2}})->layout(), Layout("WC"));
}

TEST(Subscript, SharesMemoryWhereTheResultIsInOnePiece) {
  const Tensor in = subscripted_image();
  const auto offset = [&](const Parts& parts) {
    const Tensor out = *part(in, parts);
    return static_cast<const uint8_t*>(out.data()) - static_cast<const uint8_t*>(in.data());
  };
  EXPECT_EQ(offset({{"at_0", 1}}), 12);
  EXPECT_EQ(offset({{"lo_0", 1}}), 12);
  EXPECT_EQ(offset({{"at_0", -1}, {"lo_1", 1}, {"hi_1", 3}}), 15);
  EXPECT_EQ(offset({{"at_0", 1}, {"at_1", 2}, {"lo_2", 1}}), 19);
  const Tensor copied = *part(in, {{"lo_1", 1}, {"hi_1", 2}});
  EXPECT_NE(copied.buffer(), in.buffer());
  EXPECT_THAT(values_of<uint8_t>(copied), ElementsAre(3, 4, 5, 15, 16, 17));
}

TEST(Subscript, TakesTensors) {
  const auto out =
      run_operator("_subscript", {subscripted_image()}, {.tensors = {{"lo_0", scalar_of<uint8_t>(1)}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].shape(), (Shape{1, 4, 3}));
  const auto bad =
      run_operator("_subscript", {subscripted_image()}, {.tensors = {{"at_0", scalar_of(1.0f)}}});
  EXPECT_THAT(std::string(message(bad.status())), HasSubstr("must be an integer"));
}

TEST(Subscript, NamesWhatIsWrong) {
  EXPECT_THAT(subscript_error(subscripted_image(), {{"at_0", 2}}), HasSubstr("2"));
  EXPECT_FALSE(part(subscripted_image(), {{"at_0", -3}}).ok());
  EXPECT_FALSE(part(row(), {{"at_0", 0}, {"at_1", 0}}).ok());
  EXPECT_FALSE(part(row(), {{"num_subscripts", 2}}).ok());
  EXPECT_FALSE(part(row(), {{"step_0", 0}}).ok());
  EXPECT_THAT(subscript_error(row(), {{"at_0", 0}, {"lo_0", 0}}), HasSubstr("both"));
}

}  // namespace
}  // namespace forebay::operators::testing
