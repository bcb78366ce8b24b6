// Messages taken apart and put together: what is shared, what is copied, what is broken.
#include <gmock/gmock.h>
#include <grpcpp/support/slice.h>

#include "forebay/memory/copy.h"
#include "forebay/serving/grpc/grpc_status.h"
#include "forebay/serving/grpc/messages.h"
#include "forebay/serving/grpc/request_reader.h"
#include "forebay/serving/grpc/wire_reader.h"
#include "forebay/serving/grpc/wire_writer.h"

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;

/// `text` in slices of `bytes` each.
grpc::ByteBuffer in_slices(const std::string& text, size_t bytes) {
  std::vector<grpc::Slice> slices;
  for (size_t at = 0; at < text.size(); at += bytes) {
    slices.emplace_back(text.substr(at, bytes));
  }
  return {slices.data(), slices.size()};
}

std::string text_of_message(const grpc::ByteBuffer& message) {
  grpc::Slice slice;
  EXPECT_TRUE(message.DumpToSingleSlice(&slice).ok());
  return {reinterpret_cast<const char*>(slice.begin()), slice.size()};
}

std::string text_of_buffer(const memory::BufferRef& buffer) {
  return buffer == nullptr ? "" : std::string(static_cast<const char*>(buffer->data()), buffer->size_bytes());
}

std::string request_text(const std::vector<std::string>& raw) {
  inference::ModelInferRequest request;
  request.set_model_name("m");
  request.set_id("i");
  (*request.mutable_parameters())["p"].set_int64_param(1);
  for (const std::string& contents : raw) {
    auto& input = *request.add_inputs();
    input.set_name("x");
    input.set_datatype("FP32");
    input.add_shape(static_cast<int64_t>(contents.size()) / 4);
    request.add_raw_input_contents(contents);
  }
  return request.SerializeAsString();
}

TEST(WireReader, ReadsWhatProtobufWrites) {
  const std::vector<std::string> raw = {std::string(5000, 'a'), "", std::string(12, 'b')};
  const std::string text = request_text(raw);
  for (const size_t slice_bytes : {size_t{1}, size_t{7}, size_t{1000}, text.size()}) {
    const Result<WireRequest> request = read_wire_request(in_slices(text, slice_bytes));
    ASSERT_TRUE(request.ok()) << request.status();
    EXPECT_EQ(request->head->model_name(), "m");
    EXPECT_EQ(request->head->id(), "i");
    EXPECT_EQ(request->head->parameters().at("p").int64_param(), 1);
    EXPECT_EQ(request->head->inputs_size(), 3);
    std::vector<std::string> got;
    for (const memory::BufferRef& buffer : request->raw) {
      got.push_back(text_of_buffer(buffer));
    }
    EXPECT_TRUE(got == raw) << slice_bytes;
  }
}

TEST(WireReader, WhatLiesInOnePieceIsNotCopied) {
  const std::string text = request_text({std::string(4096, 'a')});
  const uint64_t before = memory::bytes_copied();
  Result<WireRequest> request = read_wire_request(in_slices(text, text.size()));
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(memory::bytes_copied(), before);
  // The message's slices live as long as the buffer, which may be read only.
  const memory::BufferRef buffer = request->raw[0];
  request = invalid_argument("gone");
  EXPECT_TRUE(buffer->is_read_only());
  EXPECT_EQ(text_of_buffer(buffer), std::string(4096, 'a'));
  ASSERT_TRUE(read_wire_request(in_slices(text, 1000)).ok());
  EXPECT_EQ(memory::bytes_copied(), before + 4096);
}

TEST(WireReader, ElementsLieWhereTheirTypeMay) {
  // Whatever the address of the message: one of four begins at a multiple of 4.
  for (const size_t shift : {0, 1, 2, 3}) {
    inference::ModelInferRequest request;
    ASSERT_TRUE(request.ParseFromString(request_text({std::string(400, 'a')})));
    request.set_id(std::string(shift, 'i'));
    const std::string text = request.SerializeAsString();
    const Result<WireRequest> wire = read_wire_request(in_slices(text, text.size()));
    ASSERT_TRUE(wire.ok());
    const Result<ReadRequest> read = to_request(*wire, {});
    ASSERT_TRUE(read.ok()) << read.status();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(read->request.inputs[0].bytes().data()) % 4, 0);
    EXPECT_EQ(read->request.inputs[0].bytes().size(), 400);
  }
}

TEST(WireReader, CutOffAndBrokenMessagesAreRefused) {
  const std::string text = request_text({std::string(40, 'a'), "bcde"});
  size_t refused = 0;
  for (size_t length = 0; length < text.size(); ++length) {
    const Result<WireRequest> request = read_wire_request(in_slices(text.substr(0, length), 16));
    // Between two fields a shorter message is whole.
    refused += request.ok() ? 0 : 1;
    if (!request.ok()) {
      EXPECT_EQ(request.status().code(), StatusCode::kInvalidArgument);
    }
  }
  EXPECT_GT(refused, text.size() - 10);
  EXPECT_FALSE(read_wire_request(in_slices(std::string(100, '\xff'), 100)).ok());
  // 2 GiB are said to follow: nothing is allocated for them.
  EXPECT_FALSE(read_wire_request(in_slices("\x3a\xff\xff\xff\xff\x07", 6)).ok());
  for (size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 0x40);
    const Result<WireRequest> request = read_wire_request(in_slices(changed, 16));
    if (request.ok()) {
      (void)to_request(*request, {});
    }
  }
}

DeliveredOutput output_of(const std::string& name, const std::string& text) {
  DeliveredOutput output;
  output.tensor.name = name;
  output.tensor.datatype = Datatype::kUint8;
  output.tensor.shape = {static_cast<int64_t>(text.size())};
  output.tensor.size_bytes = text.size();
  if (!text.empty()) {
    output.tensor.buffer = memory::Buffer::allocate(text.size()).value();
    std::copy(text.begin(), text.end(), static_cast<char*>(output.tensor.buffer->data()));
  }
  return output;
}

TEST(WireWriter, ProtobufReadsWhatItWrites) {
  InferResponse response;
  response.model = "m";
  response.id = "i";
  response.parameters = {{"p", true}};
  const std::string large(100'000, 'a');
  const std::vector<DeliveredOutput> outputs = {output_of("x", large), output_of("y", ""),
                                                output_of("z", "b")};
  inference::ModelInferResponse read;
  ASSERT_TRUE(read.ParseFromString(text_of_message(write_response(response, outputs).value())));
  EXPECT_EQ(read.model_name(), "m");
  EXPECT_EQ(read.outputs_size(), 3);
  EXPECT_THAT(read.raw_output_contents(), ElementsAre(large, "", "b"));
  EXPECT_TRUE(read.parameters().at("p").bool_param());
  inference::ModelStreamInferResponse streamed;
  ASSERT_TRUE(streamed.ParseFromString(text_of_message(write_stream_response(response, outputs).value())));
  EXPECT_EQ(streamed.infer_response().SerializeAsString(), read.SerializeAsString());
}

TEST(WireWriter, LargeOutputsAreSentFromTheirMemory) {
  const std::vector<DeliveredOutput> outputs = {output_of("x", std::string(100'000, 'a'))};
  grpc::ByteBuffer message = write_response({}, outputs).value();
  EXPECT_EQ(outputs[0].tensor.buffer.use_count(), 2);
  std::vector<grpc::Slice> slices;
  ASSERT_TRUE(message.Dump(&slices).ok());
  EXPECT_EQ(static_cast<const void*>(slices.back().begin()), outputs[0].tensor.buffer->data());
  slices.clear();
  message.Clear();
  EXPECT_EQ(outputs[0].tensor.buffer.use_count(), 1);
}

TEST(WireWriter, TextsBecomeUtf8) {
  const std::string broken = "\xC3\xA9\xFF\xE2\x82";
  const std::string valid = "\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD";
  InferResponse response;
  response.model = broken;
  response.version = broken;
  response.id = broken;
  response.parameters = {{broken, broken}};
  DeliveredOutput placed = output_of(broken, "a");
  placed.place = SharedPlace{broken, 0, 1};
  inference::ModelInferResponse read;
  ASSERT_TRUE(read.ParseFromString(text_of_message(write_response(response, {placed}).value())));
  EXPECT_EQ(read.model_name(), valid);
  EXPECT_EQ(read.model_version(), valid);
  EXPECT_EQ(read.id(), valid);
  EXPECT_EQ(read.parameters().at(valid).string_param(), valid);
  EXPECT_EQ(read.outputs(0).name(), valid);
  EXPECT_EQ(read.outputs(0).parameters().at("shared_memory_region").string_param(), valid);
  inference::ModelStreamInferResponse error;
  ASSERT_TRUE(
      error.ParseFromString(text_of_message(write_stream_error(internal_error("{}", broken), "i", broken))));
  EXPECT_EQ(error.error_message(), valid);
  EXPECT_EQ(error.infer_response().model_name(), valid);
}

TEST(WireMessages, TextsBecomeUtf8) {
  const std::string broken = "a\xFF";
  inference::RepositoryIndexResponse index;
  fill_index({{broken, broken, "UNAVAILABLE", broken}}, index);
  EXPECT_TRUE(inference::RepositoryIndexResponse().ParseFromString(index.SerializeAsString()));
  EXPECT_EQ(index.models(0).reason(), "a\xEF\xBF\xBD");
  ModelMetadata metadata;
  metadata.name = broken;
  metadata.platform = broken;
  metadata.versions = {broken};
  metadata.inputs = {{broken, Datatype::kUint8, {1}, {}}};
  metadata.outputs = metadata.inputs;
  inference::ModelMetadataResponse model;
  fill_metadata(metadata, model);
  EXPECT_TRUE(inference::ModelMetadataResponse().ParseFromString(model.SerializeAsString()));
  inference::ModelStatistics counts;
  fill_statistics({.name = broken, .version = broken}, counts);
  EXPECT_TRUE(inference::ModelStatistics().ParseFromString(counts.SerializeAsString()));
  inference::SystemSharedMemoryStatusResponse regions;
  fill_regions({{broken, broken, 0, 1}}, regions);
  EXPECT_TRUE(inference::SystemSharedMemoryStatusResponse().ParseFromString(regions.SerializeAsString()));
  EXPECT_EQ(to_grpc(internal_error("{}", broken)).error_message(), "a\xEF\xBF\xBD");
}

TEST(WireWriter, AnErrorIsNeverWithoutText) {
  inference::ModelStreamInferResponse read;
  ASSERT_TRUE(
      read.ParseFromString(text_of_message(write_stream_error(Status(StatusCode::kInternal, ""), "i", "m"))));
  EXPECT_NE(read.error_message(), "");
  EXPECT_EQ(read.infer_response().id(), "i");
}

}  // namespace
}  // namespace forebay::serving
