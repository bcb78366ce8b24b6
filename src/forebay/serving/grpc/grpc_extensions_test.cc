// Classes and shared memory at the door, by extensions that the test gives.
#include <gmock/gmock.h>

#include <map>

#include "forebay/serving/testing/grpc_door_test_base.h"

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class GrpcExtensionsTest : public testing::GrpcDoorTestBase {
 protected:
  /// Regions that are remembered, read as the letter s, and written to written_.
  GrpcDoorOptions with_regions() {
    GrpcDoorOptions options;
    TensorExtensions& extensions = options.extensions;
    extensions.add_region = [this](const RegionState& region) {
      regions_[region.name] = region;
      return ok_status();
    };
    extensions.remove_region = [this](const std::string&) {
      regions_.clear();
      return ok_status();
    };
    extensions.regions = [this](const std::string&) -> Result<std::vector<RegionState>> {
      std::vector<RegionState> all;
      for (const auto& [name, region] : regions_) {
        all.push_back(region);
      }
      return all;
    };
    extensions.read_place = [](const SharedPlace& place, NamedTensor& input) -> Status {
      FOREBAY_ASSIGN_OR_RETURN(input.buffer, memory::Buffer::allocate(place.size_bytes));
      std::fill_n(static_cast<char*>(input.buffer->data()), place.size_bytes, 's');
      input.size_bytes = place.size_bytes;
      return ok_status();
    };
    extensions.write_place = [this](const SharedPlace& place, Bytes bytes) -> Status {
      if (bytes.size() > place.size_bytes) {
        return invalid_argument("too small");
      }
      written_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
      return ok_status();
    };
    return options;
  }

  static void place_in_region(google::protobuf::Map<std::string, inference::InferParameter>& parameters,
                              int64_t offset, int64_t bytes) {
    parameters["shared_memory_region"].set_string_param("r");
    parameters["shared_memory_offset"].set_int64_param(offset);
    parameters["shared_memory_byte_size"].set_int64_param(bytes);
  }

  std::map<std::string, RegionState> regions_;
  std::string written_;
};

TEST_F(GrpcExtensionsTest, WithoutExtensionsTheyAreUnimplemented) {
  open();
  inference::SystemSharedMemoryRegisterResponse registered;
  EXPECT_EQ(call(&Stub::SystemSharedMemoryRegister, {}, registered).error_code(),
            grpc::StatusCode::UNIMPLEMENTED);
  inference::ModelInferRequest request = raw_request("any", "UINT8", {1}, "a");
  auto& output = *request.add_outputs();
  output.set_name("x");
  (*output.mutable_parameters())["classification"].set_int64_param(1);
  EXPECT_THAT(infer(request).error_message(), HasSubstr("output 'x': classification"));
  inference::CudaSharedMemoryStatusResponse cuda;
  EXPECT_TRUE(call(&Stub::CudaSharedMemoryStatus, {}, cuda).ok());
  EXPECT_TRUE(cuda.regions().empty());
  inference::CudaSharedMemoryRegisterResponse cuda_registered;
  EXPECT_THAT(call(&Stub::CudaSharedMemoryRegister, {}, cuda_registered).error_message(),
              HasSubstr("CUDA shared memory"));
  inference::CudaSharedMemoryUnregisterResponse cuda_unregistered;
  EXPECT_TRUE(call(&Stub::CudaSharedMemoryUnregister, {}, cuda_unregistered).ok());
}

TEST_F(GrpcExtensionsTest, RegionsAreRegistered) {
  open(with_regions());
  inference::SystemSharedMemoryRegisterRequest region;
  inference::SystemSharedMemoryRegisterResponse registered;
  region.set_name("r");
  region.set_key("/k");
  region.set_offset(8);
  region.set_byte_size(64);
  ASSERT_TRUE(call(&Stub::SystemSharedMemoryRegister, region, registered).ok());
  inference::SystemSharedMemoryStatusResponse state;
  ASSERT_TRUE(call(&Stub::SystemSharedMemoryStatus, {}, state).ok());
  EXPECT_EQ(state.regions().at("r").key(), "/k");
  EXPECT_EQ(state.regions().at("r").offset(), 8);
  EXPECT_EQ(state.regions().at("r").byte_size(), 64);
  inference::SystemSharedMemoryUnregisterResponse unregistered;
  ASSERT_TRUE(call(&Stub::SystemSharedMemoryUnregister, {}, unregistered).ok());
  ASSERT_TRUE(call(&Stub::SystemSharedMemoryStatus, {}, state).ok());
  EXPECT_TRUE(state.regions().empty());
}

TEST_F(GrpcExtensionsTest, TensorsInRegionsDoNotTravel) {
  open(with_regions());
  // The first input lies in the region, so that the only raw contents are the second's.
  inference::ModelInferRequest request;
  request.set_model_name("any");
  place_in_region(*add_input(request, "x", "UINT8", {4}).mutable_parameters(), 0, 4);
  add_input(request, "y", "UINT8", {1});
  request.add_raw_input_contents("b");
  auto& output = *request.add_outputs();
  output.set_name("x");
  place_in_region(*output.mutable_parameters(), 16, 10);
  request.add_outputs()->set_name("y");
  inference::ModelInferResponse response;
  const grpc::Status status = infer(request, response);
  ASSERT_TRUE(status.ok()) << status.error_message();
  EXPECT_EQ(written_, "ssss");
  EXPECT_THAT(response.raw_output_contents(), ElementsAre("", "b"));
  EXPECT_EQ(response.outputs(0).parameters().at("shared_memory_byte_size").int64_param(), 4);
  EXPECT_EQ(response.outputs(0).parameters().at("shared_memory_offset").int64_param(), 16);
}

TEST_F(GrpcExtensionsTest, PlacesThatMakeNoSenseAreRefused) {
  open(with_regions());
  inference::ModelInferRequest request;
  request.set_model_name("any");
  auto& input = add_input(request, "x", "UINT8", {4});
  place_in_region(*input.mutable_parameters(), 0, -1);
  EXPECT_THAT(infer(request).error_message(), HasSubstr("input 'x': parameter 'shared_memory_byte_size'"));
  input.mutable_parameters()->erase("shared_memory_byte_size");
  EXPECT_THAT(infer(request).error_message(), HasSubstr("needs 'shared_memory_byte_size'"));
  place_in_region(*input.mutable_parameters(), 0, 5);
  EXPECT_THAT(infer(request).error_message(), HasSubstr("5 bytes were given"));
  place_in_region(*input.mutable_parameters(), 0, 4);
  input.mutable_contents()->add_uint_contents(1);
  EXPECT_THAT(infer(request).error_message(), HasSubstr("only one is allowed"));
  input.clear_contents();
  auto& output = *request.add_outputs();
  output.set_name("x");
  place_in_region(*output.mutable_parameters(), 0, 3);
  EXPECT_THAT(infer(request).error_message(), HasSubstr("output 'x': too small"));
}

TEST_F(GrpcExtensionsTest, ClassesTakeTheOutputsPlace) {
  GrpcDoorOptions options;
  options.extensions.classify = [](const NamedTensor& output, int64_t count, const ModelMetadata& model) {
    return bytes_tensor(output.name, {fmt::format("{} of {}", count, model.name)});
  };
  open(options);
  inference::ModelInferRequest request = raw_request("pair", "FP32", {1, 2}, std::string(8, '\0'));
  auto& output = *request.add_outputs();
  output.set_name("x");
  (*output.mutable_parameters())["classification"].set_int64_param(2);
  inference::ModelInferResponse response;
  ASSERT_TRUE(infer(request, response).ok());
  EXPECT_EQ(response.outputs(0).datatype(), "BYTES");
  EXPECT_EQ(response.raw_output_contents(0).substr(4), "2 of pair");
}

}  // namespace
}  // namespace forebay::serving
