#include "forebay/operators/testing/filter_conformance_cases.h"

#include <utility>

namespace forebay::operators::testing {
namespace {

using FilterCases = std::vector<ConformanceCase>;
using FilterDoubles = std::vector<double>;
using FilterIntegers = std::vector<int64_t>;

TensorOfSample pixels(Shape shape, Layout layout, DType dtype = DType::kUint8) {
  return [spec = TensorSpec{shape, dtype, layout}](uint64_t sample) { return noise(spec, sample); };
}

template <class T>
TensorOfSample always(std::vector<T> values, Shape shape, Layout layout = {}) {
  return [values = std::move(values), shape, layout](uint64_t) {
    return *Tensor::copy_of<T>(values, shape, layout);
  };
}

int64_t dtype_number(DType dtype) {
  return static_cast<int64_t>(dtype);
}

void add_frames(FilterCases* cases) {
  const TensorOfSample video = pixels({3, 6, 7, 3}, "FHWC");
  const TensorOfSample numbers = always<float>({0.5f, 1.0f, 1.5f}, {3}, "F");
  for (const auto& [op, argument] : {std::pair("brightness", "brightness"),
                                     {"contrast", "contrast"},
                                     {"brightness_contrast", "brightness_shift"},
                                     {"hue", "hue"},
                                     {"saturation", "saturation"},
                                     {"hsv", "value"},
                                     {"color_twist", "hue"},
                                     {"rotate", "angle"}}) {
    cases->push_back({op, "by frames", {}, {video}, {{argument, numbers}}});
  }
  cases->push_back({"rotate",
                    "of volumes by frames",
                    {{"angle", 20.0}},
                    {pixels({2, 3, 4, 5, 1}, "FDHWC")},
                    {{"axis", always<float>({1, 2, 3, 0, 0, 1}, {2, 3}, "F*")}}});
  cases->push_back(
      {"warp_affine",
       "by frames",
       {},
       {pixels({2, 6, 7, 3}, "FHWC"), always<float>({1, 0, 2, 0, 1, 1, 0, 1, 0, 1, 0, 0}, {2, 2, 3}, "F**")},
       {}});
}

void add_convolutions(FilterCases* cases) {
  const TensorOfSample image = pixels({6, 7, 3}, "HWC");
  cases->push_back({"gaussian_blur", "", {{"sigma", 1.2}}, {image}, {}});
  cases->push_back({"gaussian_blur",
                    "of volumes",
                    {{"window_size", FilterIntegers{3, 5, 7}}, {"dtype", dtype_number(DType::kFloat)}},
                    {pixels({4, 5, 6}, "DHW", DType::kInt16)},
                    {}});
  cases->push_back({"gaussian_blur",
                    "by frames",
                    {},
                    {pixels({2, 3, 6, 7}, "FCHW")},
                    {{"sigma", always<float>({0.5f, 2.0f}, {2, 1}, "F*")}}});
  cases->push_back({"gaussian_blur", "wide", {{"sigma", 9.0}}, {pixels({60, 90, 3}, "HWC")}, {}});
  cases->push_back(
      {"laplacian", "", {{"window_size", int64_t{5}}, {"normalized_kernel", true}}, {image}, {}});
  cases->push_back({"laplacian",
                    "of volumes",
                    {{"smoothing_size", int64_t{1}}, {"scale", FilterDoubles{1, 2, 3}}},
                    {pixels({4, 5, 6, 2}, "DHWC", DType::kFloat)},
                    {}});
  const TensorOfSample weights = always<float>({0.1f, -0.2f, 0.3f, 0.4f, 0.5f, -0.6f}, {2, 3});
  for (const char* border : {"reflect_101", "reflect_1001", "wrap", "clamp", "constant"}) {
    cases->push_back({"filter", border, {{"border", std::string(border)}}, {image, weights}, {}});
  }
  cases->push_back({"filter",
                    "of volumes",
                    {{"mode", std::string("valid")}},
                    {pixels({4, 5, 6}, "DHW", DType::kFloat), pixels({2, 2, 3}, {}, DType::kFloat)},
                    {}});
  cases->push_back({"filter",
                    "by frames",
                    {{"border", std::string("constant")}, {"anchor", FilterIntegers{0, 2}}},
                    {pixels({2, 6, 7, 3}, "FHWC"), pixels({2, 2, 3}, "F**", DType::kFloat),
                     always<float>({7, 200}, {2}, "F")},
                    {}});
}

void add_ranks(FilterCases* cases) {
  const TensorOfSample image = pixels({6, 7, 3}, "HWC");
  cases->push_back({"experimental.median_blur", "", {}, {image}, {}});
  cases->push_back({"experimental.median_blur",
                    "wide",
                    {{"window_size", FilterIntegers{9, 7}}},
                    {pixels({20, 30, 2}, "HWC")},
                    {}});
  cases->push_back({"experimental.median_blur",
                    "of floats",
                    {{"window_size", int64_t{5}}},
                    {pixels({6, 7}, "HW", DType::kFloat)},
                    {}});
  for (const char* op : {"experimental.dilate", "experimental.erode"}) {
    cases->push_back({op, "", {}, {image}, {}});
    cases->push_back({op,
                      "several times",
                      {{"mask_size", FilterIntegers{4, 2}},
                       {"anchor", FilterIntegers{0, 1}},
                       {"iterations", int64_t{3}},
                       {"border_mode", std::string("wrap")}},
                      {pixels({2, 6, 7}, "CHW", DType::kFloat)},
                      {}});
  }
  cases->push_back(
      {"jpeg_compression_distortion", "", {{"quality", int64_t{10}}}, {pixels({20, 30, 3}, "HWC")}, {}});
  cases->push_back({"jpeg_compression_distortion",
                    "by frames",
                    {},
                    {pixels({2, 9, 8, 3}, "FHWC")},
                    {{"quality", always<int32_t>({1, 99}, {2}, "F")}}});
}

void add_remaps(FilterCases* cases) {
  const TensorOfSample image = pixels({6, 7, 3}, "HWC");
  for (const char* op : {"water", "sphere", "jitter"}) {
    cases->push_back({op, "", {}, {image}, {}});
    cases->push_back({op, "linear", {{"interp_type", int64_t{1}}, {"fill_value", 9.0}}, {image}, {}});
    cases->push_back({op, "switched off", {{"mask", int64_t{0}}}, {image}, {}});
  }
  const TensorOfSample map = pixels({4, 5}, {}, DType::kFloat);
  cases->push_back({"experimental.remap", "", {}, {image, map, map}, {}});
  cases->push_back({"experimental.remap",
                    "cubic",
                    {{"interp", int64_t{2}}, {"pixel_origin", std::string("center")}},
                    {image, map, map},
                    {}});
  const FilterDoubles matrix{1, 0.1, 2, -0.1, 1, 1, 0.01, 0.02, 1};
  cases->push_back({"experimental.warp_perspective", "", {{"matrix", matrix}}, {image}, {}});
  cases->push_back(
      {"experimental.warp_perspective",
       "by frames",
       {{"inverse_map", false}, {"size", FilterDoubles{5, 9}}, {"border_mode", std::string("wrap")}},
       {pixels({2, 3, 6, 7}, "FCHW", DType::kFloat),
        always<float>({1, 0, 2, 0, 1, 1, 0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 1}, {2, 3, 3}, "F**")},
       {}});
}

void add_pastes(FilterCases* cases) {
  const TensorOfSample image = pixels({6, 7, 3}, "HWC");
  cases->push_back({"multi_paste",
                    "of several inputs",
                    {{"output_size", FilterIntegers{9, 10}}, {"dtype", dtype_number(DType::kFloat)}},
                    {image, image},
                    {{"out_anchors", always<int32_t>({0, 0, 3, 3}, {2, 2})}}});
  cases->push_back({"multi_paste",
                    "of the batch",
                    {{"in_ids", FilterIntegers{0, 0}}, {"shapes_rel", FilterDoubles{0.5, 0.5, 1, 0.1}}},
                    {image},
                    {}});
  cases->push_back({"tensor_resize",
                    "",
                    {{"scales", FilterDoubles{0.5, 1.7}}, {"axes", FilterIntegers{0, 1}}},
                    {image},
                    {}});
  cases->push_back({"tensor_resize",
                    "of one axis",
                    {{"sizes", FilterDoubles{9}}, {"axes", FilterIntegers{2}}},
                    {image},
                    {}});
  for (const char* op : {"resize_crop_mirror", "fast_resize_crop_mirror"}) {
    cases->push_back(
        {op,
         "",
         {{"size", FilterDoubles{12, 11}}, {"crop", FilterDoubles{5, 6}}, {"mirror", int64_t{3}}},
         {image},
         {}});
  }
}

void add_histograms_and_mosaics(FilterCases* cases) {
  for (const bool is_lightness : {true, false}) {
    cases->push_back(
        {"clahe",
         is_lightness ? "of lightness" : "of channels",
         {{"tiles_x", int64_t{2}}, {"tiles_y", int64_t{3}}, {"clip_limit", 2.0}, {"luma_only", is_lightness}},
         {pixels({20, 31, 3}, "HWC")},
         {}});
  }
  for (const char* algorithm : {"bilinear_ocv", "edgeaware_ocv", "vng_ocv", "gray_ocv"}) {
    cases->push_back({"debayer",
                      algorithm,
                      {{"blue_position", FilterIntegers{0, 1}}, {"algorithm", std::string(algorithm)}},
                      {pixels({10, 12}, "HW")},
                      {}});
  }
}

}  // namespace

std::vector<ConformanceCase> filter_conformance_cases() {
  FilterCases cases;
  for (const auto add :
       {add_frames, add_convolutions, add_ranks, add_remaps, add_pastes, add_histograms_and_mosaics}) {
    add(&cases);
  }
  return cases;
}

}  // namespace forebay::operators::testing
