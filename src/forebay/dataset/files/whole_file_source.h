// A source whose samples are files, each as a whole.
#pragma once

#include <vector>

#include "forebay/dataset/index/indexed_source.h"

namespace forebay::dataset {

/// Field 0 is the file's bytes, however many there are now; an empty file is a broken sample. Who derives
/// adds the others.
class WholeFileSource : public IndexedSource {
 public:
  using IndexedSource::IndexedSource;

  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override;
  Result<SampleLocation> locate(int64_t index) const override;
  void plan(int64_t index, std::vector<PlannedRead>* reads) const final;

 protected:
  /// The fields behind the bytes. An error is the sample's. Thread safe.
  virtual Status add_fields(int64_t index, const SampleRow& row,
                            std::vector<tensor::Tensor>* fields) const = 0;

 private:
  Result<Record> record_of(int64_t index, const SampleRow& row, const storage::ReadBytes& read) const;
};

}  // namespace forebay::dataset
