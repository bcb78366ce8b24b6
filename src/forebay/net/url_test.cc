#include "forebay/net/url.h"

#include <gtest/gtest.h>

namespace forebay::net {
namespace {

TEST(Url, EncodesEveryByteThatIsNotPlain) {
  EXPECT_EQ(percent_encoded("a-b_c.d~9/e"), "a-b_c.d~9/e");
  EXPECT_EQ(percent_encoded("a/b", false), "a%2Fb");
  EXPECT_EQ(percent_encoded("100% of 'a+b'?#&\xff"), "100%25%20of%20%27a%2Bb%27%3F%23%26%FF");
  EXPECT_EQ(percent_encoded(std::string_view("\0\n", 2)), "%00%0A");
}

TEST(Url, EncodesOnlyWhatMayNotStandThere) {
  EXPECT_EQ(percent_encoded_where_needed("/a b%20c?d=e&f#g\"\xc3\xa9"), "/a%20b%20c?d=e&f%23g%22%C3%A9");
  EXPECT_EQ(percent_encoded_where_needed("/100%/5%2/%zz%41"), "/100%25/5%252/%25zz%41");
}

TEST(Url, Decodes) {
  std::string every;
  for (int byte = 0; byte < 256; ++byte) {
    every += static_cast<char>(byte);
  }
  EXPECT_EQ(*percent_decoded(percent_encoded(every)), every);
  for (const char* text : {"%", "a%2", "%zz", "%-1"}) {
    EXPECT_EQ(percent_decoded(text).status().code(), StatusCode::kInvalidArgument) << text;
  }
}

TEST(Url, TakesHttpAndHttpsOnly) {
  for (const char* url : {"http://h/", "https://h:1/p?q", "http://u:p@h", "http://[::1]:80/x"}) {
    EXPECT_TRUE(check_url(url).ok()) << url << check_url(url);
  }
  for (const char* url : {"", "h/p", "ftp://h/", "file:///etc/passwd", "http://", "http://h/a b",
                          "http://h/\n", "http://h:99999/", "gopher://h/"}) {
    EXPECT_EQ(check_url(url).code(), StatusCode::kInvalidArgument) << url;
  }
  EXPECT_FALSE(check_url("http://h/" + std::string(100'000, 'a')).ok());
}

TEST(Url, ResolvesReferences) {
  const std::string base = "http://host:81/a/b?c";
  EXPECT_EQ(*resolve_url(base, "/x"), "http://host:81/x");
  EXPECT_EQ(*resolve_url(base, "x?y"), "http://host:81/a/x?y");
  EXPECT_EQ(*resolve_url(base, "//other/x"), "http://other/x");
  EXPECT_EQ(*resolve_url(base, "https://other/x y"), "https://other/x%20y");
  EXPECT_EQ(resolve_url(base, "file:///etc/passwd").status().code(), StatusCode::kInvalidArgument);
}

TEST(Url, OriginsTellHostsApart) {
  EXPECT_EQ(*origin_of("http://u:p@Host/x"), "http://host:80");
  EXPECT_EQ(*origin_of("https://host/x"), "https://host:443");
  EXPECT_EQ(*origin_of("http://host:8080"), "http://host:8080");
  for (const std::string host :
       {"localhost", "LocalHost:80/x", "127.0.0.1:9000", "[::1]:1/", "user@localhost"}) {
    EXPECT_TRUE(is_of_this_host("http://" + host)) << host;
  }
  for (const std::string host :
       {"localhost:x@other/", "localhost.other", "127.0.0.2", "other/localhost", ""}) {
    EXPECT_FALSE(is_of_this_host("http://" + host)) << host;
  }
}

TEST(Url, MessagesHoldNoSecrets) {
  EXPECT_EQ(url_for_message("https://user:secret@host:1/a/b?signature=secret#x"), "https://host:1/a/b");
  EXPECT_EQ(url_for_message("http://host/a@b"), "http://host/a@b");
  EXPECT_EQ(url_for_message("http://host?secret"), "http://host");
}

}  // namespace
}  // namespace forebay::net
