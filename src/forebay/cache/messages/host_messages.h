// What processes and the daemon of their host say to each other, each in one message of a local connection
// (net/local). Little-endian; the first byte is the kind, the next eight the number of the request that it
// makes or answers. docs/design/host.md has the table; the fields of each message are listed once, in
// host_messages.cc, in the order in which they travel.
//
// decode() checks all that it reads: invalid_argument for a message that is cut short, too long, or beyond
// the limits below. What it accepts, encode() makes again, byte for byte.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/cache/entries/cache_walk.h"
#include "forebay/storage/object_store.h"
#include "forebay/storage/planned_items.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::cache {

/// Both sides say which version they speak; a daemon of another one is not used.
inline constexpr uint32_t kHostProtocol = 16;

inline constexpr size_t kMaxNameBytes = size_t{16} << 10;  // a URI, a version, an option, any text
inline constexpr size_t kMaxOptions = 64;
/// Bytes up to this number are in the message; more lie in a file or in shared memory.
inline constexpr size_t kMaxInlineBytes = kMaxNameBytes;

enum class HostMessage : uint8_t {
  kHello = 1,    // first, from both sides
  kOpenStore,    // settings of the stores that later requests name
  kStat,         // answered by kAnswer
  kRead,         // answered by kAnswer
  kCancel,       // the number of the request that nobody wants any more
  kRelease,      // the number of the read whose bytes nobody looks at any more
  kChanged,      // an object was written, removed or renamed past the daemon
  kStatistics,   // answered by kAnswer
  kAnswer,       // from the daemon
  kForgetRange,  // from the daemon: a file has gone, its mapping need not be kept; to it: it is not mapped
                 // here
  kPlan,         // what a reader of the process is going to read; its number names the plan in what follows
  kWantTable,    // from the daemon: it does not know what there is to read by this plan
  kTable,        // it is in the sealed memory that comes with the message
  kPlanWindow,   // the next reads of a plan that has no table
  kCursor,       // how far the plan's reader is
  kEndPlan,      // the plan's reader has ended, or reads something else
  kList,         // opens a listing, which has this number; answered by kAnswer with its first page
  kNextPage,     // answered by kAnswer
  kEndList,      // the number of the listing that nobody reads any more
  kWalk,         // a piece of work on what the cache holds; answered by kAnswer
  kRules,        // the rules on disk have changed; answered by kAnswer once all entries are kept by them
  kBring,        // objects are to be in the cache; answered by kAnswer once all of them are
  kDraftPart,    // bytes of an object that is being written, in sealed memory; answered by kAnswer
  kEndDraft,     // the number of the draft that gets no name
  kBeginWrite,   // an object that the daemon is to write; its number names it in what follows
  kWritePart,    // bytes of it, in sealed memory; answered by kAnswer
  kCommitWrite,  // answered by kAnswer once it is acknowledged
  kDropWrite,    // the number of the object that is not written after all
  kChange,       // something to be removed, renamed or copied by the daemon; answered by kAnswer
  kBacklog,      // what waits to be stored; answered by kAnswer
};
inline constexpr HostMessage kLastHostMessage = HostMessage::kBacklog;

/// What every message begins with; some have nothing else.
struct HostHeader {
  HostMessage kind = HostMessage::kHello;
  uint64_t number = 0;
};
inline constexpr size_t kHostHeaderBytes = 9;

Result<HostHeader> decode_header(Bytes message);
std::string encode_header(HostMessage kind, uint64_t number);

struct Hello {
  static constexpr HostMessage kKind = HostMessage::kHello;
  uint32_t protocol = kHostProtocol;
  uint64_t network = 0;  // network_of_process()
};

/// Settings for the stores of one mount, or of a plain URI.
struct OpenStore {
  static constexpr HostMessage kKind = HostMessage::kOpenStore;
  uint32_t store = 0;                  // chosen by the process; requests name it
  storage::StoreUse use;               // its variables are those of the process; the identity does not travel
  int64_t trusted_ns = 1'000'000'000;  // see FreshnessOptions
};

struct StatRequest {
  static constexpr HostMessage kKind = HostMessage::kStat;
  uint32_t store = 0;
  std::string uri;
  int64_t time_left_ns = storage::kNoDeadline;
  bool is_for_read = false;  // see storage::CallContext
};

struct HostReadRequest {
  static constexpr HostMessage kKind = HostMessage::kRead;
  uint32_t store = 0;
  std::string uri;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = storage::kToEnd;
  std::string if_version;
  std::optional<uint64_t> object_bytes;  // of that version, if the process knows it
  bool only_resident = false;
  bool wants_file = false;
  uint8_t priority = 0;  // a storage::Priority
  int64_t time_left_ns = storage::kNoDeadline;
};

/// What this version does not know is the least urgent.
storage::Priority priority_of(uint8_t number);

struct ChangedObject {
  static constexpr HostMessage kKind = HostMessage::kChanged;
  uint32_t store = 0;
  std::string uri;
  std::optional<storage::ObjectStat> stat;  // what it is now, without its key; nothing if it has gone
  uint64_t draft = 0;                       // that has its bytes; 0: none
};

/// A part of an object whose version is not known yet; the memory that comes with it holds the bytes.
struct DraftPart {
  static constexpr HostMessage kKind = HostMessage::kDraftPart;
  uint32_t store = 0;
  std::string uri;
  uint64_t draft = 0;  // chosen by the process
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
};

/// What a process writes through the daemon: one call of an object at a time.
struct HostBeginWrite {
  static constexpr HostMessage kKind = HostMessage::kBeginWrite;
  uint32_t store = 0;
  std::string uri;
  std::string if_version;
  bool if_absent = false;
};

struct HostWritePart {
  static constexpr HostMessage kKind = HostMessage::kWritePart;
  uint64_t write = 0;
  uint64_t length_bytes = 0;
  int64_t time_left_ns = storage::kNoDeadline;
};

struct HostCommitWrite {
  static constexpr HostMessage kKind = HostMessage::kCommitWrite;
  uint64_t write = 0;
  int64_t time_left_ns = storage::kNoDeadline;
};

enum class ChangeKind : uint8_t {
  kRemove = 1,
  kRename,
  kCopy,
  kMakeDirectory,
  kSettle,  // changes nothing: what waits of it is to be stored
};

/// Answered by the stat of what there is then, if there is something.
struct HostChange {
  static constexpr HostMessage kKind = HostMessage::kChange;
  uint32_t store = 0;
  ChangeKind kind = ChangeKind::kRemove;
  std::string uri;
  std::string to;  // of what is renamed or copied
  std::string if_version;
  bool if_absent = false;
  int64_t time_left_ns = storage::kNoDeadline;
};

/// What waits at or below a URI; empty: all. Answered by JSON (host_status.h).
struct HostBacklog {
  static constexpr HostMessage kKind = HostMessage::kBacklog;
  std::string uri;
  bool hurries = false;  // what was put off is tried now
};

/// The bytes of a read: in the message, or in a range of memory that the process maps. The message in which a
/// range is named for the first time carries its file.
struct HostBytes {
  std::string version;
  std::string inline_bytes;
  uint64_t range = 0;  // 0: inline
  uint64_t range_bytes = 0;
  uint64_t range_zeros = 0;  // behind the range, where its file ends: the process adds them
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  uint64_t readable_behind = 0;
  bool has_file = false;
  bool is_whole_file = false;  // the range's file comes with the message for its own sake, and is not kept
  bool has_weak_version = false;
};

/// A storage::ReadPlan. What is read at a position follows from `order` and a table (plans/item_table.h) that
/// all readers of a data set share, or is sent in windows.
struct FollowPlan {
  static constexpr HostMessage kKind = HostMessage::kPlan;
  uint32_t store = 0;
  std::string uri;     // of any object of the plan
  uint64_t table = 0;  // a hash of data set and store; 0: windows follow
  uint64_t begin = 0;
  uint64_t end = 0;
  uint64_t reader_window = 0;
  storage::PlanDescription order;  // without index, root and data set
};

struct PlanTable {
  static constexpr HostMessage kKind = HostMessage::kTable;
  uint64_t bytes = 0;  // 0: the process cannot give it
};

struct PlanCursor {
  static constexpr HostMessage kKind = HostMessage::kCursor;
  uint64_t cursor = 0;
};

struct WindowRange {
  uint32_t place = 0;  // its position less the window's first
  std::string uri;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  std::string version;
  bool is_to_end = false;
};

/// The positions [first, first + count) of a plan, without those that read nothing here.
struct PlanWindow {
  static constexpr HostMessage kKind = HostMessage::kPlanWindow;
  uint64_t first = 0;
  uint32_t count = 0;
  std::vector<WindowRange> ranges;
};

/// Names are sent without the prefix, which daemon and process may write differently in their keys.
struct HostListRequest {
  static constexpr HostMessage kKind = HostMessage::kList;
  uint32_t store = 0;
  std::string uri;  // of the prefix
  std::string delimiter;
  std::string start_after;
  uint64_t page_entries = 0;
  bool names_only = false;
  int64_t time_left_ns = storage::kNoDeadline;
  bool is_for_read = false;
};

struct HostNextPage {
  static constexpr HostMessage kKind = HostMessage::kNextPage;
  uint64_t listing = 0;
  int64_t time_left_ns = storage::kNoDeadline;
  bool is_for_read = false;
};

struct HostListEntry {
  std::string name;
  storage::ObjectStat stat;  // without its key
};

/// As much of a storage::ListPage as fits into a message.
struct HostListPage {
  std::vector<HostListEntry> objects;
  std::vector<std::string> prefixes;
  bool is_last = false;
};

struct HostWalk {
  static constexpr HostMessage kKind = HostMessage::kWalk;
  CacheWalk piece;
};

/// A storage::BringRequest; its name is without the prefix.
struct HostBringRange {
  std::string name;
  std::string version;
  uint64_t object_bytes = 0;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = storage::kToEnd;
};

struct HostBringRequest {
  static constexpr HostMessage kKind = HostMessage::kBring;
  uint32_t store = 0;
  std::string uri;  // of the prefix
  bool is_verified = false;
  uint8_t priority = 0;  // a storage::Priority
  int64_t time_left_ns = storage::kNoDeadline;
  std::vector<HostBringRange> ranges;
};
/// So many answers with the longest errors are still one message.
inline constexpr size_t kMaxBroughtTogether = 128;
inline constexpr size_t kMaxBringErrorBytes = 384;

struct HostBroughtRange {
  Status status;
  bool was_there = false;
};

/// In the order of the request.
struct HostBrought {
  std::vector<HostBroughtRange> ranges;
};

template <class Message>
std::string encode(const Message& message, uint64_t number = 0);
template <class Message>
Result<Message> decode(Bytes message);

/// An answer is an error, which keeps its code, text and payloads, or what was asked for: a stat (without its
/// key), the bytes of a read, a page of a listing, what became of a walk's piece, what was brought, a text.
std::string encode_answer(uint64_t number, const Status& status);
template <class Answer>
std::string encode_answer(uint64_t number, const Answer& answer);
template <class Answer>
std::string encode_answer(uint64_t number, const Result<Answer>& answer) {
  return answer.ok() ? encode_answer(number, *answer) : encode_answer(number, answer.status());
}
/// Returns the daemon's error, too.
template <class Answer>
Result<Answer> decode_answer(Bytes message);

}  // namespace forebay::cache
