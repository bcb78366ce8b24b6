#include "forebay/storage/s3/s3_xml.h"

#include <gtest/gtest.h>

#include "forebay/storage/remote/token_list.h"
#include "forebay/storage/remote/wall_time.h"

namespace forebay::storage {
namespace {

std::string list_xml(const std::string& inside) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<ListBucketResult "
         "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">" +
         inside + "</ListBucketResult>";
}

std::string entry_xml(const std::string& key, const std::string& size = "7") {
  return "<Contents><Key>" + key + "</Key><Size>" + size +
         "</Size><ETag>&quot;abc-2&quot;</ETag><LastModified>2009-10-12T17:50:30.000Z</LastModified></"
         "Contents>";
}

constexpr char kLast[] = "<IsTruncated>false</IsTruncated>";

TEST(S3Xml, PagesOfListings) {
  const Result<TokenPage> list = parse_s3_list(
      list_xml("<EncodingType>url</EncodingType><IsTruncated>true</IsTruncated><NextContinuationToken>t&amp;1"
               "</NextContinuationToken><CommonPrefixes><Prefix>d%2Fe/</Prefix></CommonPrefixes>" +
               entry_xml("a+b%2Bc%FF%26")));
  ASSERT_TRUE(list.ok()) << list.status();
  ASSERT_EQ(list->page.objects.size(), 1u);
  const ObjectStat& stat = list->page.objects[0];
  EXPECT_EQ(stat.key, "a b+c\xff&");
  EXPECT_EQ(stat.size_bytes, 7u);
  EXPECT_EQ(stat.version, "abc-2");
  EXPECT_EQ(stat.modified_ns, 1'255'369'830'000'000'000);
  EXPECT_EQ(list->page.prefixes, std::vector<std::string>{"d/e/"});
  EXPECT_FALSE(list->page.is_last);
  EXPECT_EQ(list->next_token, "t&1");
}

TEST(S3Xml, NamesThatAreNotEncodedStayAsTheyAre) {
  const Result<TokenPage> list = parse_s3_list(list_xml(kLast + entry_xml("a+b%2B &lt;&#65;")));
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->page.objects[0].key, "a+b%2B <A");
  EXPECT_TRUE(list->page.is_last);
}

// A corpus of answers that no server should give.
TEST(S3Xml, BrokenListingsAreErrors) {
  const std::string broken[] = {
      "",
      "no xml",
      "<ListBucketResult>",
      "<Other><IsTruncated>false</IsTruncated></Other>",
      list_xml(""),
      list_xml("<IsTruncated>maybe</IsTruncated>"),
      list_xml("<IsTruncated>true</IsTruncated>"),
      list_xml("<IsTruncated>true</IsTruncated><NextContinuationToken>" + std::string(100'000, 't') +
               "</NextContinuationToken>"),
      list_xml(kLast + entry_xml("")),
      list_xml(kLast + entry_xml(std::string(5000, 'k'))),
      list_xml(kLast + entry_xml("k", "")),
      list_xml(kLast + entry_xml("k", "-1")),
      list_xml(kLast + entry_xml("k", "99999999999999999999")),
      list_xml(kLast + entry_xml("k", "2000000000000000000")),
      list_xml(std::string("<EncodingType>url</EncodingType>") + kLast + entry_xml("k%2")),
      list_xml(std::string("<EncodingType>url</EncodingType>") + kLast + entry_xml("k%00")),
      list_xml(std::string(kLast) + "<CommonPrefixes></CommonPrefixes>"),
      list_xml(kLast + entry_xml("k")).substr(0, 200),
      std::string(kMaxListBytes + 1, ' '),
  };
  for (const std::string& xml : broken) {
    const Status status = parse_s3_list(xml).status();
    EXPECT_EQ(status.ok() ? StatusCode::kOk : StatusCode::kDataLoss, StatusCode::kDataLoss)
        << xml.substr(0, 400);
    EXPECT_LT(message(status).size(), 6000u);
  }
  std::string many = kLast;
  for (size_t i = 0; i <= kMaxEntriesOfPage; ++i) {
    many += entry_xml("k" + std::to_string(i));
  }
  EXPECT_EQ(parse_s3_list(list_xml(many)).status().code(), StatusCode::kDataLoss);
}

TEST(S3Xml, NothingIsExpandedOrLoaded) {
  const std::string xml = "<!DOCTYPE l [<!ENTITY a \"aaaaaaaa\"><!ENTITY f SYSTEM \"file:///etc/passwd\">]>" +
                          list_xml(kLast + entry_xml("x&a;&f;")).substr(39);
  const Result<TokenPage> list = parse_s3_list(xml);
  ASSERT_TRUE(list.ok()) << list.status();
  EXPECT_EQ(list->page.objects.at(0).key, "x&a;&f;");
  EXPECT_EQ(parse_s3_failure(std::string(100'000, '<')).code, "");
  std::string deep;
  for (int i = 0; i < 60'000; ++i) {
    deep += "<a>";
  }
  EXPECT_EQ(parse_s3_failure(deep).code, "");
}

TEST(S3Xml, Failures) {
  const S3Failure failure = parse_s3_failure(
      "<?xml "
      "version=\"1.0\"?><Error><Code>NoSuchKey</Code><Message>The\nkey\x01</Message><Region>eu-1</Region></"
      "Error>");
  EXPECT_EQ(failure.code, "NoSuchKey");
  EXPECT_EQ(failure.message, "The key ");
  EXPECT_EQ(failure.region, "eu-1");
  EXPECT_TRUE(is_s3_failure("  <Error><Code>x</Code></Error>"));
  EXPECT_FALSE(is_s3_failure(list_xml(kLast)));
  EXPECT_FALSE(is_s3_failure(""));
}

TEST(S3Xml, Uploads) {
  EXPECT_EQ(*parse_s3_upload_id(
                "<InitiateMultipartUploadResult><UploadId>u1</UploadId></InitiateMultipartUploadResult>"),
            "u1");
  EXPECT_FALSE(parse_s3_upload_id("<InitiateMultipartUploadResult/>").ok());
  EXPECT_EQ(*parse_s3_etag("<CopyObjectResult><ETag>&quot;e&quot;</ETag></CopyObjectResult>"), "e");
  EXPECT_FALSE(parse_s3_etag("<CopyObjectResult/>").ok());
  EXPECT_EQ(
      complete_upload_xml({"a", "b"}),
      "<CompleteMultipartUpload "
      "xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"><Part><PartNumber>1</PartNumber>"
      "<ETag>&quot;a&quot;</ETag></Part><Part><PartNumber>2</PartNumber><ETag>&quot;b&quot;</ETag></Part>"
      "</CompleteMultipartUpload>");
}

TEST(S3Xml, Times) {
  EXPECT_EQ(parse_iso_time("1970-01-01T00:00:01Z"), 1'000'000'000);
  EXPECT_EQ(parse_iso_time("1970-01-01T00:00:00.25Z"), 250'000'000);
  EXPECT_EQ(parse_iso_time("2024-02-29T23:59:59.999999999Z"), 1'709'251'199'999'999'999);
  for (const char* text :
       {"", "1970-01-01T00:00:01", "1970-13-01T00:00:01Z", "2023-02-29T00:00:00Z", "1970-01-01 00:00:01Z",
        "1970-01-01T24:00:00Z", "1970-01-01T00:00:0xZ", "1970-01-01T00:00:00.1234567890Z"}) {
    EXPECT_FALSE(parse_iso_time(text).has_value()) << text;
  }
}

ListPage page_of(std::vector<std::string> keys, std::vector<std::string> prefixes = {}) {
  ListPage page;
  for (std::string& key : keys) {
    page.objects.push_back({.key = std::move(key)});
  }
  page.prefixes = std::move(prefixes);
  return page;
}

TEST(S3List, WhatWasDeliveredOrComesBeforeTheStartIsLeftOut) {
  ListPage page = page_of({"a", "b/x", "c"}, {"b/", "d/"});
  ASSERT_TRUE(check_listed_page({.start_after = "b/x"}, "", page).ok());
  EXPECT_EQ(page.objects.size(), 1u);
  EXPECT_EQ(page.prefixes, std::vector<std::string>{"d/"});
  ListPage again = page_of({"e"}, {"d/"});
  ASSERT_TRUE(check_listed_page({}, "d/", again).ok());
  EXPECT_TRUE(again.prefixes.empty());
}

TEST(S3List, ListingsWithoutOrderOrPrefixAreErrors) {
  ListPage unsorted = page_of({"b", "a"});
  EXPECT_EQ(check_listed_page({}, "", unsorted).code(), StatusCode::kDataLoss);
  ListPage behind = page_of({"a"});
  EXPECT_EQ(check_listed_page({}, "b", behind).code(), StatusCode::kDataLoss);
  ListPage strange = page_of({"x/1"});
  EXPECT_EQ(check_listed_page({.prefix = "y/"}, "", strange).code(), StatusCode::kDataLoss);
}

}  // namespace
}  // namespace forebay::storage
