#include "forebay/cache/messages/host_messages.h"

#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/strings/cord.h"
#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/cache/disk/word_codec.h"

namespace forebay::cache {
namespace {

/// A message of each kind, and whether bytes are one of that kind, said again as they were said.
struct Sample {
  std::string bytes;
  std::function<bool(const std::string&)> is_understood;
};

template <class Message>
Sample sample_of(const Message& message, uint64_t number = 7) {
  return {encode(message, number), [number](const std::string& bytes) {
            const Result<Message> decoded = decode<Message>(bytes_of(bytes));
            EXPECT_TRUE(!decoded.ok() ||
                        encode(*decoded, number).substr(kHostHeaderBytes) == bytes.substr(kHostHeaderBytes));
            return decoded.ok();
          }};
}

template <class Answer>
Sample sample_of_answer(const Answer& answer) {
  return {encode_answer(7, answer), [](const std::string& bytes) {
            const Result<Answer> decoded = decode_answer<Answer>(bytes_of(bytes));
            EXPECT_TRUE(!decoded.ok() || encode_answer(7, *decoded).substr(kHostHeaderBytes) ==
                                             bytes.substr(kHostHeaderBytes));
            return decoded.ok();
          }};
}

storage::ObjectStat some_stat() {
  return {.size_bytes = 5, .modified_ns = -1, .version = "v1"};
}

std::vector<Sample> samples() {
  return {
      sample_of(Hello{.network = 3}, 0),
      sample_of(OpenStore{.store = 2, .use = {.options = {{"a", "1"}, {"b", ""}}, .is_immutable = true}}, 0),
      sample_of(OpenStore{.store = 2,
                          .use = {.variables = {{{"AWS_PROFILE", "p"}}},
                                  .write_back_mount = "/data",
                                  .write_back_bytes = 5}},
                0),
      sample_of(StatRequest{.store = 1, .uri = "s3://b/k", .time_left_ns = 9, .is_for_read = true}),
      sample_of(HostReadRequest{.uri = "s3://b/k", .if_version = "\"e\"", .priority = 2}),
      sample_of(ChangedObject{.uri = "s3://b/k", .stat = some_stat()}, 0),
      sample_of(ChangedObject{.uri = "s3://b/k", .stat = std::nullopt}, 0),
      sample_of(ChangedObject{.uri = "s3://b/k", .stat = some_stat(), .draft = 7}, 0),
      sample_of(DraftPart{.store = 2, .uri = "s3://b/k", .draft = 7, .offset_bytes = 8, .length_bytes = 9},
                3),
      sample_of(FollowPlan{.uri = "s3://b/k", .table = 4, .order = {.num_items = 9, .random_shuffle = true}}),
      sample_of(FollowPlan{.uri = "s3://b/k",
                           .order = {.begin = {.first_epoch = 1,
                                               .first_whole_epoch = 3,
                                               .left = {{.epoch = 1, .begin = 2, .end = 5}, {2, 0, 7}}}}}),
      sample_of(PlanTable{.bytes = 100}),
      sample_of(PlanCursor{.cursor = 8}),
      sample_of(
          PlanWindow{.first = 3, .count = 2, .ranges = {{.uri = "s3://b/k"}, {.place = 1, .uri = "u"}}}),
      sample_of(HostListRequest{.uri = "s3://b/", .delimiter = "/", .names_only = true}),
      sample_of(HostNextPage{.listing = 6}),
      sample_of(HostWalk{{.kind = WalkKind::kFree, .uri = "s3://b/k", .begin = 3, .end = 9}}),
      sample_of_answer(CacheWalked{.next = 4, .end = 9, .entries = 2, .dropped = 1}),
      sample_of(HostBringRequest{.uri = "s3://b/",
                                 .is_verified = true,
                                 .ranges = {{.name = "k", .version = "v"}, {.offset_bytes = 9}}}),
      sample_of(HostBeginWrite{.store = 3, .uri = "s3://b/k", .if_version = "v", .if_absent = true}),
      sample_of(HostWritePart{.write = 7, .length_bytes = 9, .time_left_ns = 5}),
      sample_of(HostCommitWrite{.write = 7}),
      sample_of(HostChange{.store = 3, .kind = ChangeKind::kCopy, .uri = "s3://b/k", .to = "s3://b/l"}),
      sample_of(HostBacklog{.uri = "s3://b/", .hurries = true}),
      sample_of_answer(HostBrought{{{ok_status(), true}, {unavailable("down"), false}}}),
      sample_of_answer(HostListPage{.objects = {{"a", some_stat()}, {"b", {}}}, .prefixes = {"c/", ""}}),
      sample_of_answer(some_stat()),
      sample_of_answer(HostBytes{.version = "v", .inline_bytes = std::string(3, '\0'), .range = 4}),
      sample_of_answer(std::string("text")),
  };
}

TEST(HostMessagesTest, AreUnderstoodAsTheyWereSaid) {
  for (const Sample& sample : samples()) {
    EXPECT_TRUE(sample.is_understood(sample.bytes));
  }
}

TEST(HostMessagesTest, WhatIsCutShortOrTooLongIsRefused) {
  for (const Sample& sample : samples()) {
    for (size_t size = 0; size < sample.bytes.size(); ++size) {
      EXPECT_FALSE(sample.is_understood(sample.bytes.substr(0, size))) << size;
    }
    EXPECT_FALSE(sample.is_understood(sample.bytes + '\0'));
  }
}

TEST(HostMessagesTest, AnyByteMayBeAnother) {
  for (const Sample& sample : samples()) {
    for (size_t i = kHostHeaderBytes; i < sample.bytes.size(); ++i) {
      for (const int value : {0, 1, 0x7f, 0x80, 0xff}) {
        std::string damaged = sample.bytes;
        damaged[i] = static_cast<char>(value);
        sample.is_understood(damaged);  // refused, or said again with the same bytes
      }
    }
  }
}

TEST(HostMessagesTest, LimitsHold) {
  const std::string longest(kMaxNameBytes, 'x');
  EXPECT_TRUE(decode<StatRequest>(bytes_of(encode(StatRequest{.uri = longest}))).ok());
  EXPECT_FALSE(decode<StatRequest>(bytes_of(encode(StatRequest{.uri = longest + "x"}))).ok());
  OpenStore open;
  for (size_t i = 0; i < kMaxOptions; ++i) {
    open.use.options[std::to_string(i)] = "value";
  }
  EXPECT_EQ(decode<OpenStore>(bytes_of(encode(open)))->use.options, open.use.options);
  open.use.options["one more"] = "value";
  EXPECT_FALSE(decode<OpenStore>(bytes_of(encode(open))).ok());
}

TEST(HostMessagesTest, TheLongestErrorsOfAllThatIsBroughtTogetherAreOneMessage) {
  const Status error = unavailable("{}", std::string(kMaxBringErrorBytes, 'x'));
  const HostBrought brought = {std::vector<HostBroughtRange>(kMaxBroughtTogether, {error, false})};
  EXPECT_LE(encode_answer(1, brought).size(), size_t{64} << 10);
}

TEST(HostMessagesTest, APriorityThatIsNotKnownIsTheLeast) {
  EXPECT_EQ(priority_of(0), storage::Priority::kDemand);
  EXPECT_EQ(priority_of(200), storage::Priority::kBulk);
}

TEST(HostMessagesTest, ErrorsKeepTheirCodeTextAndPayloads) {
  Status error = unavailable("s3://b/k: {}", std::string(size_t{20} << 10, 'x'));
  error.SetPayload("forebay.dev/one", absl::Cord("1"));
  error.SetPayload("forebay.dev/two", absl::Cord("2"));
  const Status decoded =
      decode_answer<std::string>(bytes_of(encode_answer(1, Result<std::string>(error)))).status();
  EXPECT_EQ(decoded.code(), error.code());
  EXPECT_TRUE(message(decoded).starts_with("s3://b/k: xxx"));
  EXPECT_LT(message(decoded).size(), size_t{10} << 10);
  EXPECT_EQ(decoded.GetPayload("forebay.dev/one"), absl::Cord("1"));
  EXPECT_EQ(decoded.GetPayload("forebay.dev/two"), absl::Cord("2"));
}

TEST(HostMessagesTest, KindsThatDoNotExistAreRefused) {
  std::string message = encode_header(HostMessage::kCancel, 5);
  ASSERT_EQ(decode_header(bytes_of(message))->number, 5U);
  for (const int kind : {0, static_cast<int>(kLastHostMessage) + 1, 0xff}) {
    message[0] = static_cast<char>(kind);
    EXPECT_FALSE(decode_header(bytes_of(message)).ok()) << kind;
  }
}

TEST(HostMessagesTest, SeedsOfTheFuzzerAreMessages) {
  const std::vector<Sample> all = samples();
  for (size_t i = 0; i < all.size(); ++i) {
    expect_seed("host_messages_fuzzer", std::to_string(i), all[i].bytes);
  }
}

}  // namespace
}  // namespace forebay::cache
