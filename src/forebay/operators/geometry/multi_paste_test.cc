// multi_paste: where regions go, from which samples, and what is refused. tests/parity compares its values
// with DALI's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Parts = std::vector<double>;

Tensor pasted(std::vector<Tensor> inputs, const Given& given = {}) {
  const auto out = run_operator("multi_paste", std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string paste_error(std::vector<Tensor> inputs, const Given& given = {}) {
  return std::string(message(run_operator("multi_paste", std::move(inputs), given).status()));
}

TEST(MultiPaste, PutsLaterRegionsAbove) {
  const Tensor ones = tensor_of<uint8_t>({1, 1, 1, 1}, {2, 2, 1}, "HWC");
  const Tensor twos = tensor_of<uint8_t>({2, 3, 4, 5}, {2, 2, 1}, "HWC");
  const Tensor out =
      pasted({ones, twos}, {.constants = {{"output_size", std::vector<int64_t>{2, 3}}},
                            .tensors = {{"out_anchors", tensor_of<int32_t>({0, 0, 0, 1}, {2, 2})}}});
  EXPECT_THAT(values_of<uint8_t>(out), ElementsAre(1, 2, 3, 1, 4, 5));
}

TEST(MultiPaste, TakesRegionsFromTheBatch) {
  const std::vector<std::vector<Tensor>> batch{{tensor_of<uint8_t>({1, 2}, {1, 2, 1}, "HWC")},
                                               {tensor_of<uint8_t>({3, 4}, {1, 2, 1}, "HWC")}};
  const auto out = run_operator_batch(
      "multi_paste", batch, {},
      {{{"in_ids", tensor_of<int32_t>({1}, {1})}}, {{"in_ids", tensor_of<int32_t>({}, {0})}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_THAT(values_of<uint8_t>((*out)[0][0]), ElementsAre(3, 4));
  EXPECT_THAT(values_of<uint8_t>((*out)[1][0]), ElementsAre(0, 0));
}

TEST(MultiPaste, NamesWhatIsWrong) {
  const Tensor image = test_image({4, 5, 3});
  const auto error = [&](std::map<std::string, Value> constants) {
    return paste_error({image, image}, {.constants = std::move(constants)});
  };
  EXPECT_THAT(error({{"in_ids", int64_t{0}}}), HasSubstr("one input"));
  EXPECT_THAT(error({{"shapes", int64_t{4}}}), HasSubstr("a pair (y, x) each"));
  EXPECT_THAT(error({{"shapes", int64_t{4}}, {"shapes_rel", 1.0}}), HasSubstr("not both"));
  EXPECT_THAT(error({{"out_anchors", std::vector<int64_t>{0, 0, 1, 0}}}), HasSubstr("region 1 has 4 pixels"));
  EXPECT_THAT(error({{"in_anchors_rel", Parts{0, 0, 2, 0}}}), HasSubstr("from 0 to 1"));
  EXPECT_THAT(error({{"output_size", std::vector<int64_t>{-1, 3}}}), HasSubstr("output_size"));
  EXPECT_THAT(paste_error({image, test_image({4, 5, 1})}), HasSubstr("channels agree"));
  const auto out = run_operator_batch("multi_paste", {{image}}, {.constants = {{"in_ids", int64_t{1}}}});
  EXPECT_THAT(std::string(message(out.status())), HasSubstr("the batch has 1"));
}

TEST(MultiPaste, RoundsPartsAndConvertsElements) {
  const Tensor image = tensor_of<float>({1, 2.5f, 300, -4, 5, 6}, {2, 3, 1}, "HWC");
  const Tensor out = pasted({image}, {.constants = {{"in_anchors_rel", Parts{0, 0.5}},
                                                    {"shapes_rel", Parts{0.4, 0.4}},
                                                    {"out_anchors_rel", Parts{0.9, 0.1}},
                                                    {"dtype", static_cast<int64_t>(DType::kUint8)}}});
  EXPECT_EQ(out.spec(), (TensorSpec{{2, 3, 1}, DType::kUint8, "HWC"}));
  EXPECT_THAT(values_of<uint8_t>(out), ElementsAre(0, 0, 0, 3, 255, 0));
}

}  // namespace
}  // namespace forebay::operators::testing
