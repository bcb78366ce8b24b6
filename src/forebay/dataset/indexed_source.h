// What all sources that are made of objects in a store share: the index, where its objects are, and the
// reading of byte ranges with errors that name the sample.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "forebay/dataset/sample_index.h"
#include "forebay/dataset/source.h"
#include "forebay/storage/store_registry.h"

namespace forebay::dataset {

/// For every kind of source. Making one lists or scans where there is no index, and waits for it.
struct SourceOptions {
  /// A path or URI. An index that is there, was made with the same parameters and still fits its objects (up
  /// to 64 of them are looked at) is opened; else it is made and written there. That files were added to a
  /// folder is noticed on disks, by the folder's time, but not in other stores: remove the index there. A
  /// damaged index is data_loss. Empty: the index is made in memory.
  std::string index_file;
  const storage::StoreRegistry* registry = nullptr;  // outlives the source; null: the process's
};

class IndexedSource : public Source {
 public:
  int64_t size() const override { return index_->size(); }
  int num_fields() const override { return index_->num_fields(); }
  Result<SampleLocation> locate(int64_t index) const override;
  void plan(int64_t index, storage::ReadPlan* plan) const override;
  void advise(const storage::ReadPlan& plan) const override;

  const SampleIndex& index() const { return *index_; }

 protected:
  IndexedSource(std::shared_ptr<const SampleIndex> index, std::string root, const SourceOptions& options);

  /// The object of that id, as users write it; empty for kNoObject.
  std::string path_of(uint32_t object) const;
  Result<storage::ObjectAddress> address_of(uint32_t object) const;

  /// The bytes that row `row` names, and `extra_bytes` behind them. `whole_object`: all of the object as it
  /// is now, whatever the row says. Errors carry the context of the sample.
  void read_row(int64_t sample, const SampleRow& row, const ReadFlags& flags, bool whole_object,
                uint64_t extra_bytes, storage::ReadCallback done) const;

  /// `status` with the sample's index and origin; a range that ends behind its object becomes data_loss.
  Status sample_error(const Status& status, int64_t sample, SampleOrigin origin) const;
  /// out_of_range unless 0 <= index < size().
  Status check_index(int64_t index) const;

 private:
  std::shared_ptr<const SampleIndex> index_;
  std::string root_;
  const storage::StoreRegistry* registry_;
};

/// The registry that `options` name.
const storage::StoreRegistry& registry_of(const SourceOptions& options);

/// Asked of an index file: whether it may still be used.
using IndexCheck = std::function<bool(const storage::ObjectAddress& file)>;

/// Opens the index that `options` name, or makes it with `build` and writes it where they say. `root`: what
/// relative object names are relative to. `fits`: asked besides of what all kinds of sources check.
/// data_loss when an index file has another number of fields than `num_fields`.
Result<std::shared_ptr<const SampleIndex>> open_or_build_index(
    const SourceOptions& options, std::string_view root, uint64_t parameters, int num_fields,
    const std::function<Result<std::shared_ptr<const SampleIndex>>()>& build, const IndexCheck& fits = {});

/// A tensor of bytes over part of what was read; shares its buffer.
tensor::Tensor byte_tensor(const memory::BufferRef& buffer, uint64_t offset_bytes, uint64_t length_bytes);

}  // namespace forebay::dataset
