// An ObjectStore holds named runs of bytes that stay immutable until replaced: a directory, a bucket, a cache
// in front of either, a mount table over all of them. Everything is asynchronous. What can be answered at
// once (bytes in the page cache or in memory) is answered inline, on the calling thread, before the call
// returns.
//
// Every error names the object by its URI: not_found (no such object), out_of_range (the range exceeds the
// object), aborted (the object has another version than requested), permission_denied, unavailable (worth
// retrying; errors.h says when), cancelled and deadline_exceeded (context.h), unimplemented (the store lacks
// this service), or what errno_status makes of the cause.
//
// Drivers derive from BasicStore, which has no optional services; decorators derive from ForwardingStore.
// Everything here is pure virtual, so neither can forget a call.
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

/// As a length: to the end of the object.
inline constexpr uint64_t kToEnd = std::numeric_limits<uint64_t>::max();

/// In stores with directories, a directory's key ends with "/", its size is 0, and its version changes
/// whenever an entry is added or removed.
struct ObjectStat {
  std::string key;
  uint64_t size_bytes = 0;
  int64_t modified_ns = 0;  // since the Unix epoch; 0 if the store does not know
  std::string version;      // opaque; changes whenever the content changes
};

struct ReadRequest {
  std::string key;
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = kToEnd;
  std::string if_version;  // read only this version, else `aborted`; empty: whatever is there
  size_t padding_bytes =
      0;  // at least this many bytes behind the content must be readable; padding that is added is zeroed
  /// Host-accessible memory to read into; null: the store chooses, possibly where the bytes already are.
  std::shared_ptr<memory::MemoryResource> resource;
  /// The caller's memory to read into. It must have room for the range and its padding, and stay valid until
  /// the callback is called. Excludes `resource`.
  MutableBytes into = {};
  /// A lease: return only bytes that are already in memory, without a copy. `unimplemented` if the store
  /// keeps none, failed_precondition if these are not in memory. Excludes `resource` and `into`.
  bool only_resident = false;
  /// Of a whole object, with `only_resident`: the answer has the file in which it lies, if there is such a
  /// file. What an earlier run kept is compared with its checksums before, which may take as long as reading
  /// it.
  bool wants_file = false;
  /// The size of the object in the version that is asked for, where the caller knows it: a cache need not ask
  /// for it.
  std::optional<uint64_t> object_bytes;
};

struct ListRequest {
  std::string prefix;  // list keys that begin with this
  // Empty or "/"; with "/", keys with a slash behind the prefix are folded into `prefixes`.
  std::string delimiter;
  std::string start_after;  // list only keys and folded prefixes that sort after this
  size_t page_entries = 0;  // entries per page; 0: the store chooses
  bool names_only = false;  // only the keys of objects are needed; spares a stat for each where that costs
};

/// Objects and folded prefixes, each sorted by bytes; both sort after those of the previous page.
struct ListPage {
  std::vector<ObjectStat> objects;
  std::vector<std::string> prefixes;  // each ends with the delimiter
  bool is_last = false;
};

struct WriteOptions {
  bool if_absent = false;  // already_exists if the object exists
  std::string if_version;  // replace only this version, else `aborted`; empty: whatever is there
};

/// What is to be near before somebody reads it: a range of one version of an object.
struct BringRequest {
  std::string key;
  std::string version;
  uint64_t object_bytes = 0;  // the size of this version
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = kToEnd;
  bool is_verified = false;  // what was kept is read back and compared: data_loss if it differs
};

/// What it took to have it near.
enum class BringOutcome : uint8_t {
  kWasThere,
  kCame,
};

/// A rename or copy between two keys of one store.
struct MoveRequest {
  std::string from;
  std::string to;
  std::string if_version;  // version of `from`; empty: whatever is there
  bool if_absent = false;  // already_exists if there is an object at `to`; otherwise it is replaced
};

using StatusCallback = absl::AnyInvocable<void(Status)>;
using StatCallback = absl::AnyInvocable<void(Result<ObjectStat>)>;
using StatManyCallback = absl::AnyInvocable<void(size_t key, Result<ObjectStat>)>;
using ListCallback = absl::AnyInvocable<void(Result<ListPage>)>;
using ReadCallback = absl::AnyInvocable<void(Result<ReadBytes>)>;
using ReadManyCallback = absl::AnyInvocable<void(size_t request, Result<ReadBytes>)>;
using BringManyCallback = absl::AnyInvocable<void(size_t request, Result<BringOutcome>)>;
using RemoveManyCallback = absl::AnyInvocable<void(size_t key, Status)>;

/// A listing in progress; its memory does not grow with the listing. One call at a time. Must not outlive the
/// store.
class ListStream {
 public:
  virtual ~ListStream() = default;
  /// Delivers the next page; out_of_range after the last.
  virtual void next(const CallContext& context, ListCallback done) = 0;
};

/// Whether the object only marks a folder: without content, and with a key that ends like a folder's. Some
/// tools write such objects to stores that have no folders.
bool marks_folder(const ObjectStat& object);

/// How an object may be divided into parts for writing.
struct PartLimits {
  size_t in_flight = 1;      // parts that may be in flight at once
  uint64_t least_bytes = 0;  // minimum size of every part but the last
  uint64_t best_bytes = 1 << 20;
};

/// An object being written in parts, in the order of the calls; on S3 a multipart upload. Nothing is visible
/// before commit(); destroying the writer without commit() leaves nothing behind. Must not outlive the store.
/// An append that failed is not forgotten: there will be no object, and commit() answers the error. One
/// thread at a time.
class ObjectWriter {
 public:
  virtual ~ObjectWriter() = default;
  virtual PartLimits limits() const { return {}; }
  /// May be called again before `done`, for as many parts as limits() allows. `part` may be reused once
  /// `done` is called.
  virtual void append(Bytes part, const CallContext& context, StatusCallback done) = 0;
  /// Call it when all parts are done.
  virtual void commit(const CallContext& context, StatCallback done) = 0;
};

/// The optional services of a store.
struct StoreFeatures {
  // Make_directory(), empty directories in listings, stat and rename of keys ending in "/".
  bool has_directories = false;
  bool can_rename = false;
  bool can_copy = false;
  bool can_remove = true;
  bool has_resident = false;  // ReadRequest::only_resident
  bool can_bring = false;
  bool acknowledges_early = false;  // settle() may have to wait
  size_t removed_at_once = 1;       // objects that one request of remove_many() removes, at most
};

class ObjectStore;

/// An object and the store that holds it.
struct ObjectAddress {
  std::shared_ptr<ObjectStore> store;
  std::string key;

  std::string uri() const;
};

/// Thread safe. Each callback is called exactly once: either inline on the calling thread before the call
/// returns, or later on a thread of the store. A callback may start further calls but must not block. The
/// store must live until its call has returned; after that its last owner may drop it, even in a callback,
/// and calls in flight are still answered.
class ObjectStore {
 public:
  virtual ~ObjectStore() = default;

  /// The URI by which users name the object `key`.
  virtual std::string uri_of(std::string_view key) const = 0;
  /// Where the objects lie as far as uri_of() does not say: an endpoint, without secrets. Two stores of the
  /// same URIs hold the same objects only if this is the same, too.
  virtual std::string service() const { return {}; }
  /// The name that a part of a key stands for, where keys are written otherwise, as URLs are.
  virtual std::string name_of(std::string_view key_part) const { return std::string(key_part); }
  /// The same for two stores that have the same objects under the same keys, and do the same with them.
  virtual const ObjectStore* identity() const { return this; }
  virtual StoreFeatures features() const = 0;

  virtual void stat(std::string key, const CallContext& context, StatCallback done) = 0;
  /// Starts many stats together. `each` is called once for each key, in any order, but never concurrently.
  virtual void stat_many(std::vector<std::string> keys, const CallContext& context,
                         StatManyCallback each) = 0;

  /// Opens a listing. Errors are delivered with the first page.
  virtual std::unique_ptr<ListStream> open_list(ListRequest request) = 0;

  /// Reads a range. The answer is either all of the range, from one version, or an error; it is never short.
  virtual void read(ReadRequest request, const CallContext& context, ReadCallback done) = 0;
  /// Starts many reads together. `each` is called once for each request, in any order, but never
  /// concurrently.
  virtual void read_many(std::vector<ReadRequest> requests, const CallContext& context,
                         ReadManyCallback each) = 0;

  /// Makes ranges resident without handing them out: once answered, a read of them asks nobody else, for as
  /// long as there is room. `each` is called once for each request, in any order, but never concurrently.
  /// failed_precondition if it is not kept (no room, or by rule), `unimplemented` if the store keeps nothing.
  virtual void bring_many(std::vector<BringRequest> requests, const CallContext& context,
                          BringManyCallback each) = 0;

  /// Returns a path under which the object can be opened, if there is one.
  virtual std::optional<std::string> local_file(std::string_view key) const = 0;

  /// Whether an object may be written under this key, or replaced: the error that write() would have, as far
  /// as it can be said without asking a server. `unimplemented` where nothing is written at all.
  virtual Status check_write(std::string_view key, bool is_replacing) const = 0;
  /// Writes a whole object; readers see either the old one or the new one. `content` may be reused once
  /// `done` is called.
  virtual void write(std::string key, Bytes content, WriteOptions options, const CallContext& context,
                     StatCallback done) = 0;
  virtual Result<std::unique_ptr<ObjectWriter>> open_writer(std::string key, WriteOptions options) = 0;

  /// Removes an object or an empty directory.
  virtual void remove(std::string key, const CallContext& context, StatusCallback done) = 0;
  /// Removes many objects, no directories. `each` is called once for each key, in any order, but never
  /// concurrently; ok means that the object is gone, also where there was none.
  virtual void remove_many(std::vector<std::string> keys, const CallContext& context,
                           RemoveManyCallback each) = 0;
  /// Renames atomically: at no time do both names exist, or neither.
  virtual void rename(MoveRequest request, const CallContext& context, StatCallback done) = 0;
  /// Copies without moving the bytes through this process.
  virtual void copy(MoveRequest request, const CallContext& context, StatCallback done) = 0;
  /// Creates a directory and its parents. `key` ends with "/". An existing directory is not an error.
  virtual void make_directory(std::string key, const CallContext& context, StatusCallback done) = 0;

  /// Waits until what was acknowledged of an object, or of all that is below a key that ends with "/", is
  /// stored and has the version that it keeps. An attempt to store it that fails is this call's error.
  virtual void settle(std::string key, const CallContext& context, StatusCallback done) = 0;

  /// A hint about what a reader is going to read. The store may follow it, fetch ahead, keep objects or
  /// ignore it.
  virtual void advise(std::shared_ptr<ReadPlan> plan) = 0;

  /// The address for side data of one version of an object, such as a JPEG index or a shard's table. Nothing
  /// may be stored there yet; it is never listed among the objects. `kind` is a short name that may be used
  /// in a path. `unimplemented` if the store keeps no side data.
  virtual Result<ObjectAddress> derived(std::string_view key, std::string_view version,
                                        std::string_view kind) = 0;
};

}  // namespace forebay::storage
