#include "forebay/dataset/parquet/parquet_source.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "forebay/dataset/blocks/block_reads.h"
#include "forebay/dataset/parquet/parquet_set.h"

namespace forebay::dataset {
namespace {

/// A sample that is being read: its columns come in any order, on any threads.
struct RowJob {
  int64_t index = 0;
  SampleRow row;
  std::shared_ptr<const ParquetFile> file;
  ReadFlags flags;
  RecordCallback done;
  std::vector<Result<tensor::Tensor>> fields;
  std::atomic<size_t> left{0};
};
using RowJobRef = std::shared_ptr<RowJob>;

class ParquetSource final : public IndexedSource {
 public:
  ParquetSource(ParquetSet set, std::vector<NullFill> fills, const ParquetOptions& options)
      : IndexedSource(std::move(set.index), {}, options),
        files_(std::move(set.files)),
        columns_(options.columns),
        fills_(std::move(fills)),
        blocks_(static_cast<uint64_t>(options.block_bytes)) {}

  int num_fields() const override { return static_cast<int>(columns_.size()); }
  void plan(int64_t index, std::vector<PlannedRead>* reads) const override;
  void read(int64_t index, const ReadFlags& flags, RecordCallback done) const override;

 private:
  SampleRow extent_of(int64_t sample) const override;
  static uint64_t row_number(const SampleRow& row) { return static_cast<uint64_t>(row.label); }

  void read_column(const RowJobRef& job, size_t column) const;
  LoadBlock load_piece(const RowJobRef& job, size_t column, ParquetPiece piece) const;
  void take_block(const RowJobRef& job, size_t column, const ParquetPiece& piece,
                  const Result<BlockRef>& block) const;
  Result<tensor::Tensor> field_of(const SampleRow& row, size_t column, const ParquetPiece& piece,
                                  const Result<BlockRef>& block) const;
  static void finish(const RowJobRef& job, SampleOrigin origin);
  std::string name_of_column(size_t column) const { return fmt::format("column '{}'", columns_[column]); }
  SampleOrigin origin_of_piece(const SampleRow& row, const ParquetPiece& piece) const;

  const std::vector<ParquetFileResult> files_;  // by object id
  const std::vector<std::string> columns_;
  const std::vector<NullFill> fills_;  // one for each column; empty: nulls are errors
  mutable BlockCache blocks_;
};

/// The length is about the sample's share of what is read.
SampleRow ParquetSource::extent_of(int64_t sample) const {
  const SampleRow row = index().row(sample);
  SampleRow extent{.object = row.object, .offset_bytes = row.offset_bytes};
  const ParquetFileResult& file = files_[row.object];
  if (!file.ok() || row.is_lost()) {
    return extent;
  }
  for (size_t column = 0; column < columns_.size(); ++column) {
    const ParquetPiece piece = (*file)->piece(column, row_number(row));
    extent.length_bytes += piece.memory_bytes / std::max<uint64_t>(1, piece.rows);
    if (column == 0) {
      extent.offset_bytes = piece.ranges.back().offset_bytes;
    }
  }
  return extent;
}

void ParquetSource::plan(int64_t index, std::vector<PlannedRead>* reads) const {
  if (!check_index(index).ok()) {
    return;
  }
  const SampleRow row = this->index().row(index);
  const ParquetFileResult& file = files_[row.object];
  if (!file.ok() || row.is_lost()) {
    return;
  }
  for (size_t column = 0; column < columns_.size(); ++column) {
    for (const ByteRange& range : (*file)->piece(column, row_number(row)).ranges) {
      plan_range(row.object, range.offset_bytes, range.length_bytes, reads);
    }
  }
}

void ParquetSource::read(int64_t index, const ReadFlags& flags, RecordCallback done) const {
  if (const Status status = check_index(index); !status.ok()) {
    done(status);
    return;
  }
  const SampleRow row = this->index().row(index);
  const ParquetFileResult& file = files_[row.object];
  if (!file.ok()) {
    done(sample_error(file.status(), index, origin_of(row.object, row.offset_bytes, row.length_bytes)));
    return;
  }
  if (row.is_lost()) {
    read_row(
        index, row, flags, false, 0,
        [done = std::move(done)](const Result<storage::ReadBytes>& read) mutable { done(read.status()); });
    return;
  }
  auto job = std::make_shared<RowJob>();
  job->index = index;
  job->row = row;
  job->file = *file;
  job->flags = flags_of_block(flags);
  job->done = std::move(done);
  job->fields.resize(columns_.size(), internal_error("not read"));
  job->left = columns_.size() + 1;
  for (size_t column = 0; column < columns_.size(); ++column) {
    read_column(job, column);
  }
  if (job->left.fetch_sub(1) == 1) {
    finish(job, origin_of(row.object, row.offset_bytes, row.length_bytes));
  }
}

SampleOrigin ParquetSource::origin_of_piece(const SampleRow& row, const ParquetPiece& piece) const {
  return origin_of(row.object, piece.ranges.back().offset_bytes, piece.ranges.back().length_bytes);
}

void ParquetSource::read_column(const RowJobRef& job, size_t column) const {
  const ParquetPiece piece = job->file->piece(column, row_number(job->row));
  const BlockKey key{job->row.object, static_cast<uint32_t>(column), piece.ranges.back().offset_bytes};
  blocks_.get(
      key, std::max(piece.memory_bytes, piece.read_bytes()), load_piece(job, column, piece),
      [this, job, column, piece](const Result<BlockRef>& block) { take_block(job, column, piece, block); });
}

LoadBlock ParquetSource::load_piece(const RowJobRef& job, size_t column, ParquetPiece piece) const {
  return [this, job, column, piece = std::move(piece)](BlockCallback loaded) {
    read_ranges(-1, job->row.object, piece.ranges, job->flags,
                [this, job, column, piece,
                 loaded = std::move(loaded)](const Result<std::vector<storage::ReadBytes>>& reads) mutable {
                  if (!reads.ok()) {
                    loaded(reads.status());
                    return;
                  }
                  std::vector<Bytes> parts;
                  for (const storage::ReadBytes& read : *reads) {
                    parts.push_back(read.bytes);
                  }
                  Result<BlockRef> block = job->file->decode(column, piece, parts, blocks_.limit_bytes());
                  loaded(block.ok() ? std::move(block)
                                    : sample_error(annotate(block.status(), name_of_column(column)), -1,
                                                   origin_of_piece(job->row, piece)));
                });
  };
}

Result<tensor::Tensor> ParquetSource::field_of(const SampleRow& row, size_t column, const ParquetPiece& piece,
                                               const Result<BlockRef>& block) const {
  if (!block.ok()) {
    return context_of(block.status()) ? block.status() : annotate(block.status(), name_of_column(column));
  }
  const auto& rows = static_cast<const ColumnBlock&>(**block);
  const NullFill* const fill = fills_[column].empty() ? nullptr : &fills_[column];
  Result<tensor::Tensor> field = rows.row(row_number(row) - piece.first_row, fill);
  if (!field.ok()) {
    return annotate(field.status(), fmt::format("{}, row {}", name_of_column(column), row.label));
  }
  return field;
}

void ParquetSource::take_block(const RowJobRef& job, size_t column, const ParquetPiece& piece,
                               const Result<BlockRef>& block) const {
  job->fields[column] = field_of(job->row, column, piece, block);
  if (const Status& status = job->fields[column].status(); !status.ok()) {
    job->fields[column] = sample_error(status, job->index, origin_of_piece(job->row, piece));
  }
  if (job->left.fetch_sub(1) == 1) {
    finish(job, origin_of(job->row.object, job->row.offset_bytes, job->row.length_bytes));
  }
}

void ParquetSource::finish(const RowJobRef& job, SampleOrigin origin) {
  Record record;
  record.index = job->index;
  record.origin = std::move(origin);
  for (Result<tensor::Tensor>& field : job->fields) {
    if (!field.ok()) {
      job->done(field.status());
      return;
    }
    record.fields.push_back(*std::move(field));
  }
  job->done(std::move(record));
}

Result<std::vector<NullFill>> fills_of(const ParquetOptions& options, const ParquetFile& file) {
  std::vector<NullFill> fills(options.columns.size());
  for (size_t column = 0; options.fill && column < fills.size(); ++column) {
    const ParquetLeaf& leaf = file.leaf(column);
    const bool is_text = leaf.type == ParquetType::kByteArray;  // empty, whatever `fill` is
    Result<NullFill> fill = null_fill(is_text ? 0 : *options.fill, leaf.dtype);
    if (!fill.ok()) {
      return annotate(fill.status(), fmt::format("column '{}'", options.columns[column]));
    }
    fills[column] = *std::move(fill);
  }
  return fills;
}

}  // namespace

Status check(const ParquetOptions& options) {
  return check_block_options(options.path, options.block_bytes);
}

Result<std::shared_ptr<Source>> make_parquet_source(const ParquetOptions& options) {
  FOREBAY_RETURN_IF_ERROR(check(options));
  FOREBAY_ASSIGN_OR_RETURN(ParquetSet set, open_parquet_set(options));
  FOREBAY_ASSIGN_OR_RETURN(std::vector<NullFill> fills, fills_of(options, *set.first));
  return std::make_shared<ParquetSource>(std::move(set), std::move(fills), options);
}

}  // namespace forebay::dataset
