// The files of a journal: objects that were acknowledged and that their stores do not have yet.
//
//   [header, zeros to a multiple of 4096][content][64 zeros][footer][trailer 16]
//
// The header names the object, so that a file whose end is damaged can still be named. Header and footer have
// a CRC-32C each, and the footer one for each MiB of the content. A file gets its last name when all of it is
// durable: one with that name and a wrong checksum is damaged, and never just unfinished. Parsers return
// data_loss for what is not such a file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/cache/files/file_system.h"

namespace forebay::cache {

inline constexpr uint64_t kJournalChunkBytes = uint64_t{1} << 20;
inline constexpr uint64_t kJournalZerosBehind = 64;
inline constexpr size_t kMaxJournalNameBytes = size_t{16} << 10;  // of a URI, a mount's path, a version
inline constexpr uint64_t kMaxJournalContentBytes = uint64_t{16} << 40;

struct JournalHeader {
  uint64_t id = 0;  // random: no two files of any journal have the same
  std::string uri;
  std::string mount;  // the path of the mount whose options reach the store

  uint64_t file_bytes() const;  // and the place of the content

  friend bool operator==(const JournalHeader&, const JournalHeader&) = default;
};

/// What the store must have for the object to be written: what its writer saw.
enum class JournalBase : uint8_t {
  kAbsent = 1,
  kVersion,  // this version
  kAfter,    // what another file of the journal becomes
};

struct JournalCondition {
  JournalBase base = JournalBase::kAbsent;
  std::string version;
  uint64_t after = 0;  // the id of that file

  friend bool operator==(const JournalCondition&, const JournalCondition&) = default;
};

struct JournalFooter {
  uint64_t id = 0;
  uint64_t sequence = 0;  // the order of acknowledgement
  uint64_t content_bytes = 0;
  int64_t written_ns = 0;  // since the Unix epoch
  JournalCondition condition;
  std::vector<uint32_t> chunk_crcs;

  friend bool operator==(const JournalFooter&, const JournalFooter&) = default;
};

/// What became of a file that another one follows: a small file of its own.
struct JournalOutcome {
  uint64_t id = 0;
  std::string version;  // of the object; empty: it was kept beside what others had written

  friend bool operator==(const JournalOutcome&, const JournalOutcome&) = default;
};

struct JournalFacts {
  JournalHeader header;
  JournalFooter footer;
};

/// All of the header's part of the file.
std::string encode_journal_header(const JournalHeader& header);
Result<JournalHeader> parse_journal_header(Bytes file_begin);

/// With the zeros before it and the trailer behind it.
std::string encode_journal_footer(const JournalFooter& footer);

std::string encode_journal_outcome(const JournalOutcome& outcome);
Result<JournalOutcome> parse_journal_outcome(Bytes file);

/// Reads header and footer, not the content.
Result<JournalHeader> read_journal_header(const File& file);
Result<JournalFacts> read_journal_facts(const File& file);

}  // namespace forebay::cache
