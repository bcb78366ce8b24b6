#include "forebay/operators/decoders/decoders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "forebay/codec/testing/encode_jpeg.h"
#include "forebay/codec/testing/encode_png.h"
#include "forebay/codec/testing/sample_images.h"
#include "forebay/operators/testing/operator_harness.h"
#include "forebay/operators/testing/tensors.h"

namespace forebay::operators {
namespace {

using ::testing::ElementsAre;
using testing::Given;
using ::testing::HasSubstr;
using testing::run_operator;
using testing::same_bytes;
using testing::tensor_of;
using testing::values_of;

using Floats = std::vector<double>;
using Ints = std::vector<int64_t>;
using Constants = std::map<std::string, Value>;

Tensor jpeg_with(codec::testing::JpegOptions options = {
                     .height = 60, .width = 80, .sampling_x = 2, .sampling_y = 2}) {
  const std::vector<std::byte> bytes = codec::testing::test_jpeg(options);
  return *Tensor::copy_of_bytes(bytes, {Shape{static_cast<int64_t>(bytes.size())}, DType::kUint8, {}});
}

Tensor run(std::string_view name, std::vector<Tensor> inputs, const Given& given = {}) {
  auto out = run_operator(name, std::move(inputs), given);
  EXPECT_TRUE(out.ok()) << out.status();
  return out.ok() ? (*out)[0] : Tensor();
}

TEST(DecodersImage, GivesTheImage) {
  const Tensor image = run("decoders.image", {jpeg_with()});
  EXPECT_EQ(image.spec(), (TensorSpec{{60, 80, 3}, DType::kUint8, "HWC"}));
  const Tensor encoded = jpeg_with();
  EXPECT_EQ(values_of<uint8_t>(image),
            codec::testing::plain_jpeg_pixels(encoded.bytes(), codec::OutputType::kRgb));
}

TEST(DecodersImage, ConvertsColoursAndTypes) {
  EXPECT_EQ(run("decoders.image", {jpeg_with()}, {.constants = {{"output_type", int64_t{2}}}}).shape(),
            (Shape{60, 80, 1}));
  const Tensor image = run("decoders.image", {jpeg_with()}, {.constants = {{"dtype", int64_t{9}}}});
  EXPECT_EQ(image.dtype(), DType::kFloat);
}

TEST(DecodersImage, RefusesLargeImagesBeforeAnythingIsAllocated) {
  const auto status =
      run_operator("decoders.image", {jpeg_with()}, {.constants = {{"max_pixels", int64_t{100}}}}).status();
  EXPECT_EQ(status.code(), StatusCode::kResourceExhausted) << status;
  const auto bytes =
      run_operator("decoders.image", {jpeg_with()}, {.constants = {{"max_bytes", int64_t{1000}}}}).status();
  EXPECT_EQ(bytes.code(), StatusCode::kResourceExhausted) << bytes;
  EXPECT_THAT(std::string(message(bytes)), HasSubstr("max_bytes"));
}

TEST(DecodersImage, RefusesALimitOfNothing) {
  for (const char* const limit : {"max_pixels", "max_bytes", "max_expansion"}) {
    const auto status =
        run_operator("decoders.image", {jpeg_with()}, {.constants = {{limit, int64_t{0}}}}).status();
    EXPECT_EQ(status.code(), StatusCode::kInvalidArgument) << status;
    EXPECT_THAT(std::string(message(status)), HasSubstr(limit));
  }
}

TEST(DecodersImage, RefusesProgressiveImagesOfManyScansAndBlocks) {
  const Tensor progressive = jpeg_with({.height = 60, .width = 80, .is_progressive = true});
  for (const char* const limit : {"max_scans", "max_blocks_scanned"}) {
    const auto refused = [&](int64_t most) {
      return run_operator("decoders.image", {progressive}, {.constants = {{limit, most}}}).status();
    };
    EXPECT_EQ(refused(100'000), ok_status());
    EXPECT_EQ(refused(2).code(), StatusCode::kResourceExhausted);
    EXPECT_THAT(std::string(message(refused(2))), HasSubstr(limit));
    EXPECT_EQ(refused(0).code(), StatusCode::kInvalidArgument);
  }
}

TEST(DecodersImage, SaysWhatIsWrong) {
  const auto status = run_operator("decoders.image", {tensor_of<uint8_t>({1, 2, 3, 4}, {2, 2})}).status();
  EXPECT_THAT(std::string(message(status)), HasSubstr("encoded bytes"));
  const auto text = run_operator("decoders.image", {tensor_of<uint8_t>({'h', 'i'}, {2})}).status();
  EXPECT_FALSE(text.ok());
  const auto dtype =
      run_operator("decoders.image", {jpeg_with()}, {.constants = {{"dtype", int64_t{7}}}}).status();
  EXPECT_THAT(std::string(message(dtype)), HasSubstr("not to int64"));
}

TEST(DecodersImageCrop, EqualsACropOfTheImage) {
  const Constants crop{{"crop", Floats{20, 30}}, {"crop_pos_x", 0.3}, {"crop_pos_y", 0.7}};
  const Tensor part = run("decoders.image_crop", {jpeg_with()}, {.constants = crop});
  const Tensor whole = run("decoders.image", {jpeg_with()});
  EXPECT_TRUE(same_bytes(part, run("crop", {whole}, {.constants = crop})));
}

TEST(DecodersImageCrop, StaysInside) {
  const auto status =
      run_operator("decoders.image_crop", {jpeg_with()}, {.constants = {{"crop", Floats{100, 30}}}}).status();
  EXPECT_THAT(std::string(message(status)), HasSubstr("leaves the image of 60x80"));
}

TEST(DecodersImageSlice, EqualsASliceOfTheImage) {
  const Tensor whole = run("decoders.image", {jpeg_with()});
  const Constants slice{{"rel_start", Floats{0.1, 0.25}}, {"rel_end", Floats{0.6, 0.9}}};
  EXPECT_TRUE(same_bytes(run("decoders.image_slice", {jpeg_with()}, {.constants = slice}),
                         run("slice", {whole}, {.constants = slice})));
  const Tensor anchor = tensor_of<int32_t>({7, 9}, {2});
  const Tensor size = tensor_of<int32_t>({33, 21}, {2});
  EXPECT_TRUE(same_bytes(run("decoders.image_slice", {jpeg_with(), anchor, size}),
                         run("slice", {whole, anchor, size})));
}

TEST(DecodersImageRandomCrop, EqualsItsWindowOfTheImage) {
  const Tensor whole = run("decoders.image", {jpeg_with()});
  for (uint64_t seed = 0; seed < 4; ++seed) {
    const uint64_t key = mix64(random_key(seed, 0, hash64("decoders.image_random_crop")), 0);
    const CropWindow window = RandomCropArguments{}.draw(RandomStream(key, 0), 60, 80);
    const Tensor expected = run("slice", {whole},
                                {.constants = {{"start", Ints{window.y, window.x}},
                                               {"shape", Ints{window.height, window.width}},
                                               {"axes", Ints{0, 1}}}});
    EXPECT_TRUE(same_bytes(run("decoders.image_random_crop", {jpeg_with()}, {.seed = seed}), expected));
  }
}

TEST(DecodersImage, TurnsByExif) {
  const Tensor turned = jpeg_with({.height = 60, .width = 80, .exif_orientation = 6});
  EXPECT_EQ(run("decoders.image", {turned}).shape(), (Shape{80, 60, 3}));
  EXPECT_EQ(run("decoders.image", {turned}, {.constants = {{"adjust_orientation", false}}}).shape(),
            (Shape{60, 80, 3}));
  EXPECT_THAT(values_of<int64_t>(run("peek_image_shape", {turned})), ElementsAre(80, 60, 3));
}

/// A PNG mask of 12 x 10 pixels, an index each.
std::vector<uint16_t> mask_indices() {
  std::vector<uint16_t> indices;
  for (int i = 0; i < 120; ++i) {
    indices.push_back(static_cast<uint16_t>(i * 7 % 16));
  }
  return indices;
}

Tensor mask_png() {
  codec::testing::PngOptions options{12, 10, 3, 4};
  for (int i = 0; i < 16; ++i) {
    options.palette.push_back({static_cast<uint8_t>(i * 9), static_cast<uint8_t>(200 - i), 50});
  }
  const std::vector<std::byte> bytes = encode_png(mask_indices(), options);
  return *Tensor::copy_of_bytes(bytes, {Shape{static_cast<int64_t>(bytes.size())}, DType::kUint8, {}});
}

TEST(DecodersImage, GivesIndicesOfAPalette) {
  EXPECT_EQ(run("decoders.image", {mask_png()}).shape(), (Shape{12, 10, 3}));
  const Tensor mask = run("decoders.image", {mask_png()}, {.constants = {{"palette", std::string("index")}}});
  EXPECT_EQ(mask.spec(), (TensorSpec{{12, 10, 1}, DType::kUint8, "HWC"}));
  const auto indices = mask_indices();
  EXPECT_EQ(values_of<uint8_t>(mask), std::vector<uint8_t>(indices.begin(), indices.end()));
}

TEST(DecodersImage, GivesIndicesOfPartsOfAPalettePicture) {
  const Value index = std::string("index");
  const Tensor whole = run("decoders.image", {mask_png()}, {.constants = {{"palette", index}}});
  const Constants crop{{"crop", Floats{5, 4}}, {"crop_pos_x", 0.3}};
  Constants crop_of_indices = crop;
  crop_of_indices.emplace("palette", index);
  EXPECT_TRUE(same_bytes(run("decoders.image_crop", {mask_png()}, {.constants = crop_of_indices}),
                         run("crop", {whole}, {.constants = crop})));
  const Constants slice{{"start", Ints{2, 3}}, {"shape", Ints{4, 6}}, {"axes", Ints{0, 1}}};
  Constants slice_of_indices = slice;
  slice_of_indices.emplace("palette", index);
  EXPECT_TRUE(same_bytes(run("decoders.image_slice", {mask_png()}, {.constants = slice_of_indices}),
                         run("slice", {whole}, {.constants = slice})));
  const uint64_t key = mix64(random_key(3, 0, hash64("decoders.image_random_crop")), 0);
  const CropWindow window = RandomCropArguments{}.draw(RandomStream(key, 0), 12, 10);
  const Tensor expected = run("slice", {whole},
                              {.constants = {{"start", Ints{window.y, window.x}},
                                             {"shape", Ints{window.height, window.width}},
                                             {"axes", Ints{0, 1}}}});
  EXPECT_TRUE(same_bytes(
      run("decoders.image_random_crop", {mask_png()}, {.constants = {{"palette", index}}, .seed = 3}),
      expected));
}

TEST(DecodersImage, RefusesIndicesOfWhatHasNone) {
  const auto error_of = [](const Tensor& encoded, Constants constants) {
    constants.emplace("palette", std::string("index"));
    return std::string(message(run_operator("decoders.image", {encoded}, {.constants = constants}).status()));
  };
  EXPECT_THAT(error_of(jpeg_with(), {}), HasSubstr("JPEG does not give"));
  EXPECT_THAT(error_of(mask_png(), {{"dtype", int64_t{9}}}), HasSubstr("palette='index' gives UINT8"));
  const auto unknown =
      run_operator("decoders.image", {mask_png()}, {.constants = {{"palette", std::string("indices")}}})
          .status();
  EXPECT_THAT(std::string(message(unknown)), HasSubstr("palette"));
}

Tensor encoded(const codec::testing::SampleImage& image) {
  const auto size = static_cast<int64_t>(image.bytes.size());
  return *Tensor::copy_of_bytes(image.bytes, {Shape{size}, DType::kUint8, {}});
}

Tensor tiff_of_pages() {
  return encoded(codec::testing::tiff_pages("w")[0]);
}

Tensor jpeg2000() {
  return encoded(codec::testing::jpeg2000_samples()[0]);
}

TEST(DecodersImage, DecodesAPageOfATiff) {
  const Tensor file = tiff_of_pages();
  const auto shape_of = [&](int64_t page) {
    const Constants constants{{"page", page}, {"output_type", int64_t{4}}};
    return run("decoders.image", {file}, {.constants = constants}).shape();
  };
  EXPECT_EQ(shape_of(0), (Shape{37, 53, 3}));
  EXPECT_EQ(shape_of(1), (Shape{53, 37, 3})) << "turned";
  EXPECT_EQ(shape_of(2), (Shape{37, 53, 1}));
  EXPECT_EQ(shape_of(3), (Shape{37, 53, 4}));
  EXPECT_THAT(values_of<int64_t>(run("peek_image_shape", {file}, {.constants = {{"page", int64_t{1}}}})),
              ElementsAre(53, 37, 3));
}

TEST(DecodersImage, APageMayBeOfEachSample) {
  const Tensor file = tiff_of_pages();
  for (const int page : {0, 1, 3}) {
    const Tensor number = tensor_of<int32_t>({page}, {});
    const Tensor whole = run("decoders.image", {file}, {.constants = {{"page", int64_t{page}}}});
    EXPECT_TRUE(same_bytes(run("decoders.image", {file}, {.tensors = {{"page", number}}}), whole)) << page;
    Given crop{.constants = {{"crop", Floats{20, 30}}}};
    const Tensor part = run("crop", {whole}, crop);
    crop.tensors.emplace("page", number);
    EXPECT_TRUE(same_bytes(run("decoders.image_crop", {file}, crop), part)) << page;
  }
}

TEST(DecodersImage, NamesAPageThatIsNotThere) {
  const auto error_of = [](const Tensor& encoded, int64_t page) {
    return std::string(
        message(run_operator("decoders.image", {encoded}, {.constants = {{"page", page}}}).status()));
  };
  EXPECT_THAT(error_of(tiff_of_pages(), 4), HasSubstr("which has 4 pages"));
  EXPECT_THAT(error_of(jpeg_with(), 1), HasSubstr("JPEG has no pages, only TIFF has"));
  EXPECT_THAT(error_of(jpeg_with(), -1), HasSubstr("page is -1"));
}

TEST(DecodersImage, DecodesAtAFractionOfTheSize) {
  const Tensor whole = run("decoders.image", {jpeg2000()});
  for (const int64_t reduce : {2, 4, 8}) {
    const Given reduced{.constants = {{"reduce", reduce}}};
    const Shape expected{(whole.shape()[0] + reduce - 1) / reduce, (whole.shape()[1] + reduce - 1) / reduce,
                         3};
    const Tensor small = run("decoders.image", {jpeg2000()}, reduced);
    EXPECT_EQ(small.shape(), expected);
    EXPECT_THAT(values_of<int64_t>(run("peek_image_shape", {jpeg2000()}, reduced)),
                ElementsAre(expected[0], expected[1], 3));
    Given crop = reduced;
    crop.constants["crop"] = Floats{4, 4};
    EXPECT_TRUE(same_bytes(run("decoders.image_crop", {jpeg2000()}, crop),
                           run("crop", {small}, {.constants = {{"crop", Floats{4, 4}}}})))
        << reduce;
    EXPECT_EQ(run("decoders.image", {jpeg_with()}, reduced).shape(),
              (Shape{(60 + reduce - 1) / reduce, 80 / reduce, 3}));
  }
}

TEST(DecodersImage, NamesWhoDecodesAtAFraction) {
  const auto error_of = [](const Tensor& encoded, int64_t reduce) {
    return std::string(
        message(run_operator("decoders.image", {encoded}, {.constants = {{"reduce", reduce}}}).status()));
  };
  EXPECT_THAT(error_of(mask_png(), 2),
              HasSubstr("PNG does not decode at 4/8 of its size, as JPEG, JPEG 2000 do"));
  EXPECT_THAT(error_of(jpeg_with(), 3), HasSubstr("reduce is 3, not 1, 2, 4 or 8"));
}

TEST(PeekImageShape, ReadsTheHeader) {
  EXPECT_THAT(values_of<int64_t>(run("peek_image_shape", {jpeg_with()})), ElementsAre(60, 80, 3));
  const Tensor grey = run("peek_image_shape", {jpeg_with()},
                          {.constants = {{"image_type", int64_t{2}}, {"dtype", int64_t{6}}}});
  EXPECT_THAT(values_of<int32_t>(grey), ElementsAre(60, 80, 1));
}

TEST(PeekImageShape, CountsTheIndexOfAPalette) {
  EXPECT_THAT(values_of<int64_t>(run("peek_image_shape", {mask_png()})), ElementsAre(12, 10, 3));
  const Constants indices{{"palette", std::string("index")}};
  EXPECT_THAT(values_of<int64_t>(run("peek_image_shape", {mask_png()}, {.constants = indices})),
              ElementsAre(12, 10, 1));
  const Constants turned{{"palette", std::string("index")}, {"page", int64_t{1}}};
  EXPECT_THAT(values_of<int64_t>(run("peek_image_shape", {tiff_of_pages()}, {.constants = turned})),
              ElementsAre(53, 37, 1));
}

TEST(PeekImageShape, RefusesIndicesOfWhatHasNone) {
  const Constants indices{{"palette", std::string("index")}};
  const auto jpeg = run_operator("peek_image_shape", {jpeg_with()}, {.constants = indices}).status();
  EXPECT_THAT(std::string(message(jpeg)), HasSubstr("JPEG does not give"));
  const auto plain = run_operator("peek_image_shape", {tiff_of_pages()}, {.constants = indices}).status();
  EXPECT_THAT(std::string(message(plain)), HasSubstr("this TIFF of 3 channels has no palette"));
}

}  // namespace
}  // namespace forebay::operators
