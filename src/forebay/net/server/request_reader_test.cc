// The parts of the server that know no socket: targets, field values, content codings, the reader of
// requests.
#include "forebay/net/server/request_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "forebay/base/units.h"
#include "forebay/net/server/field_values.h"

namespace forebay::net {
namespace {

Bytes bytes_of_text(std::string_view text) {
  return std::as_bytes(std::span(text));
}

std::string text_of_bytes(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(RequestTarget, PathAndQuery) {
  const auto parsed = parse_target("/v2/models/a%2Fb%20c?x=1?&y");
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->raw_path, "/v2/models/a%2Fb%20c");
  EXPECT_EQ(parsed->path, "/v2/models/a/b c");
  EXPECT_EQ(parsed->query, "x=1?&y");
  EXPECT_EQ(parse_target("http://host:80/p?q")->raw_path, "/p");
  EXPECT_EQ(parse_target("http://host")->raw_path, "/");
  EXPECT_EQ(parse_target("http://host?q")->query, "q");
  EXPECT_EQ(parse_target("*")->path, "*");
  for (const std::string_view wrong :
       {"", "a", "?q", "/a b", "/%", "/%4", "/%g0", "/%00", "/a#b", "ftp://h/"}) {
    EXPECT_EQ(parse_target(wrong).status().code(), StatusCode::kInvalidArgument) << wrong;
  }
}

TEST(RequestTarget, SegmentsAreCutBeforeTheyAreDecoded) {
  using Parts = std::vector<std::string>;
  EXPECT_EQ(*path_segments("/"), Parts());
  EXPECT_EQ(*path_segments("/v2/models/a%2Fb"), (Parts{"v2", "models", "a/b"}));
  EXPECT_EQ(*path_segments("/a//b/"), (Parts{"a", "", "b", ""}));
  EXPECT_FALSE(path_segments("/a/%zz").ok());
}

TEST(RequestTarget, QueriesAreNamesAndValues) {
  const auto values = parse_query("a=1&b=x%26y+z&&c&d=&=e");
  ASSERT_TRUE(values.ok());
  ASSERT_EQ(values->size(), 5U);
  EXPECT_EQ((*values)[1].name, "b");
  EXPECT_EQ((*values)[1].value, "x&y z");
  EXPECT_EQ((*values)[2].value, "");
  EXPECT_EQ((*values)[4].name, "");
  EXPECT_TRUE(parse_query("")->empty());
  EXPECT_FALSE(parse_query("a=%").ok());
}

TEST(ContentCoding, WhatIsAccepted) {
  EXPECT_EQ(accepted_coding("gzip, deflate, br"), ContentCoding::kGzip);
  EXPECT_EQ(accepted_coding("deflate, gzip"), ContentCoding::kGzip);
  EXPECT_EQ(accepted_coding("gzip;q=0.5, deflate;q=0.8"), ContentCoding::kDeflate);
  EXPECT_EQ(accepted_coding("gzip;q=0"), ContentCoding::kIdentity);
  EXPECT_EQ(accepted_coding("gzip;q=0, deflate;q=0.001"), ContentCoding::kDeflate);
  EXPECT_EQ(accepted_coding("identity, br"), ContentCoding::kIdentity);
  EXPECT_EQ(accepted_coding(""), ContentCoding::kIdentity);
  EXPECT_EQ(parse_content_encoding("X-GZip"), ContentCoding::kGzip);
  EXPECT_EQ(parse_content_encoding("gzip, gzip"), std::nullopt);
  EXPECT_EQ(parse_content_encoding("br"), std::nullopt);
}

class CodingTest : public ::testing::TestWithParam<ContentCoding> {
 protected:
  /// Decoded in pieces of some bytes.
  Result<std::string> decoded(Bytes bytes, size_t step, uint64_t limit_bytes) {
    Inflater inflater(GetParam());
    BodyBuffer out(limit_bytes, nullptr);
    for (size_t at = 0; at < bytes.size(); at += step) {
      FOREBAY_RETURN_IF_ERROR(inflater.put(bytes.subspan(at, std::min(step, bytes.size() - at)), &out));
    }
    if (!inflater.is_complete()) {
      return data_loss("it ends too early");
    }
    const memory::BufferRef whole = out.take();
    return whole == nullptr ? std::string() : text_of_bytes(whole->bytes());
  }
  std::string encoded(std::string_view text) {
    return text_of_bytes(
        (*compressed({std::string(text.substr(0, 5)), std::string(text.substr(5))}, GetParam()))->bytes());
  }
};

TEST_P(CodingTest, ComesBackAsItWas) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    text += std::to_string(i % 977) + " ";
  }
  const std::string shorter = encoded(text);
  EXPECT_LT(shorter.size(), text.size() / 2);
  for (const size_t step : {size_t{1}, size_t{1000}, shorter.size()}) {
    const Result<std::string> back = decoded(bytes_of_text(shorter), step, text.size());
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_TRUE(*back == text);
  }
  EXPECT_EQ(decoded(bytes_of_text(shorter), 999, text.size() - 1).status().code(), StatusCode::kOutOfRange);
  EXPECT_FALSE(decoded(bytes_of_text(shorter).first(shorter.size() - 1), 999, text.size()).ok());
  EXPECT_EQ(decoded(bytes_of_text("not compressed at all"), 999, 99).status().code(), StatusCode::kDataLoss);
  const std::string twice = shorter + shorter;  // gzip files may follow each other, deflate's blocks may not
  EXPECT_EQ(decoded(bytes_of_text(twice), 999, 2 * text.size()).ok(), GetParam() == ContentCoding::kGzip);
}

TEST_P(CodingTest, WhatDoesNotShrinkIsLeft) {
  EXPECT_EQ(compressed({std::string("short")}, GetParam()).status().code(), StatusCode::kOutOfRange);
}

INSTANTIATE_TEST_SUITE_P(All, CodingTest, ::testing::Values(ContentCoding::kGzip, ContentCoding::kDeflate),
                         [](const auto& info) { return std::string(name_of(info.param)); });

class RequestReaderTest : public ::testing::Test {
 protected:
  RequestReaderTest() : rules_{.body_bytes = 1 << 20, .discard_bytes = 1 << 20} {}

  /// Puts all of it, with what is left each time, and returns how much was taken.
  static size_t put_all(RequestReader* reader, std::string_view text) {
    size_t taken = 0;
    while (!reader->is_done() && taken < text.size()) {
      const size_t step = reader->put(bytes_of_text(text.substr(taken)));
      if (step == 0) {
        break;
      }
      taken += step;
    }
    return taken;
  }
  std::string post_compressed(ContentCoding coding, std::string_view text) {
    const memory::BufferRef shorter = *compressed({std::string(text)}, coding);
    return fmt::format("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: {}\r\nContent-Length: {}\r\n\r\n{}",
                       name_of(coding), shorter->size_bytes(), text_of_bytes(shorter->bytes()));
  }

  RequestRules rules_;
};

TEST_F(RequestReaderTest, ThereIsRoomBeforeABodyForWhatLiesInIt) {
  constexpr size_t kHeader_bytes = 37;
  constexpr size_t kLead_bytes = 64 - kHeader_bytes;
  rules_.handler.admit = [](const RequestHead&) { return Admission{.bytes_before_body = kLead_bytes}; };
  const std::string body = std::string(kHeader_bytes, 'h') + std::string(100'000, 't');
  const std::string lines = "POST / HTTP/1.1\r\nHost: a\r\n";
  // Of a length that is known, and in chunks, whose memory grows.
  for (const std::string& request :
       {lines + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body,
        lines + "Transfer-Encoding: chunked\r\n\r\n186C5\r\n" + body + "\r\n0\r\n\r\n"}) {
    RequestReader reader(rules_, "peer");
    size_t taken = 0;
    while (taken < request.size() && !reader.is_done()) {
      taken += reader.put(bytes_of_text(request).subspan(taken));
    }
    ASSERT_TRUE(reader.is_done() && !reader.is_refused());
    const ServerRequest made = reader.take_request();
    EXPECT_EQ(made.body_offset_bytes, kLead_bytes);
    EXPECT_EQ(text_of_bytes(made.body_bytes()), body);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(made.body_bytes().data() + kHeader_bytes) % 64, 0U);
  }
}

TEST_F(RequestReaderTest, TakesOneRequestAndNoMore) {
  const std::string first = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc";
  RequestReader reader(rules_, "peer");
  EXPECT_EQ(put_all(&reader, first + "GET /next"), first.size());
  ASSERT_TRUE(reader.is_done());
  const ServerRequest request = reader.take_request();
  EXPECT_EQ(text_of_bytes(request.body_bytes()), "abc");
  EXPECT_EQ(request.head.peer, "peer");
  EXPECT_EQ(*request.head.header("host"), "a");
}

TEST_F(RequestReaderTest, BodiesAreReceivedInTheirOwnMemory) {
  RequestReader reader(rules_, "peer");
  put_all(&reader, "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 8\r\n\r\nabc");
  const MutableBytes room = reader.direct_room();
  ASSERT_EQ(room.size(), 5U);
  std::ranges::fill(room, std::byte{'d'});
  reader.received_directly(2);
  EXPECT_EQ(reader.direct_room().data(), room.data() + 2);
  reader.received_directly(3);
  ASSERT_TRUE(reader.is_done());
  const ServerRequest request = reader.take_request();
  EXPECT_EQ(text_of_bytes(request.body_bytes()), "abcddddd");
  EXPECT_EQ(request.body->bytes().data() + 3, room.data());  // nothing was moved
}

TEST_F(RequestReaderTest, CompressedBodiesAreHandedOverDecoded) {
  const std::string text(100'000, 'z');
  for (const ContentCoding coding : {ContentCoding::kGzip, ContentCoding::kDeflate}) {
    RequestReader reader(rules_, "peer");
    put_all(&reader, post_compressed(coding, text));
    ASSERT_TRUE(reader.is_done());
    ASSERT_FALSE(reader.is_refused());
    EXPECT_TRUE(text_of_bytes(reader.take_request().body_bytes()) == text);
  }
}

TEST_F(RequestReaderTest, ALittleThatBecomesMuchIsRefused) {
  rules_.bodies = Budget::create(10 * kMiB);
  RequestReader reader(rules_, "peer");
  put_all(&reader, post_compressed(ContentCoding::kGzip, std::string(kMiB + 1, 'z')));
  ASSERT_TRUE(reader.is_refused());
  EXPECT_EQ(reader.take_refusal().status, 413);
  EXPECT_FALSE(reader.facts().closes);
  EXPECT_EQ(rules_.bodies->working_bytes(), 0U);
}

TEST_F(RequestReaderTest, CodingsThatAreNotKnownOrBrokenAreRefused) {
  const auto status_of = [this](const std::string& request) {
    RequestReader reader(rules_, "peer");
    put_all(&reader, request);
    return reader.is_done() && reader.is_refused() ? reader.take_refusal().status : 0;
  };
  const std::string head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nContent-Encoding: ";
  EXPECT_EQ(status_of(head + "br\r\n\r\nabc"), 415);
  EXPECT_EQ(status_of(head + "gzip\r\nContent-Encoding: gzip\r\n\r\nabc"), 415);
  EXPECT_EQ(status_of(head + "gzip\r\n\r\nabc"), 400);
  std::string cut = post_compressed(ContentCoding::kGzip, std::string(1000, 'z'));
  cut.replace(cut.find("Content-Length: ") + 16, 1, "1");
  EXPECT_EQ(status_of(cut), 400);
}

TEST_F(RequestReaderTest, AnswersSayHowTheyAreCoded) {
  ServerResponse response;
  response.append(std::string(5000, 'r'));
  response.may_compress = true;
  const EncodedResponse as_is = encode_response(response, {});
  EXPECT_NE(as_is.head.find("Content-Length: 5000"), std::string::npos);
  EXPECT_NE(as_is.head.find("Vary: Accept-Encoding"), std::string::npos);
  const EncodedResponse shorter = encode_response(response, {.accepted = ContentCoding::kDeflate});
  EXPECT_NE(shorter.head.find("Content-Encoding: deflate"), std::string::npos);
  ASSERT_EQ(shorter.body.size(), 1U);
  EXPECT_LT(bytes_of_piece(shorter.body[0]).size(), 100U);
  response.content_length = 123;
  EXPECT_NE(encode_response(response, {.is_head_request = true}).head.find("Content-Length: 123"),
            std::string::npos);
  response.status = 204;
  const EncodedResponse none = encode_response(response, {});
  EXPECT_EQ(none.head.find("Content-Length"), std::string::npos);
  EXPECT_TRUE(none.body.empty());
}

}  // namespace
}  // namespace forebay::net
