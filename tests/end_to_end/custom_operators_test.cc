// Operators of a loaded library in whole pipelines.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/base/error_context.h"
#include "forebay/pipeline/pipeline.h"
#include "forebay/plugin/load.h"

namespace forebay::end_to_end {
namespace {

using pipeline::Graph;

class CustomOperators : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { ASSERT_TRUE(plugin::load_operators(FOREBAY_TEST_GOOD).ok()); }
};

/// Random numbers of the library's operator, halved by another one.
void write(Pipeline* pipe) {
  const auto noise = pipe->add("plugin_test.noise", {}, {{"shape", {100, 3}}});
  const auto factor = pipe->add("random.uniform", {}, {});
  pipe->set_outputs(pipe->add("plugin_test.scale", noise, {{"factor", factor[0]}}));
}

std::vector<float> numbers(PipelineOptions options, int batches) {
  options.seed = 3;
  Pipeline pipe(options);
  write(&pipe);
  const Status built = pipe.build();
  EXPECT_TRUE(built.ok()) << built;
  std::vector<float> all;
  for (int batch = 0; built.ok() && batch < batches; ++batch) {
    const auto delivery = pipe.run();
    EXPECT_TRUE(delivery.ok()) << delivery.status();
    const auto data = delivery->outputs[0].stacked();
    EXPECT_TRUE(data.ok()) << data.status();
    const auto values = data->view().span<float>();
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

TEST_F(CustomOperators, GiveTheSameWhateverTheThreadsTheBatchSizeAndTheMemory) {
  const std::vector<float> expected = numbers({}, 12);
  EXPECT_EQ(expected.size(), 12 * 300);
  EXPECT_EQ(numbers({.batch_size = 4, .num_threads = 4}, 3), expected);
  EXPECT_EQ(numbers({.batch_size = 6, .num_threads = 3, .memory_limit_bytes = 60000}, 2), expected);
}

TEST_F(CustomOperators, SavedGraphsNameTheLibrary) {
  Pipeline pipe;
  write(&pipe);
  ASSERT_TRUE(pipe.build().ok());
  EXPECT_THAT(pipe.graph().to_json(), ::testing::HasSubstr("libforebay_test_good.so"));
  const auto loaded = Graph::from_json(pipe.graph().to_json());
  ASSERT_TRUE(loaded.ok()) << loaded.status();
  EXPECT_EQ(loaded->fingerprint(), pipe.graph().fingerprint());
}

TEST_F(CustomOperators, ErrorsNameTheSampleAndTheOperator) {
  Pipeline pipe({.batch_size = 2, .num_threads = 2});
  const auto number = pipe.add("random.uniform", {}, {});
  pipe.set_outputs(pipe.add("plugin_test.fails", number, {{"how", "exception"}}, "leak"));
  ASSERT_TRUE(pipe.build().ok());
  const Status status = pipe.run().status();
  EXPECT_THAT(std::string(message(status)), ::testing::HasSubstr("a tap was left open"));
  const auto context = context_of(status);
  ASSERT_TRUE(context.has_value());
  EXPECT_EQ(context->operator_name, "leak");
  EXPECT_EQ(context->position, 0);
}

}  // namespace
}  // namespace forebay::end_to_end
