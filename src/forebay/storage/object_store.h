// An ObjectStore holds named, immutable-until-replaced runs of bytes: a directory, a bucket, a cache in front
// of either, a mount table over all of them. Everything is asynchronous; what can be answered at once (bytes
// in the page cache, in memory) is answered inline, on the calling thread, before the call returns.
//
// Errors of every call name the object by its URI: not_found (no such object), out_of_range (the range ends
// behind the object), aborted (the object is not of the version asked for), permission_denied, unavailable
// (worth trying again; errors.h tells when), cancelled and deadline_exceeded (context.h), unimplemented (this
// store has no such service), or what errno_status makes of the cause.
//
// Drivers derive from BasicStore, which has no services beyond the necessary; decorators from
// ForwardingStore. Here everything is pure, so that neither can forget a call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/any_invocable.h"
#include "forebay/base/byte_source.h"
#include "forebay/base/status.h"
#include "forebay/memory/memory_resource.h"
#include "forebay/storage/context.h"
#include "forebay/storage/read_bytes.h"
#include "forebay/storage/read_plan.h"

namespace forebay::storage {

/// As a length: up to the end of the object.
inline constexpr uint64_t kToEnd = std::numeric_limits<uint64_t>::max();

/// Where a store has directories, their keys end with "/"; their size is 0, and their version changes
/// whenever an entry comes or goes.
struct ObjectStat {
  std::string key;
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;  // since the Unix epoch; 0 when the store does not know
  std::string version;      // changes whenever the content does; opaque
};

struct ReadRequest {
  std::string key;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = kToEnd;
  std::string if_version;  // read only this version, `aborted` otherwise; empty: whatever is there
  size_t padding_bytes =
      0;  // as many bytes at least may be read behind the content; those read in are zeroed
  /// Host-accessible memory to read into; null: of the store's choice, which may be where the bytes lie
  /// already.
  std::shared_ptr<memory::MemoryResource> resource;
  /// The caller's memory to read into, which stays until the callback is called; it has room for the range
  /// and its padding. Excludes `resource`.
  MutableBytes into = {};
  /// A lease: only bytes that lie in memory, without a copy; `unimplemented` when the store keeps none,
  /// failed_precondition when these do not lie there. Excludes `resource` and `into`.
  bool only_resident = false;
};

struct ListRequest {
  std::string prefix;       // keys that begin with it
  std::string delimiter;    // empty, or "/": keys that have one behind the prefix are folded into `prefixes`
  std::string start_after;  // only keys, and folded prefixes, behind this one
  size_t page_entries = 0;  // of one page; 0: as many as the store likes
  bool names_only =
      false;  // of the objects only the keys are wanted: spares a look at each, where that costs
};

/// Objects and folded prefixes, each sorted by bytes; both lie behind those of the page before.
struct ListPage {
  std::vector<ObjectStat> objects;
  std::vector<std::string> prefixes;  // each ends with the delimiter
  bool is_last = false;
};

struct WriteOptions {
  bool if_absent = false;  // already_exists when there is such an object
  std::string if_version;  // replace only this version, `aborted` otherwise; empty: whatever is there
};

/// From one key to another of the same store.
struct MoveRequest {
  std::string from;
  std::string to;
  std::string if_version;  // of what is moved; empty: whatever is there
  bool if_absent = false;  // already_exists when there is something at `to`; else it is replaced
};

using StatusCallback = absl::AnyInvocable<void(Status)>;
using StatCallback = absl::AnyInvocable<void(Result<ObjectStat>)>;
using StatManyCallback = absl::AnyInvocable<void(size_t key, Result<ObjectStat>)>;
using ListCallback = absl::AnyInvocable<void(Result<ListPage>)>;
using ReadCallback = absl::AnyInvocable<void(Result<ReadBytes>)>;
using ReadManyCallback = absl::AnyInvocable<void(size_t request, Result<ReadBytes>)>;

/// A listing under way, in memory that does not grow with it. One call at a time; not to outlive the store.
class ListStream {
 public:
  virtual ~ListStream() = default;
  /// The next page; out_of_range behind the last.
  virtual void next(const CallContext& context, ListCallback done) = 0;
};

/// How an object that is written in parts may be cut.
struct PartLimits {
  size_t in_flight = 1;      // parts that may be on their way at once
  uint64_t least_bytes = 0;  // of every part but the last
  uint64_t best_bytes = 1 << 20;
};

/// An object being written in parts, in the order of the calls; on S3 a multipart upload. Nothing is visible
/// before commit(); going without commit leaves nothing behind. Not to outlive the store. One thread at a
/// time.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual PartLimits limits() const { return {}; }
  /// May be called again before `done` is, for as many parts as limits() says. `part` may be reused when
  /// `done` is called.
  virtual void append(Bytes part, const CallContext& context, StatusCallback done) = 0;
  /// Once all parts are done.
  virtual void commit(const CallContext& context, StatCallback done) = 0;
};

/// What a store can do besides what each can.
struct StoreFeatures {
  bool has_directories = false;  // make_directory(), empty ones in listings, stat and rename of keys with "/"
  bool can_rename = false;
  bool can_copy = false;
  bool has_resident = false;  // ReadRequest::only_resident
};

class ObjectStore;

/// An object within its store.
struct ObjectAddress {
  std::shared_ptr<ObjectStore> store;
  std::string key;

  std::string uri() const;
};

/// Thread safe. A callback is called exactly once, either before the call returns, on the calling thread, or
/// later on a thread of the store; there it may start further calls but must not block. The store stays until
/// its call has returned; after that its last owner may go, in a callback too: what is in flight is answered
/// all the same.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  /// How users write the object `key`.
  virtual std::string uri_of(std::string_view key) const = 0;
  virtual StoreFeatures features() const = 0;

  virtual void stat(std::string key, const CallContext& context, StatCallback done) = 0;
  /// Many stats, started together; `each` is called once a key, in any order, but never twice at the same
  /// time.
  virtual void stat_many(std::vector<std::string> keys, const CallContext& context,
                         StatManyCallback each) = 0;

  /// Errors come with the first page.
  virtual std::unique_ptr<ListStream> open_list(ListRequest request) = 0;

  /// One read. The answer has all bytes of the range, of one version, or is an error; it is never short.
  virtual void read(ReadRequest request, const CallContext& context, ReadCallback done) = 0;
  /// Many reads, started together; `each` is called once a request, in any order, but never twice at the same
  /// time.
  virtual void read_many(std::vector<ReadRequest> requests, const CallContext& context,
                         ReadManyCallback each) = 0;

  /// A path under which the object can be opened, if there is one.
  virtual std::optional<std::string> local_file(std::string_view key) const = 0;

  /// Writes a whole object; readers see the old one or the new one. `content` may be reused when `done` is
  /// called.
  virtual void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                     StatCallback done) = 0;
  virtual Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) = 0;

  /// A directory must be empty.
  virtual void remove(std::string key, const CallContext& context, StatusCallback done) = 0;
  /// At once: there is never neither, nor both.
  virtual void rename(MoveRequest request, const CallContext& context, StatCallback done) = 0;
  /// Without the bytes going through this process.
  virtual void copy(MoveRequest request, const CallContext& context, StatCallback done) = 0;
  /// `key` ends with "/"; what is above it is made too. One that is there already is no error.
  virtual void make_directory(std::string key, const CallContext& context, StatusCallback done) = 0;

  /// A hint: what a reader is going to read. The store may follow it, fetch, keep or ignore.
  virtual void advise(std::shared_ptr<ReadPlan> plan) = 0;

  /// Where side data of one version of an object is kept (a JPEG index, a tar's table): an address that may
  /// or may not hold something yet, never listed among the objects. `kind` is a short name. unimplemented
  /// when the store keeps none.
  virtual Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                        std::string_view kind) = 0;
};

}  // namespace forebay::storage
