// Bodies beside those of inference: errors, metadata, statistics, the repository, shared memory, tracing.
#include <gmock/gmock.h>

#include <string>

#include "forebay/serving/protocol/http_status.h"
#include "forebay/serving/protocol/model_json.h"
#include "forebay/serving/protocol/region_json.h"

namespace forebay::serving {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(HttpStatus, ATableSaysWhichStatusACodeBecomes) {
  EXPECT_EQ(http_status_of(StatusCode::kOk), 200);
  EXPECT_EQ(http_status_of(StatusCode::kInvalidArgument), 400);
  EXPECT_EQ(http_status_of(StatusCode::kNotFound), 404);
  EXPECT_EQ(http_status_of(StatusCode::kResourceExhausted), 429);
  EXPECT_EQ(http_status_of(StatusCode::kCancelled), 499);
  EXPECT_EQ(http_status_of(StatusCode::kUnimplemented), 501);
  EXPECT_EQ(http_status_of(StatusCode::kUnavailable), 503);
  EXPECT_EQ(http_status_of(StatusCode::kDeadlineExceeded), 504);
  EXPECT_EQ(http_status_of(StatusCode::kInternal), 500);
  EXPECT_EQ(http_status_of(StatusCode::kDataLoss), 500);
}

TEST(HttpStatus, ErrorsAreJsonWhateverTheySay) {
  EXPECT_EQ(error_body(not_found("no \"x\"\n")), R"({"error":"no \"x\"\n"})");
  EXPECT_EQ(error_body("\xff"), "{\"error\":\"\xef\xbf\xbd\"}");
}

TEST(ModelJson, MetadataHasTheShapeOfTheProtocol) {
  EXPECT_EQ(server_metadata_json("forebay", "1.2", {"statistics"}),
            R"({"name":"forebay","version":"1.2","extensions":["statistics"]})");
  ModelMetadata metadata;
  metadata.name = "m";
  metadata.versions = {"1", "2"};
  metadata.platform = "ensemble";
  metadata.inputs = {{.name = "x", .datatype = Datatype::kUint8, .shape = {-1, 3}}};
  metadata.outputs = {{.name = "y", .shape = {-1}, .is_type_known = false}};
  EXPECT_EQ(
      model_metadata_json(metadata),
      R"({"name":"m","versions":["1","2"],"platform":"ensemble","inputs":[{"name":"x","datatype":"UINT8",)"
      R"("shape":[-1,3]}],"outputs":[{"name":"y","datatype":"<invalid>","shape":[-1]}]})");
}

TEST(ModelJson, StatisticsHaveTritonsShape) {
  EXPECT_EQ(statistics_json({}), R"({"model_stats":[]})");
  ModelStatistics model{.name = "m", .version = "1", .success_count = 2, .failure_count = 1};
  model.inference_count = 5;
  model.execution_count = 3;
  model.last_inference_ms = 7;
  model.success_ns = 100;
  model.failure_ns = 9;
  model.total = {.queue_ns = 10, .input_ns = 20, .compute_ns = 30, .output_ns = 40};
  EXPECT_EQ(
      statistics_json({model}),
      R"({"model_stats":[{"name":"m","version":"1","last_inference":7,"inference_count":5,)"
      R"("execution_count":3,"inference_stats":{"success":{"count":2,"ns":100},"fail":{"count":1,"ns":9},)"
      R"("queue":{"count":2,"ns":10},"compute_input":{"count":2,"ns":20},)"
      R"("compute_infer":{"count":2,"ns":30},)"
      R"("compute_output":{"count":2,"ns":40},"cache_hit":{"count":0,"ns":0},)"
      R"("cache_miss":{"count":0,"ns":0}},"batch_stats":[]}]})");
}

TEST(ModelJson, TheIndexOfTheRepository) {
  EXPECT_EQ(index_json({{"a", "1", "READY", ""}, {"b", "", "", ""}}),
            R"([{"name":"a","version":"1","state":"READY"},{"name":"b"}])");
  EXPECT_FALSE(*parse_index_request(""));
  EXPECT_TRUE(*parse_index_request(R"({"ready":true})"));
  EXPECT_FALSE(parse_index_request(R"({"ready":1})").ok());
  EXPECT_FALSE(parse_index_request("[]").ok());
  EXPECT_FALSE(parse_index_request(std::string(1'000'000, '[')).ok());
  EXPECT_FALSE(parse_index_request(std::string(2'000'000, ' ')).ok());
}

TEST(ModelJson, RequestsToLoadAndUnload) {
  EXPECT_TRUE(check_load_request("").ok());
  EXPECT_TRUE(check_load_request("{}").ok());
  EXPECT_EQ(check_load_request(R"({"parameters":{"config":"{}"}})").code(), StatusCode::kUnimplemented);
  EXPECT_EQ(check_load_request(R"({"parameters":{"file:1/m":""}})").code(), StatusCode::kUnimplemented);
  EXPECT_TRUE(*parse_unload_request(R"({"parameters":{"unload_dependents":true}})"));
  EXPECT_FALSE(*parse_unload_request(""));
  EXPECT_FALSE(parse_unload_request(R"({"parameters":[]})").ok());
}

TEST(RegionJson, RegionsThereAndBack) {
  const auto region = parse_region_request("r", R"({"key":"/k","offset":4,"byte_size":8})");
  ASSERT_TRUE(region.ok()) << region.status();
  EXPECT_EQ(regions_json({*region}), R"([{"byte_size":8,"key":"/k","name":"r","offset":4}])");
  EXPECT_EQ(parse_region_request("r", R"({"key":"/k","byte_size":8})")->offset_bytes, 0);
  EXPECT_THAT(std::string(message(parse_region_request("r", R"({"key":"/k"})").status())),
              HasSubstr("no 'byte_size'"));
  EXPECT_FALSE(parse_region_request("r", R"({"key":"/k","byte_size":-8})").ok());
}

}  // namespace
}  // namespace forebay::serving
