#include "forebay/dataset/index/parsed_source.h"

#include <utility>

namespace forebay::dataset {
namespace {

class ParsedSource final : public IndexedSource {
 public:
  ParsedSource(ParsedSourceParts parts, const SourceOptions& options)
      : IndexedSource(std::move(parts.index), std::move(parts.root), options), parts_(std::move(parts)) {}

  int num_fields() const override { return parts_.num_fields; }

  void plan(int64_t index, std::vector<PlannedRead>* reads) const override {
    const size_t before = reads->size();
    IndexedSource::plan(index, reads);
    if (reads->size() > before) {
      reads->back().range.is_to_end = parts_.reads_whole_objects;
    }
  }

  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override {
    if (const Status status = check_index(index); !status.ok()) {
      done(status);
      return;
    }
    const SampleRow row = this->index().row(index);
    read_row(index, row, flags, parts_.reads_whole_objects, 0,
             [this, index, row, done = std::move(done)](const Result<storage::ReadBytes>& read) mutable {
               done(read.ok() ? record_of(index, row, *read) : Result<Record>(read.status()));
             });
  }

 private:
  SampleRow extent_of(int64_t sample) const override {
    SampleRow row = index().row(sample);
    row.label = 0;
    return row;
  }

  Result<Record> record_of(int64_t index, const SampleRow& row, const storage::ReadBytes& read) const {
    Record record;
    record.index = index;
    record.origin = origin_of(row.object, row.offset_bytes, read.size_bytes());
    Result<std::vector<tensor::Tensor>> fields = parts_.parse(row, read);
    if (!fields.ok()) {
      return sample_error(annotate(fields.status(), record.origin.object), index, record.origin);
    }
    record.fields = *std::move(fields);
    return record;
  }

  const ParsedSourceParts parts_;
};

}  // namespace

std::shared_ptr<Source> make_parsed_source(ParsedSourceParts parts, const SourceOptions& options) {
  return std::make_shared<ParsedSource>(std::move(parts), options);
}

}  // namespace forebay::dataset
