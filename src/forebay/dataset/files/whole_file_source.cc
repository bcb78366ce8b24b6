#include "forebay/dataset/files/whole_file_source.h"

#include <utility>

namespace forebay::dataset {

void WholeFileSource::read(int64_t index, const ReadFlags& flags, RecordCallback done) const {
  if (const Status status = check_index(index); !status.ok()) {
    done(status);
    return;
  }
  const SampleRow row = this->index().row(index);
  read_row(index, row, flags, true, 0,
           [this, index, row, done = std::move(done)](Result<storage::ReadBytes> read) mutable {
             done(read.ok() ? record_of(index, row, *read) : Result<Record>(read.status()));
           });
}

SampleRow WholeFileSource::extent_of(int64_t sample) const {
  SampleRow row = index().row(sample);
  row.offset_bytes = 0;
  return row;
}

void WholeFileSource::plan(int64_t index, std::vector<PlannedRead>* reads) const {
  const size_t before = reads->size();
  IndexedSource::plan(index, reads);
  if (reads->size() > before) {
    reads->back().range.is_to_end = true;
  }
}

Result<Record> WholeFileSource::record_of(int64_t index, const SampleRow& row,
                                          const storage::ReadBytes& read) const {
  Record record;
  record.index = index;
  record.origin = origin_of(row.object, 0, read.size_bytes());
  if (read.size_bytes() == 0) {
    return sample_error(data_loss("{}: the file is empty", record.origin.object), index, record.origin);
  }
  record.fields.push_back(byte_tensor(storage::buffer_of(read), 0, read.size_bytes()));
  const Status status = add_fields(index, row, &record.fields);
  if (!status.ok()) {
    return sample_error(status, index, record.origin);
  }
  return record;
}

}  // namespace forebay::dataset
