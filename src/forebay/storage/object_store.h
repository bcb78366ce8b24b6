// An ObjectStore holds named, immutable-until-replaced runs of bytes: a directory, a bucket, a cache in front
// of either. Everything is asynchronous; what can be answered at once (bytes in the page cache, in memory) is
// answered inline, on the calling thread, before the call returns.
//
// Errors of every call name the object by its URI: not_found (no such object), out_of_range (the range ends
// behind the object), aborted (the object is not of the version asked for), permission_denied, unavailable
// (worth trying again), unimplemented (this driver has no such service), or what errno_status makes of the
// cause.
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
#include "forebay/memory/buffer.h"

namespace forebay::storage {

/// As a length: up to the end of the object.
inline constexpr uint64_t kToEnd = std::numeric_limits<uint64_t>::max();

/// What image decoders may read past the end of their input.
inline constexpr size_t kDecoderPaddingBytes = 64;

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
  std::string if_version;    // read only this version, `aborted` otherwise; empty: whatever is there
  size_t padding_bytes = 0;  // zeroed bytes behind the content, in the same buffer
  std::shared_ptr<memory::MemoryResource> resource;  // host-accessible; null: memory::host_pool()
};

/// The bytes of a read: the first `size_bytes` of the buffer; the padding that was asked for lies behind.
struct ReadBytes {
  memory::BufferRef buffer;
  uint64_t size_bytes = 0;

  Bytes bytes() const { return buffer->bytes().first(size_bytes); }
};

struct ListRequest {
  std::string prefix;      // keys that begin with it
  std::string delimiter;   // empty, or "/": keys that have one behind the prefix are folded into `prefixes`
  std::string page_token;  // empty for the first page, else ListPage::next_page_token
  size_t max_entries = 0;  // of one page; 0: as many as the store gives
};

/// Objects and folded prefixes, each sorted by bytes.
struct ListPage {
  std::vector<ObjectStat> objects;
  std::vector<std::string> prefixes;  // each ends with the delimiter
  std::string next_page_token;        // empty on the last page
};

struct WriteOptions {
  bool if_absent = false;  // already_exists when there is such an object
  std::string if_version;  // replace only this version, `aborted` otherwise; empty: whatever is there
};

/// Resident bytes of an object, without a copy; they stay as they are as long as `owner` lives.
struct Lease {
  std::shared_ptr<const void> owner;
  Bytes bytes;
  std::string version;
};

/// What a reader is going to read, soonest first. A hint: a store may fetch, keep or ignore.
struct ReadPlan {
  struct Range {
    std::string key;
    uint64_t offset_bytes = 0;
    uint64_t length_bytes = kToEnd;
  };
  std::vector<Range> ranges;
};

using StatusCallback = absl::AnyInvocable<void(Status)>;
using StatCallback = absl::AnyInvocable<void(Result<ObjectStat>)>;
using ListCallback = absl::AnyInvocable<void(Result<ListPage>)>;
using ReadCallback = absl::AnyInvocable<void(Result<ReadBytes>)>;
using ReadManyCallback = absl::AnyInvocable<void(size_t request, Result<ReadBytes>)>;

/// An object being written in parts, in order; on S3 a multipart upload. Nothing is visible before commit();
/// going without commit leaves nothing behind. One call at a time.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  /// `part` may be reused when `done` is called.
  virtual void append(Bytes part, StatusCallback done) = 0;
  virtual void commit(StatCallback done) = 0;
};

class ObjectStore;

/// An object within its store.
struct ObjectAddress {
  std::shared_ptr<ObjectStore> store;
  std::string key;

  std::string uri() const;
};

/// Thread safe. A callback is called exactly once, either before the call returns, on the calling thread, or
/// later on a thread of the store; there it may start further calls but must not block. A store waits in its
/// destructor for what is in flight.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  /// How users write the object `key`.
  virtual std::string uri_of(std::string_view key) const = 0;

  virtual void stat(std::string key, StatCallback done) = 0;
  virtual void list(ListRequest request, ListCallback done) = 0;

  /// One read. The answer has all bytes of the range or is an error; it is never short.
  virtual void read(ReadRequest request, ReadCallback done) = 0;

  /// Many reads, started together; `each` is called once a request, in any order, but never twice at the same
  /// time.
  virtual void read_many(std::vector<ReadRequest> requests, ReadManyCallback each);

  /// The object's bytes where they lie; unimplemented when the store has none resident.
  virtual Result<Lease> lease(std::string_view key);

  /// A path under which the object can be opened, if there is one.
  virtual std::optional<std::string> local_file(std::string_view key) const;

  /// Writes a whole object; readers see the old one or the new one. `content` may be reused when `done` is
  /// called.
  virtual void write(std::string key, Bytes content, WriteOptions options, StatCallback done) = 0;
  virtual Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) = 0;
  virtual void remove(std::string key, StatusCallback done) = 0;

  virtual void advise(const ReadPlan& plan);

  /// Where side data of one version of an object is kept (a JPEG index, a tar's table): an address that may
  /// or may not hold something yet, never listed among the objects. `kind` is a short name. unimplemented
  /// when the store keeps none.
  virtual Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                        std::string_view kind);
};

}  // namespace forebay::storage
