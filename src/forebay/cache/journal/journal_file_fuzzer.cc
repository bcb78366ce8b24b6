// Reads arbitrary bytes as a file of the journal; and, so that what lies deeper is reached, as the footer
// behind a correct header, and with the right checksum.
#include <algorithm>
#include <string>

#include "forebay/base/check.h"
#include "forebay/base/crc32c.h"
#include "forebay/cache/disk/word_codec.h"
#include "forebay/cache/journal/journal_format.h"
#include "forebay/cache/testing/bytes_file.h"

using namespace forebay;
using namespace forebay::cache;

namespace {

// What is accepted is written so that it reads the same.
void check_file(const std::string& bytes) {
  const BytesFile file(bytes_of(bytes));
  const Result<JournalFacts> facts = read_journal_facts(file);
  if (!facts.ok()) {
    return;
  }
  const uint64_t content_end = facts->header.file_bytes() + facts->footer.content_bytes;
  const std::string again = encode_journal_header(facts->header) +
                            std::string(facts->footer.content_bytes, 'c') +
                            encode_journal_footer(facts->footer);
  FOREBAY_CHECK(content_end <= bytes.size());
  const Result<JournalFacts> read = read_journal_facts(BytesFile(bytes_of(again)));
  FOREBAY_CHECK(read.ok() && read->header == facts->header && read->footer == facts->footer);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), std::min<size_t>(size, 1 << 16));
  check_file(text);
  const Result<JournalOutcome> outcome = parse_journal_outcome(bytes_of(text));
  if (outcome.ok()) {
    FOREBAY_CHECK(encode_journal_outcome(*outcome) == text);
  }
  const JournalHeader header = {.id = 7, .uri = "s3://bucket/key", .mount = "/data"};
  constexpr uint64_t kFooterMagic = 0x31464e524a424f46;
  std::string body = text;
  append_word(&body, static_cast<uint32_t>(text.size()));
  append_word(&body, kFooterMagic);
  append_word(&body, crc32c(bytes_of(body)));
  check_file(encode_journal_header(header) + std::string(kJournalZerosBehind, '\0') + body);
  return 0;
}
