// The base of all sources made of objects in a store: it holds the index, finds the objects, and reads byte
// ranges with errors that name the sample.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/dataset/index/made_once.h"
#include "forebay/dataset/index/sample_index.h"
#include "forebay/dataset/index/stale_index.h"
#include "forebay/dataset/index/stored_order.h"
#include "forebay/dataset/source.h"
#include "forebay/storage/stores/store_registry.h"

namespace forebay::dataset {

/// How far the making of an index has come.
struct IndexProgress {
  size_t shards_done = 0;  // or folders, or files
  size_t shards = 0;
  uint64_t samples = 0;        // in those that are done
  uint64_t samples_found = 0;  // also in those that are being scanned
  uint64_t bytes_done = 0;     // about how many of the shards' bytes lie behind the scans
  uint64_t bytes = 0;          // of all shards; 0 if none is scanned
};

/// Options of every kind of source. Making a source blocks while it lists or scans, if there is no index yet.
struct SourceOptions {
  /// A path or URI. An existing index is opened if it was made with the same parameters and still matches its
  /// objects (up to 256 of them are checked); otherwise a new one is made and written there. A read that
  /// finds an object changed removes the index, so that the next opening makes it anew. Files added to a
  /// folder are noticed in stores with folders, by the folders' versions; in other stores, remove the index.
  /// A damaged index is rebuilt; an existing file that is not an index is failed_precondition and is left
  /// alone. An index that cannot be written is an error. While one is made, what was found in shards that are
  /// done, and in parts of large files of records, lies in a folder beside it (INDEX.scan), so that it can be
  /// gone on with after an interruption.
  /// Empty: the index is made in memory.
  std::string index_file;
  const storage::StoreRegistry* registry = nullptr;  // must outlive the source; null: the process's registry
  /// Called after each shard of an index that is being made, and now and then within one, on any thread, one
  /// call at a time. May be empty.
  std::function<void(const IndexProgress&)> progress;
};

/// A part of an object.
struct ByteRange {
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
};

using RangesCallback = absl::AnyInvocable<void(Result<std::vector<storage::ReadBytes>>)>;

class IndexedSource : public Source {
 public:
  int64_t size() const override { return rows_->size(); }
  int num_fields() const override { return rows_->num_fields(); }
  Result<SampleLocation> locate(int64_t index) const override;
  void plan(int64_t index, std::vector<PlannedRead>* reads) const override;
  /// As index().
  std::vector<uint64_t> stored_shards() const override { return index_->shards(); }
  std::vector<uint64_t> lengths() const override;
  std::vector<std::shared_ptr<storage::ObjectStore>> stores() const override;

  /// Not of a source whose samples are being found.
  const SampleIndex& index() const { return *index_; }
  /// The path or URI of the index; empty if it is only in memory.
  const std::string& index_file() const { return index_file_; }
  const std::string& root() const { return root_; }

  /// A hash of the index and its root: of all samples, where they are, and the versions of their objects. As
  /// index().
  uint64_t identity() const;
  /// Made when it is first asked for, which looks at the whole index. As index().
  const StoredOrder& stored_order() const;

  /// The store and key of an object of the index.
  Result<storage::ObjectAddress> address_of(uint32_t object) const;

 protected:
  IndexedSource(std::shared_ptr<const SampleRows> rows, std::string root, const SourceOptions& options);

  const SampleRows& rows() const { return *rows_; }

  /// What reading a sample that there is fetches, as one row: locate() without the object's name. Here from
  /// the first byte of its fields to the last.
  virtual SampleRow extent_of(int64_t sample) const;

  /// The path or URI of the object with this id; empty for kNoObject.
  std::string path_of(uint32_t object) const;
  /// A place as errors name it: without the secrets that a URL may hold.
  SampleOrigin origin_of(uint32_t object, uint64_t offset_bytes, uint64_t length_bytes) const;

  /// Reads the bytes that `row` names plus `extra_bytes` behind them, or the whole object if `whole_object`.
  /// All of it is of the indexed version: `aborted` if the object has another version now. Errors carry the
  /// sample's context; a lost row gives data_loss.
  void read_row(int64_t sample, const SampleRow& row, const ReadFlags& flags, bool whole_object,
                uint64_t extra_bytes, storage::ReadCallback done) const;

  /// Reads several ranges of one object in one call to its store. Gives all of them in their order, or the
  /// error of the first range that cannot be read. Otherwise as read_row().
  void read_ranges(int64_t sample, uint32_t object, std::vector<ByteRange> ranges, const ReadFlags& flags,
                   RangesCallback done) const;

  /// Appends a range of an object in its indexed version; nothing if the object was missing.
  void plan_range(uint32_t object, uint64_t offset_bytes, uint64_t length_bytes,
                  std::vector<PlannedRead>* reads) const;

  /// Adds the sample's index and origin to `status`. A range past the end of its object becomes data_loss; an
  /// error about a changed object says what to do about it, and retires the index if `object` has changed.
  Status sample_error(const Status& status, int64_t sample, SampleOrigin origin,
                      uint32_t object = kNoObject) const;
  /// out_of_range unless 0 <= index < size().
  Status check_index(int64_t index) const;

 private:
  void retire_index(uint32_t object) const;
  storage::ReadRequest request_for(std::string key, uint32_t object, ByteRange range,
                                   const ReadFlags& flags) const;
  void read_lost_row(int64_t sample, const SampleRow& row, const storage::ObjectAddress& address,
                     const storage::CallContext& context, storage::ReadCallback done) const;

  std::shared_ptr<const SampleRows> rows_;
  std::shared_ptr<const SampleIndex> index_;  // the same; null while samples are being found
  std::string root_;
  std::string index_file_;
  const storage::StoreRegistry* registry_;
  mutable StaleIndex stale_index_;
  MadeOnce<StoredOrder> stored_order_;
};

/// Returns the registry that `options` name.
const storage::StoreRegistry& registry_of(const SourceOptions& options);

/// Opens the index that `options` name, or makes it with `build` and writes it there. `root`: where relative
/// object names start from. data_loss if an index file does not have `num_fields` fields.
Result<std::shared_ptr<const SampleIndex>> open_or_build_index(
    const SourceOptions& options, std::string_view root, uint64_t parameters, int num_fields,
    const std::function<Result<std::shared_ptr<const SampleIndex>>()>& build);

/// A copy of bytes that came together from several places, followed by as many zeros as decoders may read.
Result<tensor::Tensor> padded_byte_tensor(Bytes bytes);

/// Returns a tensor of bytes over part of what was read, sharing its buffer.
tensor::Tensor byte_tensor(const memory::BufferRef& buffer, uint64_t offset_bytes, uint64_t length_bytes);

}  // namespace forebay::dataset
