// What all sources that are made of objects in a store share: the index, where its objects are, and the
// reading of byte ranges with errors that name the sample.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/dataset/index/sample_index.h"
#include "forebay/dataset/source.h"
#include "forebay/storage/store_registry.h"

namespace forebay::dataset {

/// For every kind of source. Making one lists or scans where there is no index, and waits for it.
struct SourceOptions {
  /// A path or URI. An index that is there, was made with the same parameters and still fits its objects (up
  /// to 256 of them are looked at) is opened; else it is made and written there. That files were added to a
  /// folder is noticed where a store has folders, by their versions; in other stores remove the index. A
  /// damaged index is made anew; what is there and is no index is failed_precondition and stays. An index
  /// that cannot be written is an error. Empty: the index is made in memory.
  std::string index_file;
  const storage::StoreRegistry* registry = nullptr;  // outlives the source; null: the process's
};

class IndexedSource : public Source {
 public:
  int64_t size() const override { return index_->size(); }
  int num_fields() const override { return index_->num_fields(); }
  Result<SampleLocation> locate(int64_t index) const override;
  void plan(int64_t index, std::vector<PlannedRead>* reads) const override;
  std::vector<std::shared_ptr<storage::ObjectStore>> stores() const override;

  const SampleIndex& index() const { return *index_; }

 protected:
  IndexedSource(std::shared_ptr<const SampleIndex> index, std::string root, const SourceOptions& options);

  /// The object of that id, as users write it; empty for kNoObject.
  std::string path_of(uint32_t object) const;
  Result<storage::ObjectAddress> address_of(uint32_t object) const;

  /// The bytes that row `row` names, and `extra_bytes` behind them. `whole_object`: all of the object,
  /// whatever the row says. All of the version that was indexed: `aborted` if it is another one now. Errors
  /// carry the context of the sample; that of a lost row is data_loss.
  void read_row(int64_t sample, const SampleRow& row, const ReadFlags& flags, bool whole_object,
                uint64_t extra_bytes, storage::ReadCallback done) const;

  /// Appends a range of an object as it was indexed; nothing when it was not there.
  void plan_range(uint32_t object, uint64_t offset_bytes, uint64_t length_bytes,
                  std::vector<PlannedRead>* reads) const;

  /// `status` with the sample's index and origin; a range that ends behind its object becomes data_loss; that
  /// the object has changed comes with what to do about it.
  Status sample_error(const Status& status, int64_t sample, SampleOrigin origin) const;
  /// out_of_range unless 0 <= index < size().
  Status check_index(int64_t index) const;

 private:
  void read_lost_row(int64_t sample, const SampleRow& row, const storage::ObjectAddress& address,
                     const storage::CallContext& context, storage::ReadCallback done) const;

  std::shared_ptr<const SampleIndex> index_;
  std::string root_;
  std::string index_file_;
  const storage::StoreRegistry* registry_;
};

/// The registry that `options` name.
const storage::StoreRegistry& registry_of(const SourceOptions& options);

/// Opens the index that `options` name, or makes it with `build` and writes it where they say. `root`: what
/// relative object names are relative to. data_loss when an index file has another number of fields than
/// `num_fields`.
Result<std::shared_ptr<const SampleIndex>> open_or_build_index(
    const SourceOptions& options, std::string_view root, uint64_t parameters, int num_fields,
    const std::function<Result<std::shared_ptr<const SampleIndex>>()>& build);

/// A tensor of bytes over part of what was read; shares its buffer.
tensor::Tensor byte_tensor(const memory::BufferRef& buffer, uint64_t offset_bytes, uint64_t length_bytes);

}  // namespace forebay::dataset
