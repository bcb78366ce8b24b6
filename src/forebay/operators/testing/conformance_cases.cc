#include "forebay/operators/testing/conformance_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <utility>

#include "forebay/base/random/random.h"
#include "forebay/codec/testing/encode_jpeg.h"
#include "forebay/dataset/testing/record_files.h"
#include "forebay/operators/testing/augment_conformance_cases.h"
#include "forebay/operators/testing/detection_conformance_cases.h"
#include "forebay/operators/testing/file_conformance_cases.h"
#include "forebay/operators/testing/filter_conformance_cases.h"
#include "forebay/operators/testing/numeric_conformance_cases.h"
#include "forebay/operators/testing/signal_conformance_cases.h"

namespace forebay::operators::testing {
namespace {

using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;
using Texts = std::vector<std::string>;

constexpr int64_t kSourceSamples = 11;

int64_t number_of(DType dtype) {
  return static_cast<int64_t>(dtype);
}

TensorOfSample noisy(TensorSpec spec) {
  return [spec](uint64_t sample) { return noise(spec, sample); };
}

TensorOfSample image(DType dtype = DType::kUint8) {
  return noisy({{6, 7, 3}, dtype, "HWC"});
}

// Large enough that its scratch memory is counted.
TensorOfSample large_image(DType dtype = DType::kUint8) {
  return noisy({{90, 110, 3}, dtype, "HWC"});
}

TensorOfSample volume() {
  return noisy({{3, 5, 4, 2}, DType::kUint8, "DHWC"});
}

// A scalar chosen from `values` by the sample's number.
template <class T>
TensorOfSample scalars(std::vector<T> values) {
  return [values](uint64_t sample) { return *Tensor::scalar<T>(values[sample % values.size()]); };
}

template <class T>
TensorOfSample vector_of(std::vector<T> values) {
  return [values](uint64_t) { return *Tensor::copy_of<T>(values, {static_cast<int64_t>(values.size())}); };
}

Tensor bytes_of(Bytes bytes) {
  return *Tensor::copy_of_bytes(bytes, {{static_cast<int64_t>(bytes.size())}, DType::kUint8, {}});
}

TensorOfSample photo() {
  return [](uint64_t sample) {
    codec::testing::JpegOptions options{.height = 24 + static_cast<int>(sample % 3), .width = 31};
    options.sampling_x = 1 + static_cast<int>(sample % 2);
    options.is_progressive = sample % 4 == 1;
    options.exif_orientation = static_cast<int>(sample % 9);
    return bytes_of(codec::testing::test_jpeg(options));
  };
}

using Cases = std::vector<ConformanceCase>;

void add_colors(Cases* cases) {
  cases->push_back({"brightness", "", {{"brightness", 1.3}}, {image()}, {}});
  cases->push_back(
      {"brightness_contrast", "", {{"contrast", 0.7}, {"brightness_shift", 0.1}}, {image()}, {}});
  cases->push_back({"contrast", "", {{"contrast", 1.7}}, {image(DType::kFloat)}, {}});
  cases->push_back(
      {"color_twist", "", {{"saturation", 0.6}}, {image()}, {{"hue", scalars<float>({10, 200})}}});
  cases->push_back({"hue", "", {{"hue", 33.0}}, {image()}, {}});
  cases->push_back({"saturation", "", {{"saturation", 1.4}}, {image()}, {}});
  cases->push_back({"hsv", "", {{"hue", 80.0}, {"value", 0.7}}, {image()}, {}});
  cases->push_back({"color_space_conversion",
                    "",
                    {{"image_type", int64_t{0}}, {"output_type", int64_t{3}}},
                    {image()},
                    {}});
}

void add_arithmetic(Cases* cases) {
  const auto add = [&](std::string op, std::vector<TensorOfSample> operands) {
    cases->push_back({"_arithmetic", op, {{"op", op}}, std::move(operands), {}});
  };
  add("add", {image(), noisy({{3}, DType::kFloat, "C"})});
  add("mul", {image(), image(DType::kInt32)});
  add("fdiv", {image(DType::kFloat), scalars<float>({2, 3})});
  add("exp", {image(DType::kFloat)});
  add("clamp", {image(), scalars<uint8_t>({10}), scalars<uint8_t>({99})});
  cases->push_back({"cast", "", {{"dtype", number_of(DType::kInt16)}}, {image(DType::kFloat)}, {}});
  cases->push_back({"cast_like", "", {}, {image(), scalars<float>({1})}, {}});
  cases->push_back({"constant", "", {{"idata", Ints{1, -2, 300, 4}}, {"shape", Ints{2, 2}}}, {}, {}});
  cases->push_back({"one_hot", "", {{"num_classes", int64_t{4}}}, {scalars<int32_t>({0, 3, 9})}, {}});
}

void add_shapes(Cases* cases) {
  cases->push_back({"cat", "", {{"axis", int64_t{1}}}, {image(), image(), image()}, {}});
  cases->push_back({"stack", "", {{"axis", int64_t{0}}}, {image(), image()}, {}});
  cases->push_back(
      {"expand_dims", "", {{"axes", Ints{1}}, {"new_axis_names", std::string("X")}}, {image()}, {}});
  cases->push_back({"squeeze", "", {{"axes", Ints{1}}}, {noisy({{4, 1, 3}, DType::kUint8, "HWC"})}, {}});
  cases->push_back({"get_property", "", {{"key", std::string("layout")}}, {image()}, {}});
  cases->push_back({"pad", "", {{"axes", Ints{0, 1}}, {"shape", Ints{9, 8}}}, {image()}, {}});
  cases->push_back({"pad", "to the largest", {{"align", Ints{4}}}, {image()}, {}});
  cases->push_back({"reinterpret",
                    "",
                    {{"dtype", number_of(DType::kUint16)}},
                    {noisy({{4, 8}, DType::kUint8, "HW"})},
                    {}});
  cases->push_back({"reshape", "", {{"shape", Ints{-1, 3}}}, {image()}, {}});
  cases->push_back({"reshape", "by a tensor", {}, {image(), vector_of<int32_t>({2, -1})}, {}});
  cases->push_back({"transpose", "", {{"perm", Ints{2, 0, 1}}}, {image()}, {}});
  cases->push_back({"transpose", "reversed", {}, {image()}, {}});
  cases->push_back({"_subscript",
                    "",
                    {{"num_subscripts", int64_t{2}}, {"at_0", int64_t{-1}}, {"step_1", int64_t{-2}}},
                    {image()},
                    {}});
}

void add_geometry(Cases* cases) {
  cases->push_back({"flip", "", {}, {image()}, {{"vertical", scalars<int32_t>({0, 1})}}});
  cases->push_back({"flip", "in depth", {{"depthwise", int64_t{1}}}, {volume()}, {}});
  cases->push_back({"rotate", "", {}, {image()}, {{"angle", scalars<float>({10, 133})}}});
  cases->push_back({"rotate", "a volume", {{"angle", 25.0}, {"axis", Floats{1, 2, 3}}}, {volume()}, {}});
  cases->push_back({"warp_affine", "", {{"matrix", Floats{1, 0.2, 3, -0.1, 0.9, 2}}}, {image()}, {}});
  cases->push_back({"warp_affine",
                    "by an input",
                    {{"fill_value", 3.0}},
                    {image(),
                     [](uint64_t) {
                       return *Tensor::copy_of<float>(std::vector<float>{1, 0.1f, 2, 0.2f, 1, -3}, {2, 3});
                     }},
                    {}});
}

void add_windows(Cases* cases) {
  cases->push_back(
      {"crop", "", {{"crop", Floats{4, 5}}}, {image()}, {{"crop_pos_x", scalars<float>({0.1f, 0.8f})}}});
  cases->push_back({"crop",
                    "padded",
                    {{"crop", Floats{9, 9}}, {"out_of_bounds_policy", std::string("pad")}},
                    {image()},
                    {}});
  cases->push_back(
      {"slice", "", {{"shape", Ints{3, 4}}}, {image()}, {{"start", vector_of<int32_t>({1, 2})}}});
  cases->push_back(
      {"slice",
       "wrapped",
       {{"start", Ints{-4, -5}}, {"shape", Ints{12, 13}}, {"out_of_bounds_policy", std::string("wrap")}},
       {image()},
       {}});
  cases->push_back(
      {"erase", "", {{"anchor", Floats{1, 2, 0, 0}}, {"shape", Floats{2, 3, 1, 9}}}, {image()}, {}});
  cases->push_back({"random_crop_generator", "", {}, {vector_of<int64_t>({40, 60, 3})}, {}});
}

void add_resampling(Cases* cases) {
  cases->push_back({"resize", "", {{"size", Floats{4, 11}}}, {image()}, {}});
  cases->push_back({"resize",
                    "lanczos",
                    {{"size", Floats{13, 4}}, {"interp_type", int64_t{3}}, {"save_attrs", true}},
                    {image(DType::kFloat)},
                    {}});
  cases->push_back(
      {"resize", "nearest", {{"interp_type", int64_t{0}}}, {image()}, {{"size", vector_of<float>({9, 3})}}});
  cases->push_back({"resize", "a volume", {{"size", Floats{2, 7, 9}}}, {volume()}, {}});
  cases->push_back(
      {"resize", "as Pillow", {{"size", Floats{4, 11}}, {"numerics", std::string("pillow")}}, {image()}, {}});
  cases->push_back(
      {"resize",
       "as torchvision",
       {{"size", Floats{4, 11}}, {"numerics", std::string("torchvision")}, {"interp_type", int64_t{0}}},
       {image()},
       {}});
  cases->push_back({"experimental.resize", "", {{"size", Floats{4, 11}}}, {image()}, {}});
  cases->push_back({"random_resized_crop", "", {{"size", Ints{5, 4}}}, {image()}, {}});
  cases->push_back({"crop_mirror_normalize",
                    "",
                    {{"crop", Floats{4, 5}}, {"mean", Floats{100, 110, 120}}, {"std", Floats{50, 51, 52}}},
                    {image()},
                    {{"mirror", scalars<int32_t>({0, 1})}}});
  cases->push_back(
      {"crop_mirror_normalize",
       "channels last",
       {{"output_layout", std::string("HWC")}, {"pad_output", true}, {"dtype", number_of(DType::kFloat16)}},
       {image()},
       {}});
  cases->push_back({"normalize", "", {{"axes", Ints{0, 1}}}, {image()}, {}});
  cases->push_back({"normalize", "over the batch", {{"batch", true}}, {image()}, {}});
}

void add_large(Cases* cases) {
  cases->push_back({"resize", "large", {{"size", Floats{40, 150}}}, {large_image()}, {}});
  cases->push_back({"resize",
                    "large floats",
                    {{"size", Floats{150, 40}}, {"interp_type", int64_t{2}}},
                    {large_image(DType::kFloat)},
                    {}});
  cases->push_back({"resize",
                    "large, as Pillow",
                    {{"size", Floats{40, 150}}, {"numerics", std::string("pillow")}},
                    {large_image()},
                    {}});
  cases->push_back({"random_resized_crop", "large", {{"size", Ints{60, 70}}}, {large_image()}, {}});
  cases->push_back({"crop_mirror_normalize",
                    "large",
                    {{"mirror", int64_t{1}}, {"mean", Floats{99}}},
                    {large_image()},
                    {}});
  cases->push_back({"normalize", "large", {{"axes", Ints{2}}}, {large_image()}, {}});
  cases->push_back({"rotate", "large", {{"angle", 40.0}}, {large_image()}, {}});
}

void add_decoders(Cases* cases) {
  cases->push_back({"decoders.image", "", {}, {photo()}, {}});
  cases->push_back({"decoders.image",
                    "grey floats",
                    {{"output_type", int64_t{2}}, {"dtype", number_of(DType::kFloat)}},
                    {photo()},
                    {}});
  cases->push_back({"decoders.image_crop",
                    "",
                    {{"crop", Floats{9, 8}}},
                    {photo()},
                    {{"crop_pos_x", scalars<float>({0.2f, 0.9f})}}});
  cases->push_back({"decoders.image_slice",
                    "",
                    {{"rel_start", Floats{0.2, 0.3}}, {"rel_end", Floats{0.8, 0.75}}},
                    {photo()},
                    {}});
  cases->push_back({"decoders.image_random_crop", "", {}, {photo()}, {}});
  cases->push_back({"peek_image_shape", "", {}, {photo()}, {}});
}

void add_random(Cases* cases) {
  cases->push_back({"random.coin_flip", "", {{"probability", 0.3}}, {}, {}});
  cases->push_back({"random.coin_flip", "like a tensor", {}, {image()}, {}});
  cases->push_back({"random.uniform", "", {{"range", Floats{-3, 4}}, {"shape", Ints{2, 3}}}, {}, {}});
  cases->push_back({"random.uniform", "of values", {{"values", Floats{1.5, 7, 9}}}, {}, {}});
  cases->push_back({"random.normal", "", {{"shape", Ints{5}}}, {}, {{"mean", scalars<float>({0, 3})}}});
  cases->push_back({"random.choice", "", {}, {scalars<int64_t>({9})}, {}});
  cases->push_back({"random.choice",
                    "of slices",
                    {{"shape", Ints{4}}, {"p", Floats{0.1, 0.2, 0.7}}},
                    {noisy({{3, 2}, DType::kFloat, {}})},
                    {}});
}

void add_selection(Cases* cases) {
  cases->push_back(
      {"keep", "", {}, {image(), scalars<int32_t>({1, 2})}, {{"where", scalars<bool>({true, false, true})}}});
  cases->push_back({"permute_batch", "", {}, {image()}, {{"indices", scalars<int32_t>({0})}}});
  const TensorOfSample absent = [](uint64_t) { return Tensor(); };
  cases->push_back({"_merge", "the first branch", {{"variable", std::string("x")}}, {image(), absent}, {}});
  cases->push_back({"_merge", "the second branch", {{"variable", std::string("x")}}, {absent, image()}, {}});
  cases->push_back({"_predicate", "", {{"of", std::string("if")}}, {scalars<int32_t>({0, 1})}, {}});
}

/// Of each row that has no case and needs no arguments: its inputs are pictures.
void add_usual(Cases* cases) {
  std::set<std::string> covered;
  for (const ConformanceCase& one : *cases) {
    covered.insert(one.op);
  }
  for (const OperatorSpec& row : all_operators()) {
    const bool needs_arguments = std::ranges::any_of(row.parameters, &ParameterSpec::is_required);
    if (row.scope != Scope::kSource && !needs_arguments && !covered.contains(row.name)) {
      cases->push_back({row.name, "", {}, std::vector(row.min_inputs, image()), {}});
    }
  }
}

void write_file(const std::string& path, std::string_view content) {
  std::ofstream(path, std::ios::binary) << content;
}

/// Annotations of the pictures of source_conformance_cases(): none, one or two objects each.
std::string coco_annotations() {
  std::string images;
  std::string objects;
  for (int64_t i = 0; i < kSourceSamples; ++i) {
    images += fmt::format(R"({}{{"id": {}, "file_name": "{}.jpg", "width": 6, "height": 5}})",
                          i == 0 ? "" : ", ", i, 100 + i);
    for (int64_t object = 0; object < i % 3; ++object) {
      objects += fmt::format(
          R"({}{{"image_id": {}, "category_id": {}, "bbox": [1, 1, 3, {}], "keypoints": [{}, 2, 1],)"
          R"( "segmentation": [[1, 1, 4, 1, 4, 4]]}})",
          objects.empty() ? "" : ", ", i, object, i + 1, i);
    }
  }
  return fmt::format(R"({{"images": [{}], "annotations": [{}], "categories": [{{"id": 0}}, {{"id": 1}}]}})",
                     images, objects);
}

}  // namespace

const std::vector<ConformanceCase>& conformance_cases() {
  static const auto* cases = [] {
    auto* made = new Cases(numeric_conformance_cases());
    std::ranges::move(detection_conformance_cases(), std::back_inserter(*made));
    std::ranges::move(augment_conformance_cases(), std::back_inserter(*made));
    std::ranges::move(filter_conformance_cases(), std::back_inserter(*made));
    std::ranges::move(signal_conformance_cases(), std::back_inserter(*made));
    for (const auto add : {add_colors, add_arithmetic, add_shapes, add_geometry, add_windows, add_resampling,
                           add_large, add_decoders, add_random, add_selection}) {
      add(made);
    }
    const Cases of_files = file_conformance_cases();
    made->insert(made->end(), of_files.begin(), of_files.end());
    add_usual(made);
    return made;
  }();
  return *cases;
}

std::vector<ConformanceCase> source_conformance_cases(const std::string& folder) {
  namespace records = dataset::testing;
  Texts files;
  std::vector<std::pair<std::string, std::string>> members;
  std::string shard;
  for (int64_t i = 0; i < kSourceSamples; ++i) {
    const std::string number = std::to_string(100 + i);
    files.push_back(folder + "/" + number + ".jpg");
    write_file(files.back(), "content of " + number);
    members.emplace_back(number + ".jpg", "picture " + number);
    members.emplace_back(number + ".cls", number);
    shard += records::tfrecord(records::example({{"label", records::int64_feature({i})}}));
  }
  write_file(folder + "/annotations.json", coco_annotations());
  write_file(folder + "/shard.tar", records::tar_archive(members));
  write_file(folder + "/records", shard);
  const std::string feature =
      R"([{"name": "label", "kind": "int64", "fixed": true, "shape": [1], "default": -1}])";
  Cases cases;
  for (const bool shuffled : {false, true}) {
    const std::string what = shuffled ? "shuffled" : "";
    cases.push_back({"readers.file", what, {{"files", files}, {"random_shuffle", shuffled}}, {}, {}});
    cases.push_back({"readers.coco",
                     what,
                     {{"file_root", folder},
                      {"annotations_file", folder + "/annotations.json"},
                      {"pixelwise_masks", true},
                      {"keypoints", true},
                      {"random_shuffle", shuffled}},
                     {},
                     {}});
    cases.push_back({"readers.webdataset",
                     what,
                     {{"paths", Texts{folder + "/shard.tar"}},
                      {"ext", Texts{"jpg", "cls"}},
                      {"random_shuffle", shuffled}},
                     {},
                     {}});
    cases.push_back(
        {"readers.tfrecord",
         what,
         {{"path", Texts{folder + "/records"}}, {"features", feature}, {"random_shuffle", shuffled}},
         {},
         {}});
    const Cases of_records = record_source_cases(folder, kSourceSamples, shuffled);
    cases.insert(cases.end(), of_records.begin(), of_records.end());
  }
  return cases;
}

Tensor noise(const TensorSpec& spec, uint64_t sample) {
  Tensor tensor = *Tensor::allocate(spec);
  RandomStream random(sample + 1, static_cast<uint64_t>(spec.volume()));
  tensor::visit_dtype(spec.dtype, [&](auto tag) {
    using T = typename decltype(tag)::type;
    for (T& element : tensor.mutable_view().template span<T>()) {
      const auto draw = static_cast<int64_t>(random.below(65536));
      if constexpr (std::is_same_v<T, bool>) {
        element = draw % 2 != 0;
      } else if constexpr (std::is_integral_v<T>) {
        element = static_cast<T>(draw);
      } else {
        element = static_cast<T>(static_cast<float>(draw) / 32768.0f - 1.0f);
      }
    }
  });
  return tensor;
}

std::vector<TensorSpec> specs_of_all_layouts(DType dtype) {
  const std::map<char, int64_t> extents{{'H', 6}, {'W', 7}, {'C', 3}, {'D', 4}, {'F', 2}, {'N', 2}};
  std::vector<TensorSpec> specs{{{}, dtype, {}}, {{5}, dtype, {}}, {{6, 7, 3}, dtype, {}}};
  for (const char* layout :
       {"W", "HW", "HWC", "CHW", "FHW", "FHWC", "FCHW", "CFHW", "NHWC", "DHWC", "CDHW", "FDHWC", "FCDHW"}) {
    std::vector<int64_t> shape;
    for (const char axis : std::string_view(layout)) {
      shape.push_back(extents.at(axis));
    }
    specs.push_back({Shape(std::span<const int64_t>(shape)), dtype, layout});
  }
  return specs;
}

std::vector<DType> all_dtypes() {
  return {DType::kUint8, DType::kUint16, DType::kUint32,  DType::kUint64, DType::kInt8,    DType::kInt16,
          DType::kInt32, DType::kInt64,  DType::kFloat16, DType::kFloat,  DType::kFloat64, DType::kBool};
}

}  // namespace forebay::operators::testing
