// A fused chain gives the same bits as its steps, with any arguments.
#include "forebay/operators/fusion/fusion.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/codec/testing/encode_jpeg.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators {
namespace {

using testing::Given;
using testing::HostServices;
using testing::same_bytes;
using testing::tensor_of;
using testing::test_image;

using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;

Tensor jpeg(int height = 61, int width = 83, bool is_progressive = false) {
  const std::vector<std::byte> bytes = codec::testing::test_jpeg(
      {.height = height, .width = width, .sampling_x = 2, .sampling_y = 2, .is_progressive = is_progressive});
  return *Tensor::copy_of_bytes(bytes, {Shape{static_cast<int64_t>(bytes.size())}, DType::kUint8, {}});
}

struct Link {
  std::string name;
  std::map<std::string, Value> constants;
  std::map<std::string, Tensor> tensors;
};

class Chain {
 public:
  explicit Chain(const std::vector<Link>& links) {
    for (const Link& link : links) {
      steps_.push_back(make_step(link));
    }
  }

  Fusion fused() const { return fuse(steps_); }

  Result<Tensor> run(const Operator& op, const Tensor& input, int first_slot = 0,
                     uint64_t operator_key = 0) const {
    HostServices services;
    SampleIdentity identity;
    identity.position = 17;
    std::vector<Tensor> inputs{input};
    std::vector<Tensor> outputs(1);
    const std::span<const Tensor> arguments = std::span(arguments_).subspan(first_slot);
    Sample sample(identity, random_key(kSeed, 0, operator_key), inputs, arguments, outputs, services);
    FOREBAY_RETURN_IF_ERROR(op.run(sample));
    return outputs[0];
  }

  Result<Tensor> unfused(Tensor input) const {
    for (const FusionStep& step : steps_) {
      FOREBAY_ASSIGN_OR_RETURN(input, run(*step.op, input, step.first_slot, step.operator_key));
    }
    return input;
  }

 private:
  FusionStep make_step(const Link& link) {
    const OperatorSpec* spec = *find_operator(link.name);
    Arguments arguments;
    arguments.constants = link.constants;
    arguments.num_inputs = 1;
    const auto first_slot = static_cast<int>(arguments_.size());
    for (const auto& [name, tensor] : link.tensors) {
      arguments.tensors[name] = static_cast<int>(arguments_.size()) - first_slot;
      arguments_.push_back(tensor);
    }
    auto op = spec->create(arguments);
    EXPECT_TRUE(op.ok()) << op.status();
    const auto num_slots = static_cast<int>(arguments_.size()) - first_slot;
    return {spec, *std::move(op), first_slot, num_slots, kSeed, 100 + steps_.size(), link.name};
  }

  static constexpr uint64_t kSeed = 4711;

  std::vector<Tensor> arguments_;
  std::vector<FusionStep> steps_;
};

void expect_same(const std::vector<Link>& links, const Tensor& input) {
  const Chain chain(links);
  const Fusion fusion = chain.fused();
  ASSERT_NE(fusion.op, nullptr);
  ASSERT_EQ(fusion.count, static_cast<int>(links.size()));
  const auto expected = chain.unfused(input);
  const auto fused = chain.run(*fusion.op, input);
  ASSERT_TRUE(expected.ok()) << expected.status();
  ASSERT_TRUE(fused.ok()) << fused.status();
  EXPECT_TRUE(same_bytes(*fused, *expected))
      << fused->spec().to_string() << " " << expected->spec().to_string();
}

const Link kNormalize{
    "crop_mirror_normalize", {{"mean", Floats{123, 116, 103}}, {"std", Floats{58, 57, 57}}}, {}};

TEST(Fusion, TheMainChain) {
  for (const char* decoder : {"decoders.image", "decoders.image_random_crop"}) {
    for (const int64_t mirror : {0, 1}) {
      Link normalize = kNormalize;
      normalize.tensors["mirror"] = *Tensor::scalar<int32_t>(static_cast<int32_t>(mirror));
      const Link resize{"resize", {{"size", Floats{24, 28}}}, {}};
      expect_same({{decoder, {}, {}}, resize, normalize}, jpeg());
      expect_same({{decoder, {}, {}}, resize, normalize}, jpeg(37, 11, true));
    }
  }
}

TEST(Fusion, RandomResizedCropReadsOnlyItsWindow) {
  expect_same({{"decoders.image", {}, {}}, {"random_resized_crop", {{"size", Ints{20, 20}}}, {}}, kNormalize},
              jpeg());
  expect_same({{"random_resized_crop", {{"size", Ints{20, 20}}}, {}}, kNormalize}, test_image({40, 50, 3}));
}

TEST(Fusion, EveryFilterAndDirection) {
  for (int64_t filter = 0; filter < 6; ++filter) {
    for (const Floats& size : {Floats{20, 24}, Floats{150, 160}, Floats{-33, 20}, Floats{70, -120}}) {
      const Link resize{"resize", {{"size", size}, {"interp_type", filter}}, {}};
      expect_same({{"decoders.image", {}, {}}, resize, kNormalize}, jpeg());
    }
  }
}

TEST(Fusion, NearestNeighboursOfEachNumerics) {
  for (const char* numerics : {"dali", "exact", "torchvision", "pillow"}) {
    for (const Floats& size : {Floats{28, 45}, Floats{23, 110}}) {
      const Link resize{"resize", {{"size", size}, {"interp_type", int64_t{0}}, {"numerics", numerics}}, {}};
      expect_same({{"decoders.image", {}, {}}, resize, kNormalize}, jpeg());
    }
  }
}

TEST(Fusion, WindowsOfAllThreeSteps) {
  const Link decode{"decoders.image_crop", {{"crop", Floats{50, 60}}, {"crop_pos_x", 0.9}}, {}};
  const Link resize{"resize",
                    {{"size", Floats{40, 40}}, {"roi_start", Floats{3.5, 7}}, {"roi_end", Floats{41, 52.25}}},
                    {}};
  Link normalize = kNormalize;
  normalize.constants["crop"] = Floats{32, 30};
  normalize.constants["crop_pos_y"] = 0.1;
  expect_same({decode, resize, normalize}, jpeg());
  normalize.constants["mirror"] = int64_t{1};
  expect_same({decode, normalize}, jpeg());
  expect_same({{"decoders.image_slice", {{"start", Ints{5, 6}}, {"shape", Ints{40, 41}}}, {}}, resize},
              jpeg());
}

TEST(Fusion, EveryOutputTypeAndLayout) {
  for (const int64_t dtype : {0, 4, 8, 9}) {
    for (const char* layout : {"CHW", "HWC"}) {
      for (const bool is_padded : {false, true}) {
        Link normalize = kNormalize;
        normalize.constants["dtype"] = dtype;
        normalize.constants["output_layout"] = layout;
        normalize.constants["pad_output"] = is_padded;
        normalize.constants["fill_values"] = 3.0;
        expect_same({{"decoders.image", {}, {}}, {"resize", {{"size", 33.0}}, {}}, normalize}, jpeg());
        expect_same({{"decoders.image", {}, {}}, normalize}, jpeg());
      }
    }
  }
}

TEST(Fusion, SamplesThatDoNotStreamGoStepByStep) {
  const Link resize{"resize", {{"size", 20.0}}, {}};
  Link scalar = kNormalize;
  scalar.constants["mean"] = 1.0;
  scalar.constants["std"] = 2.0;
  expect_same({resize, scalar}, test_image({30, 40, 6}));
  expect_same({{"decoders.image", {{"output_type", int64_t{2}}}, {}}, resize, scalar}, jpeg());
  expect_same({{"decoders.image", {{"dtype", int64_t{9}}}, {}}, resize, kNormalize}, jpeg());
  Link pad = kNormalize;
  pad.constants["crop"] = Floats{40, 40};
  pad.constants["out_of_bounds_policy"] = "pad";
  expect_same({{"decoders.image", {}, {}}, resize, pad}, jpeg());
  expect_same({{"resize", {{"size", 20.0}, {"numerics", "pillow"}}, {}}, kNormalize},
              test_image({30, 40, 3}));
  Link frames = scalar;
  frames.constants["output_layout"] = "FCHW";
  expect_same({resize, frames}, test_image({2, 30, 40, 3}, "FHWC"));
}

TEST(Fusion, EachStepHasItsOwnArguments) {
  const Link resize{"resize", {}, {{"size", tensor_of<float>({22, 27}, {2})}}};
  Link normalize = kNormalize;
  normalize.constants.erase("mean");
  normalize.tensors = {{"mean", tensor_of<float>({1, 2, 3}, {3})}, {"mirror", *Tensor::scalar<int32_t>(1)}};
  const Link decode{"decoders.image_crop",
                    {},
                    {{"crop_h", *Tensor::scalar<float>(30)}, {"crop_w", *Tensor::scalar<float>(31)}}};
  expect_same({decode, resize, normalize}, jpeg());
}

TEST(Fusion, TakesTheLongestBeginning) {
  const Link decode{"decoders.image", {}, {}};
  const Link resize{"resize", {{"size", 20.0}}, {}};
  EXPECT_EQ(Chain({decode, resize, kNormalize, resize}).fused().count, 3);
  EXPECT_EQ(Chain({decode, resize, resize}).fused().count, 2);
  EXPECT_EQ(Chain({resize, decode}).fused().op, nullptr);
  EXPECT_EQ(Chain({resize}).fused().op, nullptr);
  EXPECT_EQ(Chain({decode, {"resize", {{"size", 20.0}, {"save_attrs", true}}, {}}}).fused().op, nullptr);
}

TEST(Fusion, EachStepDrawsItsOwnNumbers) {
  const Link decode{"decoders.image_random_crop", {}, {}};
  const Link resize{"random_resized_crop", {{"size", Ints{20, 20}}}, {}};
  expect_same({decode, resize, kNormalize}, jpeg());
  expect_same({decode, resize}, jpeg(37, 11, true));
  const Link floats{"decoders.image_random_crop", {{"dtype", int64_t{9}}}, {}};
  expect_same({floats, resize, kNormalize}, jpeg());  // runs step by step
  Link filtered = resize;
  filtered.tensors["interp_type"] = *Tensor::scalar<int32_t>(2);
  expect_same({decode, filtered, kNormalize}, jpeg());
}

TEST(Fusion, ErrorsNameTheStep) {
  const Chain chain({{"decoders.image", {}, {}}, {"resize", {{"size", Floats{1, 2, 3}}}, {}}});
  const auto status = chain.run(*chain.fused().op, jpeg()).status();
  EXPECT_THAT(std::string(message(status)), ::testing::StartsWith("operator 'resize': "));
}

}  // namespace
}  // namespace forebay::operators
