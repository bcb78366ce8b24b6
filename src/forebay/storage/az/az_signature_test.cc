#include "forebay/storage/az/az_signature.h"

#include <gtest/gtest.h>

namespace forebay::storage {
namespace {

// Microsoft, "Authorize with Shared Key", the example of Get Container Metadata.
TEST(AzSignature, CoversWhatThePublishedExampleCovers) {
  const AzSignedRequest request = {
      .path = "/mycontainer",
      .query = {{"restype", "container"}, {"comp", "metadata"}, {"timeout", "20"}},
      .headers = {{"x-ms-version", "2015-02-21"}, {"x-ms-date", http_date(1'435'361'952)}}};
  EXPECT_EQ(az_string_to_sign(request, "myaccount"),
            "GET\n\n\n\n\n\n\n\n\n\n\n\n"
            "x-ms-date:Fri, 26 Jun 2015 23:39:12 GMT\nx-ms-version:2015-02-21\n"
            "/myaccount/mycontainer\ncomp:metadata\nrestype:container\ntimeout:20");
}

TEST(AzSignature, HeadersAreInTheOrderOfTheProtocol) {
  const AzSignedRequest request = {.method = "PUT",
                                   .path = "/c/a%20b",
                                   .headers = {{"Range", "bytes=0-3"},
                                               {"If-Match", "\"v\""},
                                               {"Content-Type", "text/plain"},
                                               {"If-None-Match", "*"},
                                               {"x-ms-b", "2"},
                                               {"X-Ms-A", "1"}},
                                   .content_bytes = 12};
  EXPECT_EQ(az_string_to_sign(request, "me"),
            "PUT\n\n\n12\n\ntext/plain\n\n\n\"v\"\n*\n\nbytes=0-3\nx-ms-a:1\nx-ms-b:2\n/me/c/a%20b");
}

TEST(AzSignature, TimesAreThoseOfHeaders) {
  EXPECT_EQ(http_date(0), "Thu, 01 Jan 1970 00:00:00 GMT");
  EXPECT_EQ(http_date(1'709'210'096), "Thu, 29 Feb 2024 12:34:56 GMT");
}

}  // namespace
}  // namespace forebay::storage
