#include "forebay/serving/pipelines/pipeline_model.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <limits>
#include <thread>

#include "forebay/base/clock.h"
#include "forebay/pipeline/graph/graph.h"

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Response = Result<InferResponse>;

/// As Pipeline.serialize() writes it.
std::string saved(const pipeline::Graph& graph, int batch_size = 4) {
  return fmt::format(R"({{"graph": {}, "arguments": {{"batch_size": {}, "seed": 7}}}})", graph.to_json(),
                     batch_size);
}

int add(pipeline::Graph* graph, std::string_view op, std::vector<pipeline::Edge> inputs,
        std::map<std::string, pipeline::Value> constants = {}, std::string name = "") {
  pipeline::Node node;
  node.op = op;
  node.name = std::move(name);
  node.inputs = std::move(inputs);
  node.constants = std::move(constants);
  return graph->add(node).value();
}

/// "x" cast to float, and a random number.
std::string cast_and_draw() {
  pipeline::Graph graph;
  const int x = add(&graph, pipeline::kExternalSource, {}, {}, "x");
  const int cast =
      add(&graph, "cast", {{x, 0}}, {{"dtype", static_cast<int64_t>(tensor::DType::kFloat)}}, "as_float");
  const int drawn = add(&graph, "random.uniform", {});
  EXPECT_TRUE(graph.set_outputs({{cast, 0}, {drawn, 0}}).ok());
  return saved(graph);
}

template <class T>
NamedTensor numbers(std::string name, const std::vector<T>& values, std::vector<int64_t> shape) {
  NamedTensor tensor;
  tensor.name = std::move(name);
  tensor.datatype = datatype_of(tensor::kDTypeOf<T>);
  tensor.shape = std::move(shape);
  tensor.size_bytes = values.size() * sizeof(T);
  tensor.buffer = memory::Buffer::allocate(tensor.size_bytes).value();
  std::copy(values.begin(), values.end(), static_cast<T*>(tensor.buffer->data()));
  return tensor;
}

std::vector<float> floats_of(const NamedTensor& tensor) {
  const auto* first = reinterpret_cast<const float*>(tensor.bytes().data());
  return {first, first + tensor.size_bytes / sizeof(float)};
}

Response ask(Model& model, std::vector<NamedTensor> inputs, int64_t key = 0) {
  InferRequest request;
  request.inputs = std::move(inputs);
  request.key = key;
  auto promise = std::make_shared<std::promise<Response>>();
  std::future<Response> future = promise->get_future();
  model.infer(std::move(request), [promise](Response response) { promise->set_value(std::move(response)); });
  return future.get();
}

TEST(PipelineModel, EachRowIsASample) {
  const auto model = make_pipeline_model(cast_and_draw(), {.name = "m"}).value();
  EXPECT_EQ(model->metadata().max_batch_size, 4);
  EXPECT_EQ(model->metadata().inputs[0].name, "x");
  EXPECT_EQ(model->metadata().outputs[0].name, "as_float");
  EXPECT_EQ(model->metadata().outputs[0].datatype, Datatype::kFp32);

  const InferResponse all = ask(*model, {numbers<uint8_t>("x", {1, 2, 3, 4, 5, 6}, {3, 2})}, 10).value();
  EXPECT_THAT(all.outputs[0].shape, ElementsAre(3, 2));
  EXPECT_THAT(floats_of(all.outputs[0]), ElementsAre(1, 2, 3, 4, 5, 6));
  for (int64_t row = 0; row < 3; ++row) {
    const InferResponse one = ask(*model, {numbers<uint8_t>("x", {9}, {1, 1})}, 10 + row).value();
    EXPECT_THAT(floats_of(one.outputs[1]), ElementsAre(floats_of(all.outputs[1])[row]));
  }
}

TEST(PipelineModel, WaitingAndComputingAreToldApart) {
  const auto model = make_pipeline_model(cast_and_draw(), {.name = "m"}).value();
  const int64_t before_ns = steady_clock().now_ns();
  const Response response = ask(*model, {numbers<int32_t>("x", {1, 2}, {2, 1})});
  ASSERT_TRUE(response.ok()) << response.status();
  const Timing& timing = response->timing;
  EXPECT_GT(timing.queue_ns, 0);
  EXPECT_GT(timing.compute_ns, 0);
  EXPECT_LE(timing.queue_ns + timing.compute_ns + timing.output_ns, steady_clock().now_ns() - before_ns);
}

TEST(PipelineModel, ABrokenRowIsNamed) {
  pipeline::Graph graph;
  const int file = add(&graph, pipeline::kExternalSource, {}, {}, "file");
  const int decoded = add(&graph, "decoders.image", {{file, 0}});
  ASSERT_TRUE(graph.set_outputs({{decoded, 0}}).ok());
  const auto model = make_pipeline_model(saved(graph), {.name = "m"}).value();
  EXPECT_EQ(model->metadata().inputs[0].datatype, Datatype::kBytes);

  NamedTensor two = bytes_tensor("file", {"not a picture", ""}).value();
  two.shape = {2, 1};
  const Response broken = ask(*model, {two});
  EXPECT_THAT(std::string(message(broken.status())), HasSubstr("row "));
  EXPECT_THAT(std::string(message(broken.status())), HasSubstr("decoders.image"));
  EXPECT_FALSE(ask(*model, {numbers<uint8_t>("file", {1, 2, 3}, {1, 3})}).ok());
}

TEST(PipelineModel, InputsThatDoNotFitAreRefused) {
  const auto model = make_pipeline_model(cast_and_draw(), {.name = "m"}).value();
  EXPECT_THAT(std::string(message(ask(*model, {}).status())), HasSubstr("no input 'x'"));
  EXPECT_FALSE(ask(*model, {numbers<uint8_t>("x", {1}, {})}).ok());
  EXPECT_FALSE(ask(*model, {numbers<uint8_t>("x", {}, {0, 1})}).ok());
  EXPECT_FALSE(ask(*model, {numbers<uint8_t>("x", {1}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 1})}).ok());
}

TEST(PipelineModel, GraphsThatCannotAnswerAreRefusedWhenLoaded) {
  EXPECT_FALSE(make_pipeline_model("{}", {.name = "m"}).ok());
  EXPECT_FALSE(make_pipeline_model("\xff", {.name = "m"}).ok());
  pipeline::Graph nameless;
  const int x = add(&nameless, pipeline::kExternalSource, {});
  ASSERT_TRUE(nameless.set_outputs({{x, 0}}).ok());
  EXPECT_THAT(std::string(message(make_pipeline_model(saved(nameless), {.name = "m"}).status())),
              HasSubstr("no name"));
  pipeline::Graph batch;
  const int y = add(&batch, pipeline::kExternalSource, {}, {}, "y");
  const int permuted = add(&batch, "permute_batch", {{y, 0}}, {{"indices", std::vector<int64_t>{0}}});
  ASSERT_TRUE(batch.set_outputs({{permuted, 0}}).ok());
  EXPECT_THAT(std::string(message(make_pipeline_model(saved(batch), {.name = "m"}).status())),
              HasSubstr("permute_batch"));
}

TEST(PipelineModel, WithoutABatchARequestIsOneSample) {
  const auto model = make_pipeline_model(cast_and_draw(), {.name = "m", .max_batch_size = 0}).value();
  const InferResponse one = ask(*model, {numbers<uint8_t>("x", {1, 2}, {2})}).value();
  EXPECT_THAT(one.outputs[0].shape, ElementsAre(2));
  EXPECT_THAT(one.outputs[1].shape, ElementsAre());
}

TEST(PipelineModel, WhatASourcePromisesIsTold) {
  pipeline::Graph graph;
  const int x = add(&graph, pipeline::kExternalSource, {}, {}, "x");
  ASSERT_TRUE(graph.set_outputs({{x, 0}}).ok());
  const std::string text = fmt::format(
      R"({{"graph": {}, "arguments": {{}}, "sources": [{{"node": 0, "dtype": 9, "ndim": 2, "layout": "HW"}}]}})",
      graph.to_json());
  const auto model = make_pipeline_model(text, {.name = "m", .max_batch_size = 2}).value();
  EXPECT_EQ(model->metadata().inputs[0].datatype, Datatype::kFp32);
  EXPECT_THAT(model->metadata().inputs[0].shape, ElementsAre(-1, -1, -1));
  EXPECT_FALSE(model->metadata().inputs[0].takes_any);
  for (const char* odd : {"[7]", "7", R"([{"node": 99, "dtype": 9}])", R"([{"node": 0, "dtype": "x"}])"}) {
    const std::string broken =
        fmt::format(R"({{"graph": {}, "arguments": {{}}, "sources": {}}})", graph.to_json(), odd);
    make_pipeline_model(broken, {.name = "m"}).status().IgnoreError();  // read or refused
  }
}

TEST(PipelineModel, AnOutputOfUnknownTypeIsNotSaidToHaveOne) {
  const auto of_cast = make_pipeline_model(cast_and_draw(), {.name = "m"}).value();
  EXPECT_EQ(datatype_name(of_cast->metadata().outputs[0]), "FP32");
  pipeline::Graph graph;
  const int x = add(&graph, pipeline::kExternalSource, {}, {}, "x");
  ASSERT_TRUE(graph.set_outputs({{x, 0}}).ok());
  const auto model = make_pipeline_model(saved(graph), {.name = "m"}).value();
  EXPECT_EQ(datatype_name(model->metadata().outputs[0]), "<invalid>");
}

TEST(PipelineModel, ARequestIsTakenWholeOrRefused) {
  const auto model = make_pipeline_model(cast_and_draw(), {.name = "m", .most_under_way = 5}).value();
  std::atomic<int> refused = 0;
  std::atomic<int> answered = 0;
  for (int i = 0; i < 200; ++i) {
    InferRequest request;
    request.inputs = {numbers<uint8_t>("x", {1, 2, 3, 4}, {4, 1})};
    model->infer(std::move(request), [&](Response response) {
      const bool is_full = response.status().code() == StatusCode::kResourceExhausted;
      EXPECT_TRUE(response.ok() || is_full) << response.status();
      ++(response.ok() ? answered : refused);
    });
  }
  model->close(steady_clock().now_ns() + 60 * kSecond);
  EXPECT_EQ(answered + refused, 200);
  EXPECT_GT(answered, 0);
}

TEST(PipelineModel, WhatIsNotAskedForIsNotMade) {
  pipeline::Graph graph;
  const int x = add(&graph, pipeline::kExternalSource, {}, {}, "x");
  const int ragged = add(&graph, pipeline::kExternalSource, {}, {}, "ragged");
  ASSERT_TRUE(graph.set_outputs({{x, 0}, {ragged, 0}}).ok());
  const auto model = make_pipeline_model(saved(graph), {.name = "m"}).value();
  NamedTensor words = bytes_tensor("ragged", {"a", "bcd"}).value();
  words.shape = {2, 1};
  InferRequest request;
  request.inputs = {numbers<uint8_t>("x", {1, 2}, {2, 1}), words};
  request.outputs = {{.name = "x"}};
  std::promise<Response> promise;
  model->infer(request, [&](Response response) { promise.set_value(std::move(response)); });
  const Response only_x = promise.get_future().get();
  ASSERT_TRUE(only_x.ok()) << only_x.status();
  EXPECT_EQ(only_x->outputs.size(), 1);
  EXPECT_THAT(std::string(message(ask(*model, request.inputs).status())), HasSubstr("rows of a request"));
}

TEST(PipelineModel, KeysThatDoNotFitAreRefused) {
  const auto model = make_pipeline_model(cast_and_draw(), {.name = "m"}).value();
  const int64_t last = std::numeric_limits<int64_t>::max();
  EXPECT_TRUE(ask(*model, {numbers<uint8_t>("x", {1}, {1, 1})}, last).ok());
  EXPECT_FALSE(ask(*model, {numbers<uint8_t>("x", {1, 2}, {2, 1})}, last).ok());
  EXPECT_FALSE(ask(*model, {numbers<uint8_t>("x", {1}, {1, 1})}, -1).ok());
}

TEST(PipelineModel, CloseAnswersWhatIsLeft) {
  const auto model = make_pipeline_model(cast_and_draw(), {.name = "m"}).value();
  std::atomic<int> answers = 0;
  for (int i = 0; i < 50; ++i) {
    InferRequest request;
    request.inputs = {numbers<uint8_t>("x", {1, 2}, {1, 2})};
    model->infer(std::move(request), [&](Response) { ++answers; });
  }
  model->close(0);
  EXPECT_EQ(answers, 50);
  EXPECT_EQ(ask(*model, {numbers<uint8_t>("x", {1, 2}, {1, 2})}).status().code(), StatusCode::kUnavailable);
  model->close(0);
}

}  // namespace
}  // namespace forebay::serving
