// gaussian_blur, laplacian, filter, median_blur, dilate, erode, jpeg_compression_distortion: layouts,
// arguments by frames, and what is refused. tests/parity compares their values with DALI's and OpenCV's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Integers = std::vector<int64_t>;

Tensor filtered(const std::string& name, std::vector<Tensor> inputs, const Given& given = {}) {
  const auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

std::string filter_error(const std::string& name, std::vector<Tensor> inputs, const Given& given = {}) {
  return std::string(message(run_operator(name, std::move(inputs), given).status()));
}

TEST(GaussianBlur, TreatsPlanesAndFramesByThemselves) {
  const Tensor image = test_image({2, 5, 6, 3}, "FHWC");
  const Tensor together = filtered("gaussian_blur", {image}, {.constants = {{"sigma", 1.0}}});
  std::vector<uint8_t> second = values_of<uint8_t>(image);
  second.erase(second.begin(), second.begin() + 90);
  const Tensor alone = filtered("gaussian_blur", {tensor_of<uint8_t>(second, {5, 6, 3}, "HWC")},
                                {.constants = {{"sigma", 1.0}}});
  std::vector<uint8_t> of_both = values_of<uint8_t>(together);
  of_both.erase(of_both.begin(), of_both.begin() + 90);
  EXPECT_EQ(of_both, values_of<uint8_t>(alone));
  EXPECT_EQ(together.layout(), Layout("FHWC"));
}

TEST(GaussianBlur, ChangesByFrames) {
  const Tensor image = tensor_of<uint8_t>({0, 90, 0, 0, 90, 0}, {2, 3}, "FW");
  const Tensor out = filtered("gaussian_blur", {image},
                              {.constants = {{"window_size", int64_t{3}}},
                               .tensors = {{"sigma", tensor_of<float>({0.001f, 1e6f}, {2, 1}, "FX")}}});
  EXPECT_THAT(values_of<uint8_t>(out), ElementsAre(0, 90, 0, 60, 30, 60));
}

TEST(GaussianBlur, NamesWhatIsWrong) {
  const Tensor image = test_image({5, 6, 3});
  const auto error = [&](std::map<std::string, Value> constants) {
    return filter_error("gaussian_blur", {image}, {.constants = std::move(constants)});
  };
  EXPECT_THAT(error({}), HasSubstr("one of them is needed"));
  EXPECT_THAT(error({{"sigma", -1.0}}), HasSubstr("none is negative"));
  EXPECT_THAT(error({{"sigma", 1e30}}), HasSubstr("sigma"));
  EXPECT_THAT(error({{"window_size", int64_t{4}}}), HasSubstr("odd length"));
  EXPECT_THAT(error({{"sigma", std::vector<double>{1, 2, 3}}}), HasSubstr("sigma has 3 numbers"));
  EXPECT_THAT(error({{"sigma", 1.0}, {"dtype", static_cast<int64_t>(DType::kInt16)}}), HasSubstr("FLOAT"));
  EXPECT_THAT(filter_error("gaussian_blur", {test_image({5, 6, 3}, "HCW")}, {.constants = {{"sigma", 1.0}}}),
              HasSubstr("F and C before them"));
}

TEST(Laplacian, OfALineIsItsSecondDifference) {
  const Tensor line = tensor_of<float>({0, 1, 4, 9, 16}, {5}, "W");
  EXPECT_THAT(values_of<float>(filtered("laplacian", {line})), ElementsAre(2, 2, 2, 2, -14));
  const Given doubled{.constants = {{"scale", 2.0}}};
  EXPECT_THAT(values_of<float>(filtered("laplacian", {line}, doubled)), ElementsAre(4, 4, 4, 4, -28));
}

TEST(Laplacian, NamesWhatIsWrong) {
  const Tensor image = test_image({5, 6, 3});
  const auto error = [&](std::map<std::string, Value> constants) {
    return filter_error("laplacian", {image}, {.constants = std::move(constants)});
  };
  EXPECT_THAT(error({{"window_size", int64_t{25}}}), HasSubstr("window_size is 25"));
  EXPECT_THAT(error({{"smoothing_size", int64_t{2}}}), HasSubstr("smoothing_size is 2"));
  EXPECT_THAT(error({{"scale", 2.0}, {"normalized_kernel", true}}), HasSubstr("normalized_kernel"));
}

TEST(Filter, TakesAFilterAndAFillForEachFrame) {
  const Tensor image = tensor_of<uint8_t>({1, 2, 3, 4}, {2, 1, 2}, "FHW");
  const Tensor weights = tensor_of<float>({1, 1, 2, 0}, {2, 1, 2}, "F**");
  const Tensor fills = tensor_of<uint8_t>({100, 50}, {2}, "F");
  EXPECT_THAT(values_of<uint8_t>(filtered("filter", {image, weights, fills},
                                          {.constants = {{"border", std::string("constant")}}})),
              ElementsAre(101, 3, 100, 6));
}

TEST(Filter, NamesWhatIsWrong) {
  const Tensor image = test_image({5, 6, 3});
  const Tensor weights = counted<float>({2, 3});
  EXPECT_THAT(filter_error("filter", {image, counted<float>({6})}), HasSubstr("two axes"));
  EXPECT_THAT(filter_error("filter", {image, tensor_of<float>({}, {0, 3})}), HasSubstr("none of them empty"));
  EXPECT_THAT(filter_error("filter", {image, weights}, {.constants = {{"anchor", Integers{2, 0}}}}),
              HasSubstr("lies outside"));
  EXPECT_THAT(filter_error("filter", {image, counted<float>({9, 3})},
                           {.constants = {{"mode", std::string("valid")}}}),
              HasSubstr("valid"));
  EXPECT_THAT(filter_error("filter", {image, weights, counted<uint8_t>({2})}), HasSubstr("one number"));
}

TEST(MedianBlur, NamesWhatIsWrong) {
  const auto error = [](const Tensor& image, Integers sides) {
    return filter_error("experimental.median_blur", {image},
                        {.constants = {{"window_size", std::move(sides)}}});
  };
  const Tensor image = test_image({5, 6, 3});
  EXPECT_THAT(error(image, {3, 4}), HasSubstr("3 x 4"));
  EXPECT_THAT(error(image, {-1, 3}), HasSubstr("odd sides"));
  EXPECT_THAT(error(image, {3, 1000001}), HasSubstr("at most"));
  EXPECT_THAT(error(counted<int32_t>({5, 6, 3}, "HWC"), {3, 3}), HasSubstr("INT16"));
}

TEST(Morphology, DoesItSeveralTimes) {
  const Tensor image = tensor_of<uint8_t>({0, 0, 0, 9, 0, 0, 0}, {1, 7}, "HW");
  const auto dilated = [&](int64_t times, int64_t anchor) {
    return values_of<uint8_t>(filtered(
        "experimental.dilate", {image},
        {.constants = {
             {"mask_size", Integers{3, 1}}, {"anchor", Integers{anchor, 0}}, {"iterations", times}}}));
  };
  EXPECT_THAT(dilated(0, -1), ElementsAre(0, 0, 0, 9, 0, 0, 0));
  EXPECT_THAT(dilated(2, -1), ElementsAre(0, 9, 9, 9, 9, 9, 0));
  EXPECT_THAT(dilated(1, 0), ElementsAre(0, 9, 9, 9, 0, 0, 0));
  EXPECT_THAT(values_of<uint8_t>(filtered("experimental.erode", {image})), ElementsAre(0, 0, 0, 0, 0, 0, 0));
}

TEST(Morphology, NamesWhatIsWrong) {
  const auto error = [](std::map<std::string, Value> constants) {
    return filter_error("experimental.erode", {test_image({5, 6, 3})}, {.constants = std::move(constants)});
  };
  EXPECT_THAT(error({{"mask_size", Integers{0, 3}}}), HasSubstr("0 x 3"));
  EXPECT_THAT(error({{"anchor", Integers{3, 0}}}), HasSubstr("anchor (3, 0)"));
  EXPECT_THAT(error({{"iterations", int64_t{-1}}}), HasSubstr("iterations is -1"));
  EXPECT_THAT(error({{"iterations", int64_t{1} << 40}}), HasSubstr("reaches over"));
}

TEST(JpegCompressionDistortion, KeepsOneColourAndRefusesOtherImages) {
  const Tensor grey = tensor_of<uint8_t>(std::vector<uint8_t>(17 * 9 * 3, 128), {17, 9, 3}, "HWC");
  EXPECT_EQ(values_of<uint8_t>(filtered("jpeg_compression_distortion", {grey})), values_of<uint8_t>(grey));
  EXPECT_THAT(filter_error("jpeg_compression_distortion", {test_image({5, 6, 1})}),
              HasSubstr("three channels"));
  EXPECT_THAT(filter_error("jpeg_compression_distortion", {tensor_of<uint8_t>({}, {0, 6, 3}, "HWC")}),
              HasSubstr("JPEG of 6 x 0"));
}

}  // namespace
}  // namespace forebay::operators::testing
