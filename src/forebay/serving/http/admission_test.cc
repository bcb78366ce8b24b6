#include "forebay/serving/http/admission.h"

#include <gtest/gtest.h>

#include "forebay/base/units.h"

namespace forebay::serving {
namespace {

net::RequestHead head_of(std::string path, std::vector<net::HttpHeader> headers = {}) {
  net::RequestHead head;
  head.method = "POST";
  head.target.path = path;
  head.target.raw_path = std::move(path);
  head.headers = std::move(headers);
  return head;
}

TEST(Admission, BodiesAreBoundedByWhatTheyAreFor) {
  const AdmissionRules rules;
  EXPECT_EQ(admit(head_of("/v2/models/m/infer"), rules).max_body_bytes, UINT64_MAX);
  EXPECT_EQ(admit(head_of("/v2/models/m/versions/1/infer"), rules).max_body_bytes, UINT64_MAX);
  EXPECT_EQ(admit(head_of("/v2/repository/index"), rules).max_body_bytes, kMiB);
  EXPECT_EQ(admit(head_of("/v2/systemsharedmemory/region/r/register"), rules).max_body_bytes, kMiB);
  EXPECT_EQ(admit(head_of("/v2/health/live"), rules).max_body_bytes, 0);
  EXPECT_EQ(admit(head_of("/metrics"), rules).max_body_bytes, 0);
}

TEST(Admission, AnswersOfAModelAreAlike) {
  EXPECT_EQ(admit(head_of("/v2/models/m/infer"), {}).answer_kind, "/v2/models/m/infer");
  EXPECT_EQ(admit(head_of("/v2/models/m"), {}).answer_kind, "");
  EXPECT_EQ(admit(head_of("/v2/health/live"), {}).answer_kind, "");
}

TEST(Admission, TensorsBehindJsonAreAligned) {
  for (const char* length : {"0", "1", "63", "64", "1000"}) {
    const net::Admission admission = admit(head_of("/v2/models/m/infer", {{kHeaderLength, length}}), {});
    EXPECT_GE(admission.bytes_before_body, 1U);
    EXPECT_EQ((admission.bytes_before_body + std::stoul(length)) % 64, 0U) << length;
  }
  EXPECT_EQ(admit(head_of("/v2/models/m/infer"), {}).bytes_before_body, 0U);
  EXPECT_EQ(admit(head_of("/v2/models/m/infer", {{kHeaderLength, "x"}}), {}).bytes_before_body, 0U);
  EXPECT_FALSE(header_length_of(head_of("/", {{kHeaderLength, "-1"}})).ok());
  EXPECT_FALSE(header_length_of(head_of("/", {{kHeaderLength, ""}})).ok());
}

TEST(Admission, PagesOfOtherSitesAreKeptOut) {
  const AdmissionRules local{.is_open = true, .is_local = true};
  for (const char* host : {"localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000", "[::1]"}) {
    EXPECT_FALSE(admit(head_of("/v2", {{"Host", host}}), local).refusal) << host;
  }
  for (const char* host :
       {"evil.example", "evil.example:8000", "127.0.0.1.evil.example", "localhost.evil.example"}) {
    EXPECT_TRUE(admit(head_of("/v2", {{"Host", host}}), local).refusal) << host;
  }
  const std::vector<net::HttpHeader> page = {{"Host", "localhost"}, {"Origin", "https://evil.example"}};
  EXPECT_EQ(admit(head_of("/v2", page), local).refusal->status, 403);
  EXPECT_TRUE(admit(head_of("/v2", page), {.is_open = true}).refusal);
  EXPECT_FALSE(admit(head_of("/v2", {{"Host", "models.example"}}), {.is_open = true}).refusal);
  EXPECT_FALSE(admit(head_of("/v2", page), {}).refusal);
}

}  // namespace
}  // namespace forebay::serving
