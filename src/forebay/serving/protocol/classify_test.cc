#include "forebay/serving/protocol/classify.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <limits>
#include <string>

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;

template <class Element>
NamedTensor scores_of(Datatype datatype, std::vector<int64_t> shape, const std::vector<Element>& scores) {
  NamedTensor tensor;
  tensor.name = "scores";
  tensor.datatype = datatype;
  tensor.shape = std::move(shape);
  tensor.size_bytes = scores.size() * sizeof(Element);
  tensor.buffer = memory::Buffer::allocate(tensor.size_bytes).value();
  std::copy(scores.begin(), scores.end(), static_cast<Element*>(tensor.buffer->data()));
  return tensor;
}

std::vector<std::string> class_texts(const Result<NamedTensor>& classes) {
  std::vector<std::string> texts;
  EXPECT_TRUE(classes.ok()) << classes.status();
  for (const Bytes element : elements_of(*classes)) {
    texts.emplace_back(reinterpret_cast<const char*>(element.data()), element.size());
  }
  return texts;
}

TEST(Classify, RowsOfABatchAreSortedEach) {
  const NamedTensor scores = scores_of<float>(Datatype::kFp32, {2, 3}, {0.1F, 0.7F, 0.2F, 5, 1, 3});
  const auto classes = classify(scores, 2, {"a", "b"}, /*has_batch=*/true);
  EXPECT_THAT(class_texts(classes), ElementsAre("0.700000:1:b", "0.200000:2", "5.000000:0:a", "3.000000:2"));
  EXPECT_THAT(classes->shape, ElementsAre(2, 2));
  EXPECT_EQ(classes->datatype, Datatype::kBytes);
  EXPECT_EQ(classes->name, "scores");
  EXPECT_TRUE(check_size(*classes).ok());
}

TEST(Classify, WithoutABatchAllIsOneRow) {
  const NamedTensor scores = scores_of<int32_t>(Datatype::kInt32, {2, 2}, {-1, 4, 4, 2});
  const auto classes = classify(scores, 9, {}, /*has_batch=*/false);
  EXPECT_THAT(class_texts(classes), ElementsAre("4:1", "4:2", "2:3", "-1:0"));
  EXPECT_THAT(classes->shape, ElementsAre(4));
}

TEST(Classify, EveryNumberHasClasses) {
  EXPECT_THAT(class_texts(classify(scores_of<uint8_t>(Datatype::kUint8, {2}, {65, 66}), 1, {}, false)),
              ElementsAre("66:1"));
  EXPECT_THAT(class_texts(classify(scores_of<int8_t>(Datatype::kInt8, {2}, {-65, -66}), 1, {}, false)),
              ElementsAre("-65:0"));
  EXPECT_THAT(class_texts(classify(scores_of<uint64_t>(Datatype::kUint64, {1}, {UINT64_MAX}), 1, {}, false)),
              ElementsAre("18446744073709551615:0"));
  EXPECT_THAT(
      class_texts(classify(scores_of<uint16_t>(Datatype::kFp16, {2}, {0x3c00, 0x4000}), 1, {}, false)),
      ElementsAre("2.000000:1"));
  EXPECT_THAT(class_texts(classify(scores_of<double>(Datatype::kFp64, {1}, {0.5}), 1, {"x"}, false)),
              ElementsAre("0.500000:0:x"));
}

TEST(Classify, NanComesLast) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const NamedTensor scores = scores_of<float>(Datatype::kFp32, {4}, {nan, -1, nan, 1});
  EXPECT_THAT(class_texts(classify(scores, 4, {}, false)),
              ElementsAre("1.000000:3", "-1.000000:1", "nan:0", "nan:2"));
}

TEST(Classify, EmptyTensorsHaveNoClasses) {
  const auto no_rows = classify(scores_of<float>(Datatype::kFp32, {0, 3}, {}), 2, {}, true);
  EXPECT_THAT(no_rows->shape, ElementsAre(0, 2));
  const auto no_columns = classify(scores_of<float>(Datatype::kFp32, {3, 0}, {}), 2, {}, true);
  EXPECT_THAT(no_columns->shape, ElementsAre(3, 0));
}

TEST(Classify, WhatHasNoClassesIsRefused) {
  EXPECT_FALSE(classify(bytes_tensor("scores", {"a"}).value(), 1, {}, false).ok());
  EXPECT_FALSE(classify(scores_of<uint8_t>(Datatype::kBool, {1}, {1}), 1, {}, false).ok());
  EXPECT_FALSE(classify(scores_of<uint16_t>(Datatype::kBf16, {1}, {1}), 1, {}, false).ok());
  EXPECT_FALSE(classify(scores_of<float>(Datatype::kFp32, {1}, {1}), 0, {}, false).ok());
  EXPECT_FALSE(classify(scores_of<float>(Datatype::kFp32, {2}, {1}), 1, {}, false).ok());
}

}  // namespace
}  // namespace forebay::serving
