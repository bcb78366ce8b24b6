// Data from outside in the C++ interface.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "forebay/base/end_of_data.h"
#include "forebay/pipeline/pipeline.h"

namespace forebay::pipeline {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Fed = std::vector<std::vector<tensor::Tensor>>;

constexpr int64_t kSamples = 5;

tensor::Tensor number(int64_t value) {
  return *tensor::Tensor::scalar<int32_t>(static_cast<int32_t>(value));
}

/// 0 to 4, and in a second output their negatives.
Result<Fed> count(const FeedRequest& request) {
  const int64_t end = std::min(request.position + request.max_batch_size, kSamples);
  if (request.position == end) {
    return end_of_data("the numbers are over");
  }
  Fed fed(2);
  for (int64_t i = request.position; i < end; ++i) {
    fed[0].push_back(number(i));
    fed[1].push_back(number(-i));
  }
  return fed;
}

std::vector<int32_t> numbers(const Delivery& delivery, size_t output) {
  const auto data = delivery.outputs[output].stacked();
  EXPECT_TRUE(data.ok()) << data.status();
  const auto span = data->view().span<int32_t>();
  return {span.begin(), span.end()};
}

TEST(ExternalSource, AFunctionGivesBatches) {
  Pipeline pipe({.batch_size = 2});
  const std::vector<DataNode> fed = pipe.external_source(count, 2, "numbers");
  pipe.set_outputs({fed[0] * 2, fed[1]});
  const Status built = pipe.build();
  ASSERT_TRUE(built.ok()) << built;
  for (int epoch = 0; epoch < 2; ++epoch) {
    const auto first = pipe.run();
    ASSERT_TRUE(first.ok()) << first.status();
    EXPECT_THAT(numbers(*first, 0), ElementsAre(0, 2));
    EXPECT_THAT(numbers(*first, 1), ElementsAre(0, -1));
    ASSERT_TRUE(pipe.run().ok());
    EXPECT_THAT(numbers(*pipe.run(), 0), ElementsAre(8));
    EXPECT_TRUE(is_end_of_data(pipe.run().status()));
    ASSERT_TRUE(pipe.session().reset_feeds().ok());
  }
}

TEST(ExternalSource, WhatAFunctionThrowsIsAnError) {
  Pipeline pipe;
  pipe.set_outputs({pipe.external_source(
      [](const FeedRequest&) -> Result<Fed> { throw std::runtime_error("no camera"); }, 1, "camera")[0]});
  ASSERT_TRUE(pipe.build().ok());
  const Status status = pipe.run().status();
  EXPECT_THAT(std::string(message(status)), HasSubstr("no camera"));
  EXPECT_THAT(std::string(message(status)), HasSubstr("camera"));
}

TEST(ExternalSource, WithoutAFeedTheGraphIsWrong) {
  Pipeline pipe;
  pipe.set_outputs({pipe.external_source(std::shared_ptr<ExternalFeed>())[0]});
  EXPECT_THAT(std::string(message(pipe.build())), HasSubstr("there is no feed"));
}

}  // namespace
}  // namespace forebay::pipeline
