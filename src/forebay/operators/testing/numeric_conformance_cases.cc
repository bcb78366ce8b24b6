#include "forebay/operators/testing/numeric_conformance_cases.h"

#include <utility>

namespace forebay::operators::testing {
namespace {

using Doubles = std::vector<double>;
using Integers = std::vector<int64_t>;
using CaseList = std::vector<ConformanceCase>;

TensorOfSample numbers(Shape shape, DType dtype = DType::kFloat, Layout layout = {}) {
  return [spec = TensorSpec{shape, dtype, layout}](uint64_t sample) { return noise(spec, sample); };
}

template <class T>
TensorOfSample same(std::vector<T> values, Shape shape, Layout layout = {}) {
  return [values = std::move(values), shape, layout](uint64_t) {
    return *Tensor::copy_of<T>(values, shape, layout);
  };
}

int64_t of_type(DType dtype) {
  return static_cast<int64_t>(dtype);
}

void add_fills(CaseList* cases) {
  for (const char* name : {"zeros", "ones"}) {
    cases->push_back({name, "", {{"shape", Integers{2, 3}}, {"layout", std::string("HW")}}, {}, {}});
    cases->push_back(
        {std::string(name) + "_like", "", {{"dtype", of_type(DType::kFloat16)}}, {numbers({2, 3})}, {}});
  }
  cases->push_back({"full", "", {{"shape", Integers{4, 2, 3}}}, {numbers({2, 1})}, {}});
  cases->push_back(
      {"full_like", "", {}, {numbers({4, 2, 3}, DType::kUint8, "HWC"), numbers({3}, DType::kInt32)}, {}});
  cases->push_back({"lookup_table",
                    "",
                    {{"keys", Integers{3, 200, 3}}, {"values", Doubles{0.5, 7, 9}}, {"default_value", 2.0}},
                    {numbers({6, 7}, DType::kUint8)},
                    {}});
}

void add_reductions(CaseList* cases) {
  const TensorOfSample in = numbers({6, 7, 3}, DType::kInt16, "HWC");
  for (const char* name : {"sum", "mean", "mean_square", "rms", "min", "max"}) {
    cases->push_back({std::string("reductions.") + name, "", {{"axes", Integers{0, -1}}}, {in}, {}});
    cases->push_back({std::string("reductions.") + name,
                      "of all",
                      {{"keep_dims", true}},
                      {numbers({90, 110, 3}, DType::kFloat, "HWC")},
                      {}});
  }
  for (const char* name : {"variance", "std_dev"}) {
    cases->push_back({std::string("reductions.") + name,
                      "",
                      {{"axis_names", std::string("HW")}, {"ddof", int64_t{1}}},
                      {in, numbers({3})},
                      {}});
  }
}

void add_transforms(CaseList* cases) {
  const TensorOfSample transform = numbers({2, 3});
  const auto add = [&](const char* name, std::string what, std::map<std::string, Value> constants,
                       std::map<std::string, TensorOfSample> tensors = {}) {
    cases->push_back({std::string("transforms.") + name,
                      std::move(what),
                      std::move(constants),
                      {transform},
                      std::move(tensors)});
  };
  add("translation", "", {{"offset", Doubles{1, 2}}});
  add("translation", "by frames", {{"reverse_order", true}},
      {{"offset", numbers({4, 2}, DType::kFloat, "F*")}});
  add("scale", "", {{"scale", Doubles{3}}, {"center", Doubles{1, 2}}});
  add("rotation", "", {{"angle", 33.0}}, {{"center", numbers({2}, DType::kInt32)}});
  add("shear", "", {{"angles", Doubles{20, -30}}});
  add("crop", "", {{"to_end", Doubles{7}}, {"absolute", true}}, {{"from_end", numbers({2})}});
  cases->push_back(
      {"transforms.rotation", "in space", {{"axis", Doubles{1, 2, 3}}, {"angle", 40.0}}, {}, {}});
  cases->push_back({"transforms.combine", "", {}, {transform, transform, numbers({2, 3})}, {}});
}

void add_boxes(CaseList* cases) {
  cases->push_back({"bb_flip", "", {{"ltrb", true}, {"vertical", int64_t{1}}}, {numbers({5, 4})}, {}});
  cases->push_back({"bbox_paste", "", {{"ratio", 1.7}}, {numbers({5, 4})}, {{"paste_x", numbers({})}}});
  cases->push_back({"coord_flip",
                    "",
                    {{"layout", std::string("yx")}},
                    {numbers({5, 2})},
                    {{"flip_y", numbers({}, DType::kInt32)}}});
  cases->push_back({"coord_transform",
                    "",
                    {{"M", Doubles{1, 2, 3, 4, 5, 6}}, {"T", Doubles{1, 2}}},
                    {numbers({6, 3})},
                    {}});
  cases->push_back({"coord_transform",
                    "by frames",
                    {{"dtype", of_type(DType::kInt16)}},
                    {numbers({2, 5, 2}, DType::kInt16, "FNX")},
                    {{"MT", numbers({2, 3, 3}, DType::kFloat, "F**")}}});
  cases->push_back(
      {"roi_random_crop",
       "",
       {{"crop_shape", Integers{2, 5}}, {"roi_start", Integers{1, 2}}, {"roi_end", Integers{4, 4}}},
       {numbers({6, 7, 3}, DType::kUint8)},
       {}});
}

void add_sequences(CaseList* cases) {
  const TensorOfSample frames = numbers({4, 5, 3}, DType::kUint8, "FHW");
  cases->push_back({"element_extract", "", {{"element_map", Integers{3, 0}}}, {frames}, {}});
  cases->push_back({"sequence_rearrange", "", {{"new_order", Integers{3, 0, 3}}}, {frames}, {}});
  cases->push_back(
      {"sequence_rearrange", "by a tensor", {}, {frames}, {{"new_order", same<int32_t>({1, 2}, {2})}}});
  cases->push_back({"per_frame", "", {{"replace", true}}, {frames}, {}});
  cases->push_back({"random.beta", "", {{"alpha", 0.5}, {"shape", Integers{2, 3}}}, {}, {}});
  cases->push_back({"batch_permutation", "", {{"no_fixed_points", true}}, {}, {}});
}

void add_noise_and_masks(CaseList* cases) {
  const TensorOfSample image = numbers({6, 7, 3}, DType::kUint8, "HWC");
  cases->push_back({"noise.gaussian", "", {{"mean", 3.0}}, {image}, {{"stddev", numbers({})}}});
  cases->push_back({"noise.shot", "", {{"factor", 5.0}}, {image}, {}});
  cases->push_back({"noise.shot", "of floats", {{"factor", 0.001}}, {numbers({6, 7}, DType::kFloat)}, {}});
  cases->push_back({"noise.salt_and_pepper", "", {{"prob", 0.4}}, {image}, {}});
  cases->push_back({"noise.salt_and_pepper",
                    "by channels",
                    {{"prob", 0.4}, {"per_channel", true}, {"salt_val", 7.0}},
                    {image},
                    {}});
  cases->push_back({"grid_mask", "", {{"tile", int64_t{3}}, {"angle", 0.3}}, {image}, {}});
  cases->push_back({"paste", "", {{"fill_value", Integers{7}}, {"ratio", 1.5}}, {image}, {}});
}

}  // namespace

std::vector<ConformanceCase> numeric_conformance_cases() {
  CaseList cases;
  for (const auto add :
       {add_fills, add_reductions, add_transforms, add_boxes, add_sequences, add_noise_and_masks}) {
    add(&cases);
  }
  return cases;
}

}  // namespace forebay::operators::testing
