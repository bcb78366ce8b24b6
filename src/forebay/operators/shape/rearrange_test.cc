// flip, transpose and pad, against element-by-element references.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/scalars.h"

namespace forebay::operators::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Constants = std::map<std::string, Value>;
using Ints = std::vector<int64_t>;

Result<Tensor> run_one(const char* name, Constants constants, Tensor in) {
  FOREBAY_ASSIGN_OR_RETURN(const std::vector<Tensor> out, run_operator(name, {in}, {.constants = constants}));
  return out[0];
}

std::string rearrange_error(const char* name, Constants constants, Tensor in) {
  return std::string(message(run_one(name, std::move(constants), std::move(in)).status()));
}

/// The places of a shape, in memory order.
std::vector<Ints> places(const Shape& shape) {
  std::vector<Ints> all{{}};
  for (const int64_t extent : shape.extents()) {
    std::vector<Ints> longer;
    for (const Ints& place : all) {
      for (int64_t i = 0; i < extent; ++i) {
        longer.push_back(place);
        longer.back().push_back(i);
      }
    }
    all = std::move(longer);
  }
  return all;
}

int64_t offset_of(const Ints& place, const Shape& shape) {
  int64_t offset = 0;
  for (int axis = 0; axis < shape.rank(); ++axis) {
    offset = offset * shape[axis] + place[axis];
  }
  return offset;
}

template <class T>
std::vector<T> flipped(const Tensor& in, const std::string& axes) {
  std::vector<T> expected;
  for (Ints place : places(in.shape())) {
    for (const char name : axes) {
      const int axis = in.layout().find(name);
      place[axis] = in.shape()[axis] - 1 - place[axis];
    }
    expected.push_back(values_of<T>(in)[offset_of(place, in.shape())]);
  }
  return expected;
}

TEST(Flip, MirrorsEveryLayout) {
  for (const char* layout : {"HWC", "CHW", "FHWC", "FCHW", "DHWC", "CDHW", "FDHWC", "FCDHW", "HW"}) {
    Shape shape;
    for (const char name : std::string_view(layout)) {
      shape.push_back(name == 'C' ? 3 : (name == 'W' ? 5 : (name == 'H' ? 4 : 2)));
    }
    const Tensor in = counted<uint8_t>(shape, layout);
    for (const std::string axes : {"W", "H", "HW", "D", "WD"}) {
      if (axes.find('D') != std::string::npos && in.layout().find('D') < 0) {
        continue;
      }
      const auto is_flipped = [&](char name) { return int64_t{axes.find(name) != std::string::npos}; };
      const auto out = run_one(
          "flip",
          {{"horizontal", is_flipped('W')}, {"vertical", is_flipped('H')}, {"depthwise", is_flipped('D')}},
          in);
      ASSERT_TRUE(out.ok()) << out.status();
      EXPECT_EQ(out->spec(), in.spec());
      EXPECT_EQ(values_of<uint8_t>(*out), flipped<uint8_t>(in, axes)) << layout << " " << axes;
    }
  }
}

TEST(Flip, TakesTensorsAndKnowsNothingToDo) {
  const Tensor in = counted<double>({2, 3, 3}, "HWC");
  const auto out = run_operator("flip", {in}, {.tensors = {{"horizontal", scalar_of<int32_t>(0)}}});
  ASSERT_TRUE(out.ok()) << out.status();
  EXPECT_EQ((*out)[0].data(), in.data());
  EXPECT_EQ(run_one("flip", {}, counted<uint8_t>({2, 2, 3}))->layout(), Layout("HWC"));
  EXPECT_THAT(rearrange_error("flip", {}, counted<uint8_t>({2, 2, 3}, "XYZ")), HasSubstr("HWC"));
  EXPECT_EQ(run_one("flip", {}, counted<uint8_t>({2, 0, 3}, "HWC"))->shape(), (Shape{2, 0, 3}));
}

TEST(Transpose, PutsAxesInAnyOrder) {
  const Tensor in = counted<int32_t>({2, 3, 4, 5}, "ABCD");
  Ints order{0, 1, 2, 3};
  do {
    const auto out = run_one("transpose", {{"perm", order}}, in);
    ASSERT_TRUE(out.ok()) << out.status();
    std::vector<int32_t> expected;
    for (const Ints& place : places(out->shape())) {
      Ints from(4);
      for (int axis = 0; axis < 4; ++axis) {
        from[order[axis]] = place[axis];
        EXPECT_EQ(out->shape()[axis], in.shape()[order[axis]]);
        EXPECT_EQ(out->layout()[axis], in.layout()[order[axis]]);
      }
      expected.push_back(values_of<int32_t>(in)[offset_of(from, in.shape())]);
    }
    EXPECT_EQ(values_of<int32_t>(*out), expected);
  } while (std::ranges::next_permutation(order).found);
}

TEST(Transpose, SetsLayoutsAsAsked) {
  const Tensor in = counted<uint8_t>({2, 4, 3}, "HWC");
  const Ints order{2, 0, 1};
  const std::string names = "ABC";
  EXPECT_EQ(run_one("transpose", {{"perm", order}, {"transpose_layout", false}}, in)->layout(),
            Layout("HWC"));
  EXPECT_EQ(run_one("transpose", {{"perm", order}, {"output_layout", names}}, in)->layout(), Layout("ABC"));
  EXPECT_EQ(run_one("transpose", {}, in)->layout(), Layout("CWH"));
  EXPECT_EQ(run_one("transpose", {}, scalar_of(1.0f))->shape(), Shape());
}

TEST(Transpose, SharesMemoryWhenNothingMoves) {
  const Tensor in = counted<uint8_t>({1, 4, 3}, "CHW");
  EXPECT_EQ(run_one("transpose", {{"perm", Ints{1, 2, 0}}}, in)->data(), in.data());
}

TEST(Transpose, NamesWhatIsWrong) {
  const Tensor in = counted<uint8_t>({2, 4, 3}, "HWC");
  EXPECT_THAT(rearrange_error("transpose", {{"perm", Ints{0, 0, 1}}}, in), HasSubstr("each axis once"));
  EXPECT_THAT(rearrange_error("transpose", {{"perm", Ints{1, 0}}}, in), HasSubstr("perm has 2 axes"));
  EXPECT_THAT(rearrange_error("transpose", {{"output_layout", std::string("AB")}}, in),
              HasSubstr("does not fit"));
}

std::vector<Tensor> padded(Constants constants, std::vector<Tensor> samples,
                           const std::vector<std::map<std::string, Tensor>>& tensors = {}) {
  std::vector<std::vector<Tensor>> batch;
  for (Tensor& sample : samples) {
    batch.push_back({std::move(sample)});
  }
  const auto out = run_operator_batch("pad", batch, {.constants = std::move(constants)}, tensors);
  EXPECT_TRUE(out.ok()) << out.status();
  std::vector<Tensor> results;
  for (size_t i = 0; out.ok() && i < out->size(); ++i) {
    results.push_back((*out)[i][0]);
  }
  return results;
}

TEST(Pad, FillsUpToTheLargestOfTheBatch) {
  const Tensor wide = counted<int32_t>({1, 2}, "HW");
  const Tensor high = counted<int32_t>({3, 1}, "HW");
  const std::vector<Tensor> all = padded({{"fill_value", -1.0}}, {wide, high});
  EXPECT_THAT(values_of<int32_t>(all[0]), ElementsAre(0, 1, -1, -1, -1, -1));
  EXPECT_THAT(values_of<int32_t>(all[1]), ElementsAre(0, -1, 1, -1, 2, -1));
  const std::vector<Tensor> named = padded({{"axis_names", std::string("W")}}, {wide, high});
  EXPECT_EQ(named[0].data(), wide.data());
  EXPECT_EQ(named[1].spec(), (TensorSpec{{3, 2}, DType::kInt32, "HW"}));
  const std::vector<Tensor> aligned = padded({{"align", int64_t{4}}}, {wide, high});
  EXPECT_EQ(aligned[0].shape(), (Shape{4, 4}));
}

TEST(Pad, FillsUpToGivenShapes) {
  const Tensor wide = counted<int32_t>({1, 2}, "HW");
  const Tensor high = counted<int32_t>({3, 1}, "HW");
  const std::vector<Tensor> mixed = padded({{"axes", Ints{0, 1}}, {"shape", Ints{2, -1}}}, {wide, high});
  EXPECT_EQ(mixed[0].shape(), (Shape{2, 2}));
  EXPECT_EQ(mixed[1].shape(), (Shape{3, 2}));
  const std::vector<Tensor> none = padded({{"axes", Ints{0, 1}}, {"shape", Ints{4, 0}}}, {wide, high});
  EXPECT_EQ(none[1].shape(), (Shape{4, 2}));
  const std::vector<Tensor> each =
      padded({{"axes", Ints{1}}}, {wide, high},
             {{{"shape", tensor_of<int32_t>({3}, {1})}}, {{"shape", tensor_of<int32_t>({6}, {1})}}});
  EXPECT_EQ(each[0].shape(), (Shape{1, 3}));
  EXPECT_EQ(each[1].shape(), (Shape{3, 6}));
  EXPECT_EQ(padded({{"axes", Ints{-1}}, {"shape", Ints{9}}, {"align", Ints{4}}}, {wide})[0].shape(),
            (Shape{1, 12}));
}

TEST(Pad, WaitsForABatchOnlyWhereItMust) {
  const auto scope_with = [](Constants constants) {
    return (*make_operator("pad", {.constants = std::move(constants)}, 1))->scope();
  };
  EXPECT_EQ(scope_with({}), Scope::kBatch);
  EXPECT_EQ(scope_with({{"shape", Ints{4, 4}}}), Scope::kSample);
  EXPECT_EQ(scope_with({{"shape", Ints{4, -1}}}), Scope::kBatch);
  EXPECT_EQ(scope_with({{"shape", Ints{4, 0}}}), Scope::kBatch);
}

TEST(Pad, NamesWhatIsWrong) {
  const Tensor in = counted<uint8_t>({1, 2}, "HW");
  EXPECT_THAT(rearrange_error("pad", {{"axes", Ints{1}}, {"shape", Ints{3, 4}}}, in),
              HasSubstr("2 values for 1 axes"));
  EXPECT_THAT(rearrange_error("pad", {{"shape", int64_t{4}}, {"align", int64_t{0}}}, in),
              HasSubstr("positive"));
  EXPECT_THAT(rearrange_error("pad", {{"axes", Ints{7}}, {"shape", Ints{3}}}, in), HasSubstr("axis 7"));
  EXPECT_EQ(rearrange_error("pad", {{"axes", Ints{0}}, {"shape", Ints{INT64_MAX}}, {"align", Ints{2}}}, in),
            "no tensor can have 9223372036854775807 elements along an axis");
}

}  // namespace
}  // namespace forebay::operators::testing
