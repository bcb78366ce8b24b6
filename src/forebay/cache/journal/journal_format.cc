#include "forebay/cache/journal/journal_format.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "forebay/base/crc32c.h"
#include "forebay/base/round_up.h"
#include "forebay/cache/disk/word_codec.h"

namespace forebay::cache {
namespace {

constexpr uint64_t kHeaderMagic = 0x314c4e524a424f46;   // "FOBJRNL1"
constexpr uint64_t kFooterMagic = 0x31464e524a424f46;   // "FOBJRNF1"
constexpr uint64_t kOutcomeMagic = 0x314f4e524a424f46;  // "FOBJRNO1"
constexpr uint64_t kJournalBlockBytes = 4096;
constexpr uint64_t kFixedHeaderBytes = 24;
constexpr uint64_t kFixedFooterBytes = 53;
constexpr uint64_t kTrailerBytes = 16;
constexpr uint64_t kMaxHeaderFileBytes =
    kJournalBlockBytes * (2 * kMaxJournalNameBytes / kJournalBlockBytes + 1);

uint64_t chunks_of(uint64_t content_bytes) {
  return (content_bytes + kJournalChunkBytes - 1) / kJournalChunkBytes;
}

/// Takes fields that may not all be there.
class JournalFields {
 public:
  explicit JournalFields(Bytes bytes) : bytes_(bytes) {}

  template <class Word>
  Word take() {
    if (bytes_.size() < sizeof(Word)) {
      is_sound_ = false;
      return {};
    }
    const Word word = WordReader(bytes_).take<Word>();
    bytes_ = bytes_.subspan(sizeof(Word));
    return word;
  }
  std::string take_text(uint64_t size_bytes) {
    if (size_bytes > kMaxJournalNameBytes || size_bytes > bytes_.size()) {
      is_sound_ = false;
      return {};
    }
    std::string text(reinterpret_cast<const char*>(bytes_.data()), size_bytes);
    bytes_ = bytes_.subspan(size_bytes);
    return text;
  }
  bool is_over() const { return is_sound_ && bytes_.empty(); }
  bool is_sound() const { return is_sound_; }

 private:
  Bytes bytes_;
  bool is_sound_ = true;
};

/// What lies before the checksum that ends `bytes`, if that is right.
std::optional<Bytes> checked(Bytes bytes) {
  if (bytes.size() < sizeof(uint32_t)) {
    return std::nullopt;
  }
  const Bytes body = bytes.first(bytes.size() - sizeof(uint32_t));
  const bool is_right = WordReader(bytes.subspan(body.size())).take<uint32_t>() == crc32c(body);
  return is_right ? std::optional<Bytes>(body) : std::nullopt;
}

bool is_sane_footer(const JournalFooter& footer) {
  const JournalCondition& condition = footer.condition;
  switch (condition.base) {
    case JournalBase::kAbsent:
      return condition.version.empty() && condition.after == 0;
    case JournalBase::kVersion:
      return !condition.version.empty() && condition.after == 0;
    case JournalBase::kAfter:
      return condition.version.empty() && condition.after != footer.id;
  }
  return false;
}

Result<JournalFooter> parse_journal_footer(Bytes body) {
  JournalFields fields(body);
  JournalFooter footer;
  footer.id = fields.take<uint64_t>();
  footer.sequence = fields.take<uint64_t>();
  footer.content_bytes = fields.take<uint64_t>();
  footer.written_ns = fields.take<int64_t>();
  footer.condition.base = static_cast<JournalBase>(fields.take<uint8_t>());
  footer.condition.after = fields.take<uint64_t>();
  footer.condition.version = fields.take_text(fields.take<uint32_t>());
  const uint64_t chunks = fields.take<uint64_t>();
  if (!fields.is_sound() || footer.content_bytes > kMaxJournalContentBytes ||
      chunks != chunks_of(footer.content_bytes) || chunks > body.size() / sizeof(uint32_t)) {
    return data_loss("the footer is damaged");
  }
  footer.chunk_crcs.reserve(chunks);
  for (uint64_t i = 0; i < chunks; ++i) {
    footer.chunk_crcs.push_back(fields.take<uint32_t>());
  }
  if (!fields.is_over() || !is_sane_footer(footer)) {
    return data_loss("the footer is damaged");
  }
  return footer;
}

Result<std::string> read_part(const File& file, uint64_t offset_bytes, uint64_t length_bytes) {
  std::string part(length_bytes, '\0');
  FOREBAY_RETURN_IF_ERROR(file.read(offset_bytes, std::as_writable_bytes(std::span(part))));
  return part;
}

}  // namespace

uint64_t JournalHeader::file_bytes() const {
  return round_up(kFixedHeaderBytes + uri.size() + mount.size() + sizeof(uint32_t), kJournalBlockBytes);
}

std::string encode_journal_header(const JournalHeader& header) {
  std::string bytes;
  append_word(&bytes, kHeaderMagic);
  append_word(&bytes, header.id);
  append_word(&bytes, static_cast<uint32_t>(header.uri.size()));
  append_word(&bytes, static_cast<uint32_t>(header.mount.size()));
  bytes += header.uri + header.mount;
  append_word(&bytes, crc32c(bytes_of(bytes)));
  bytes.resize(header.file_bytes(), '\0');
  return bytes;
}

Result<JournalHeader> parse_journal_header(Bytes file_begin) {
  const Status damaged = data_loss("the header is damaged");
  JournalFields fields(file_begin);
  const bool is_one = fields.take<uint64_t>() == kHeaderMagic;
  JournalHeader header;
  header.id = fields.take<uint64_t>();
  const uint64_t uri_bytes = fields.take<uint32_t>();
  const uint64_t mount_bytes = fields.take<uint32_t>();
  header.uri = fields.take_text(uri_bytes);
  header.mount = fields.take_text(mount_bytes);
  const uint32_t crc = fields.take<uint32_t>();
  if (!is_one || !fields.is_sound() ||
      crc != crc32c(file_begin.first(kFixedHeaderBytes + uri_bytes + mount_bytes))) {
    return damaged;
  }
  return header;
}

std::string encode_journal_footer(const JournalFooter& footer) {
  std::string body;
  append_word(&body, footer.id);
  append_word(&body, footer.sequence);
  append_word(&body, footer.content_bytes);
  append_word(&body, footer.written_ns);
  append_word(&body, static_cast<uint8_t>(footer.condition.base));
  append_word(&body, footer.condition.after);
  append_word(&body, static_cast<uint32_t>(footer.condition.version.size()));
  body += footer.condition.version;
  append_word(&body, static_cast<uint64_t>(footer.chunk_crcs.size()));
  for (const uint32_t crc : footer.chunk_crcs) {
    append_word(&body, crc);
  }
  std::string bytes(kJournalZerosBehind, '\0');
  bytes += body;
  append_word(&bytes, static_cast<uint32_t>(body.size()));
  append_word(&bytes, kFooterMagic);
  append_word(&bytes, crc32c(bytes_of(bytes).subspan(kJournalZerosBehind)));
  return bytes;
}

std::string encode_journal_outcome(const JournalOutcome& outcome) {
  std::string bytes;
  append_word(&bytes, kOutcomeMagic);
  append_word(&bytes, outcome.id);
  append_word(&bytes, static_cast<uint32_t>(outcome.version.size()));
  bytes += outcome.version;
  append_word(&bytes, crc32c(bytes_of(bytes)));
  return bytes;
}

Result<JournalOutcome> parse_journal_outcome(Bytes file) {
  JournalFields fields(checked(file).value_or(Bytes()));
  const bool is_one = fields.take<uint64_t>() == kOutcomeMagic;
  JournalOutcome outcome;
  outcome.id = fields.take<uint64_t>();
  outcome.version = fields.take_text(fields.take<uint32_t>());
  if (!is_one || !fields.is_over()) {
    return data_loss("the outcome is damaged");
  }
  return outcome;
}

Result<JournalHeader> read_journal_header(const File& file) {
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t size, file.size_bytes());
  FOREBAY_ASSIGN_OR_RETURN(const std::string begin, read_part(file, 0, std::min(size, kMaxHeaderFileBytes)));
  return parse_journal_header(bytes_of(begin));
}

Result<JournalFacts> read_journal_facts(const File& file) {
  const Status damaged = data_loss("the footer is damaged");
  JournalFacts facts;
  FOREBAY_ASSIGN_OR_RETURN(facts.header, read_journal_header(file));
  FOREBAY_ASSIGN_OR_RETURN(const uint64_t size, file.size_bytes());
  const uint64_t content_at = facts.header.file_bytes();
  if (size < content_at + kJournalZerosBehind + kFixedFooterBytes + kTrailerBytes) {
    return damaged;
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string trailer, read_part(file, size - kTrailerBytes, kTrailerBytes));
  const uint64_t footer_bytes = WordReader(bytes_of(trailer)).take<uint32_t>();
  if (footer_bytes > size - content_at - kJournalZerosBehind - kTrailerBytes) {
    return damaged;
  }
  FOREBAY_ASSIGN_OR_RETURN(const std::string end, read_part(file, size - kTrailerBytes - footer_bytes,
                                                            footer_bytes + kTrailerBytes));
  const std::optional<Bytes> body = checked(bytes_of(end));
  if (!body || WordReader(body->subspan(footer_bytes + sizeof(uint32_t))).take<uint64_t>() != kFooterMagic) {
    return damaged;
  }
  FOREBAY_ASSIGN_OR_RETURN(facts.footer, parse_journal_footer(body->first(footer_bytes)));
  const bool fits =
      facts.footer.id == facts.header.id &&
      content_at + facts.footer.content_bytes + kJournalZerosBehind + footer_bytes + kTrailerBytes == size;
  return fits ? Result<JournalFacts>(std::move(facts)) : damaged;
}

}  // namespace forebay::cache
