#include "forebay/cache/journal/journal_format.h"

#include <gtest/gtest.h>

#include "forebay/base/testing/fuzz_seed.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/testing/bytes_file.h"

namespace forebay::cache {
namespace {

JournalFacts facts_of(uint64_t content_bytes) {
  JournalFacts facts = {.header = {.id = 17, .uri = "s3://bucket/\xff key", .mount = "/data"}};
  facts.footer = {.id = 17,
                  .sequence = 3,
                  .content_bytes = content_bytes,
                  .written_ns = -5,
                  .condition = {.base = JournalBase::kVersion, .version = "v1"}};
  facts.footer.chunk_crcs.assign((content_bytes + kJournalChunkBytes - 1) / kJournalChunkBytes, 0x12345678);
  return facts;
}

std::string file_of(const JournalFacts& facts) {
  return encode_journal_header(facts.header) + std::string(facts.footer.content_bytes, 'x') +
         encode_journal_footer(facts.footer);
}

Result<JournalFacts> read(const std::string& bytes) {
  return read_journal_facts(BytesFile(bytes_of(bytes)));
}

TEST(JournalFormat, ReadsWhatItWrites) {
  for (const uint64_t size : {uint64_t{0}, uint64_t{1}, kJournalChunkBytes, kJournalChunkBytes + 1}) {
    JournalFacts facts = facts_of(size);
    for (const JournalCondition& condition :
         {JournalCondition{},
          JournalCondition{.base = JournalBase::kVersion, .version = std::string(16384, 'v')},
          JournalCondition{.base = JournalBase::kAfter, .after = 99}}) {
      facts.footer.condition = condition;
      const Result<JournalFacts> again = read(file_of(facts));
      ASSERT_TRUE(again.ok()) << again.status();
      EXPECT_EQ(again->header, facts.header);
      EXPECT_EQ(again->footer, facts.footer);
    }
  }
  const JournalOutcome outcome = {.id = 5, .version = "\"etag\""};
  EXPECT_EQ(*parse_journal_outcome(bytes_of(encode_journal_outcome(outcome))), outcome);
}

TEST(JournalFormat, ContentBeginsAtAPage) {
  JournalHeader header = {.uri = std::string(16384, 'u'), .mount = std::string(4096, 'm')};
  EXPECT_EQ(header.file_bytes() % 4096, 0u);
  EXPECT_EQ(encode_journal_header(header).size(), header.file_bytes());
  EXPECT_EQ(*parse_journal_header(bytes_of(encode_journal_header(header))), header);
}

TEST(JournalFormat, AFileThatIsCutAnywhereIsDamaged) {
  const std::string whole = file_of(facts_of(10));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_EQ(read(whole.substr(0, size)).status().code(), StatusCode::kDataLoss) << size;
  }
  EXPECT_EQ(read(whole + "x").status().code(), StatusCode::kDataLoss);
}

TEST(JournalFormat, EveryFlippedBitOfHeaderAndFooterIsFound) {
  const JournalFacts facts = facts_of(10);
  const std::string whole = file_of(facts);
  const size_t named = 24 + facts.header.uri.size() + facts.header.mount.size() + 4;
  const size_t footer = whole.size() - encode_journal_footer(facts.footer).size() + kJournalZerosBehind;
  for (size_t at = 0; at < whole.size(); at = at + 1 == named ? footer : at + 1) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = whole;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      EXPECT_EQ(read(flipped).status().code(), StatusCode::kDataLoss) << at;
    }
  }
  const std::string outcome = encode_journal_outcome({.id = 5, .version = "v"});
  for (size_t at = 0; at < outcome.size(); ++at) {
    std::string flipped = outcome;
    flipped[at] = static_cast<char>(flipped[at] ^ 4);
    EXPECT_EQ(parse_journal_outcome(bytes_of(flipped)).status().code(), StatusCode::kDataLoss) << at;
  }
}

// Checksums are right, and what they cover makes no sense.
TEST(JournalFormat, SenselessFilesAreRefused) {
  std::vector<JournalFacts> senseless(6, facts_of(10));
  senseless[0].footer.id = 18;  // of another file
  senseless[1].footer.chunk_crcs.clear();
  senseless[2].footer.condition.version.clear();
  senseless[3].footer.condition = {.base = JournalBase::kAfter, .after = 17};  // itself
  senseless[4].footer.condition = {.base = static_cast<JournalBase>(9)};
  senseless[5].footer.condition.version = std::string(kMaxJournalNameBytes + 1, 'v');
  for (const JournalFacts& facts : senseless) {
    EXPECT_EQ(read(file_of(facts)).status().code(), StatusCode::kDataLoss);
  }
  JournalFacts huge = facts_of(0);
  huge.footer.content_bytes = ~uint64_t{0};
  EXPECT_EQ(read(encode_journal_header(huge.header) + encode_journal_footer(huge.footer)).status().code(),
            StatusCode::kDataLoss);
}

TEST(JournalFormat, SeedsOfTheFuzzerAreItsFiles) {
  JournalFacts facts = facts_of(10);
  expect_seeds("journal_file_fuzzer", "version", file_of(facts));
  facts.footer.condition = {.base = JournalBase::kAfter, .after = 99};
  expect_seeds("journal_file_fuzzer", "after", file_of(facts));
  expect_seeds("journal_file_fuzzer", "outcome", encode_journal_outcome({.id = 5, .version = "v"}));
}

}  // namespace
}  // namespace forebay::cache
